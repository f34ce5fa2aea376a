import type { Tag } from '#contract/entities/tag.ts';
import type { Video } from '#contract/entities/video.ts';

export const channel = (id: string, name: string, video_count = 3): Tag => ({
  id,
  name,
  description: '',
  color: '#112233',
  video_count,
  created_at: '2026-11-21T12:00:00.000Z',
  active: true,
  aliases: [],
});

export const video = (id: string, ...tags: Tag[]): Video => ({
  id,
  path: `${id}.mp4`,
  filename: `${id}_raw.mp4`,
  title: `${id}.mp4`,
  size: 1_000_000,
  tags: tags.map(({ id: tagId, name, color }) => ({ id: tagId, name, color })),
  url: `/stream/${id}`,
  poster_url: `/posters/${id}`,
  storyboard: null,
  available: true,
  message: null,
  duration: 171,
  width: 1920,
  height: 1080,
  renditions: [],
  processing: null,
  created_at: '2026-11-21T12:00:00.000Z',
  recorded_at: null,
});
