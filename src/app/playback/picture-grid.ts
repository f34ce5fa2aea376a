import type { PictureGrid } from '#app/platform/asked-ahead.ts';
import { byQuadrant } from './by-quadrant.ts';

const okKeys = ['Enter', ' '];

/** Draws four places over the loading screen, where the feed's own grid will lie. */
export function drawPictureGrid(onTap: () => void): PictureGrid {
  const element = document.createElement('div');
  element.className = 'start-pictures';
  const grid = { element, hosts: byQuadrant(() => element.appendChild(document.createElement('div'))), onTap };
  document.body.append(element);
  hearTaps(grid);
  return grid;
}

/**
 * A tap counts where it began: the feed may be drawn over the pictures before it ends. OK on a remote is one as well. Once the pictures are gone, the
 * next touch or key ends the listening.
 */
function hearTaps(grid: PictureGrid): void {
  let hasBegun = false;
  const begin = ({ target }: Event) => {
    hasBegun = grid.element.contains(target as Node);
    if (!grid.element.isConnected) stop();
  };
  const end = () => {
    if (hasBegun) grid.onTap();
    hasBegun = false;
  };
  const press = ({ key }: KeyboardEvent) => {
    if (!grid.element.isConnected) stop();
    else if (okKeys.includes(key)) grid.onTap();
  };
  const stop = () => {
    document.removeEventListener('pointerdown', begin, true);
    document.removeEventListener('click', end, true);
    document.removeEventListener('keydown', press, true);
  };
  document.addEventListener('pointerdown', begin, true);
  document.addEventListener('click', end, true);
  document.addEventListener('keydown', press, true);
}
