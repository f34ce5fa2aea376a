import type { StoryboardSheet } from '#app/ui/media/storyboard.tsx';

/** 10 × 10 stills of 160 × 90, one every 2 s, but for what is given. */
export const sheetOf = (parts: Partial<StoryboardSheet> = {}): StoryboardSheet => ({
  url: '/api/videos/v/storyboard?version=1',
  columns: 10,
  rows: 10,
  tile_width: 160,
  tile_height: 90,
  interval_seconds: 2,
  ...parts,
});
