import type { FeedVideo } from '#app/features/feed/quadrant/quadrant.ts';

/** A video as the feed stores it. */
export const feedVideo = (id: string, parts: Partial<FeedVideo> = {}): FeedVideo => ({
  id,
  path: `${id}.mp4`,
  title: `${id}.mp4`,
  url: `/${id}`,
  rendition: 'source',
  renditions: [],
  storyboard: null,
  width: 1920,
  height: 1080,
  durationSeconds: 60,
  posterUrl: null,
  tagIds: [],
  matching: 20,
  ...parts,
});
