import { quadrants } from '#contract/quadrants.ts';
import { attachPicture, startAll } from '../features/feed/feed-store.ts';
import type { PictureGrid } from '../platform/asked-ahead.ts';
import { takeGridAhead, wasTappedAhead } from '../platform/asked-ahead.ts';
import { drawPictureGrid } from '../playback/picture-grid.ts';

let grid: PictureGrid | null = null;

/**
 * Shows the four pictures as they come, before the views are there to draw them: over the loading screen, in the grid that the page may have drawn
 * already. To be called when the feed is open.
 */
export function showFirstPictures(): void {
  grid = takeGridAhead() ?? drawPictureGrid(startAll);
  grid.onTap = startAll;
  for (const quadrant of quadrants) attachPicture(quadrant, grid.hosts[quadrant]);
  if (wasTappedAhead()) startAll();
}

/** The views have taken the pictures over, or do not show them. */
export function clearFirstPictures(): void {
  grid ??= takeGridAhead();
  grid?.element.remove();
}
