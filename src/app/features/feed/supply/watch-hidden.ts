import { recovered } from '#app/platform/http/recovery.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from '../quadrant/feed-state.ts';

/**
 * Has hidden videos replaced: now, because the feed may have been out of sight, whenever a counter of the server has
 * changed, and with each poll of the status. Returns what stops it.
 */
export function watchHidden(): () => void {
  void replaceHidden();
  return recovered.listen(replaceHidden);
}

/** Where no video is shown there is none to replace: the file is not among the first. */
async function replaceHidden(): Promise<void> {
  if (quadrants.every((quadrant) => !feed.quadrants[quadrant].shown)) return;
  // A file that cannot be loaded now is loaded the next time.
  const loaded = await import('./hidden-videos.ts').catch(() => null);
  loaded?.replaceHiddenVideos();
}
