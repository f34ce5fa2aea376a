import { quadrants } from '#contract/quadrants.ts';
import { attachPlayer, startAll } from '../features/feed/feed-store.ts';
import type { StartHandover } from '../start/handover.ts';
import { StartGrid } from '../start/start-grid.ts';

let grid: StartGrid | null = null;

/**
 * Shows the first frames as they come, before the views are there to draw them: over the loading screen, in the grid
 * that the page may have drawn already. To be called when the feed is open.
 */
export function showStartFrames(handover: StartHandover): void {
  grid = handover.grid ?? new StartGrid(startAll);
  grid.onTap = startAll;
  for (const quadrant of quadrants) attachPlayer(quadrant, grid.hosts[quadrant]);
  if (handover.isTapped) startAll();
}

/** The views have taken the videos over, or do not show them. */
export function removeStartFrames(): void {
  grid?.remove();
}
