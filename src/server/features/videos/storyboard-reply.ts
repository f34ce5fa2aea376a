import { readStoryboard } from '#contract/endpoints.ts';
import type { Storyboard } from '#contract/entities/video.ts';
import type { StoredStoryboard } from './storyboard-repository.ts';

/** Another address as soon as it is another sheet, so that it may be kept for ever. */
export function toStoryboardReply(videoId: string, storyboard: StoredStoryboard | null): Storyboard | null {
  if (storyboard === null) return null;
  const { content, columns, rows, tileWidth, tileHeight, intervalMs } = storyboard;
  return {
    url: `${readStoryboard.path.replace('{id}', encodeURIComponent(videoId))}?version=${content}`,
    columns,
    rows,
    tile_width: tileWidth,
    tile_height: tileHeight,
    interval_seconds: intervalMs / 1000,
  };
}
