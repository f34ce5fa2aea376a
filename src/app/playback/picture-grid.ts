import type { PictureGrid } from '#app/platform/asked-ahead.ts';
import { byQuadrant } from './by-quadrant.ts';

const okKeys = ['Enter', ' '];

/** Draws four places over the loading screen, where the feed's own grid will lie. */
export function drawPictureGrid(onTap: () => void): PictureGrid {
  const element = document.createElement('div');
  element.className = 'start-pictures';
  const grid = { element, hosts: byQuadrant(() => element.appendChild(document.createElement('div'))), onTap };
  hearTaps(grid);
  document.body.append(element);
  return grid;
}

/** A tap counts where it began: the feed may be drawn over the pictures before it ends. OK on a remote is one as well. */
function hearTaps(grid: PictureGrid): void {
  let hasBegun = false;
  const begin = ({ target }: Event) => {
    hasBegun = grid.element.contains(target as Node);
  };
  const end = () => {
    if (hasBegun) grid.onTap();
    hasBegun = false;
  };
  const press = ({ key }: KeyboardEvent) => {
    if (grid.element.isConnected && okKeys.includes(key)) grid.onTap();
  };
  document.addEventListener('pointerdown', begin, true);
  document.addEventListener('click', end, true);
  document.addEventListener('keydown', press, true);
}
