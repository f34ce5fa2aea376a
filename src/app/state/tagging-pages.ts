/** The two pages of Tagging, in the order of §2 Side menu. */
export const taggingPages = [
  { name: 'tag-management', title: 'Tag Management' },
  { name: 'video-tagging', title: 'Video Tagging' },
] as const;
