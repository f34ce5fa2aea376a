import { quadrants } from '#contract/quadrants.ts';
import { attachPicture, startAll } from '../features/feed/feed-store.ts';

let grid: HTMLElement | null = null;

/**
 * Shows the four pictures as they come, before the views are there to draw them: over the loading screen, where the feed's own grid will lie.
 * To be called when the feed is open.
 */
export function showFirstPictures(): void {
  grid = document.createElement('div');
  grid.className = 'start-pictures';
  for (const quadrant of quadrants) {
    const host = document.createElement('div');
    attachPicture(quadrant, host);
    grid.append(host);
  }
  grid.addEventListener('click', startAll);
  document.body.append(grid);
}

/** The views have taken the pictures over, or do not show them. */
export function clearFirstPictures(): void {
  grid?.remove();
  grid = null;
}
