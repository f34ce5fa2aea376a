import { proxy } from 'valtio/vanilla';
import type { BackLayer } from '#app/platform/focus/back-stack.ts';
import { backStack } from '#app/platform/focus/back-stack.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { holdControls, releaseControls } from '../controls/controls-store.ts';
import { feed } from '../quadrant/feed-state.ts';

/** The quadrant whose menu is open. */
export const quadrantMenu = proxy<{ of: Quadrant | null }>({ of: null });

let layer: BackLayer | null = null;

/** What can be done with one quadrant beside its controls. Back closes it. */
export function openQuadrantMenu(quadrant: Quadrant): void {
  if (!feed.isStarted) return;
  layer ??= backStack().open(forgetMenu);
  quadrantMenu.of = quadrant;
  holdControls();
}

export function closeQuadrantMenu(): void {
  layer?.close();
  forgetMenu();
}

function forgetMenu(): void {
  layer = null;
  if (quadrantMenu.of === null) return;
  quadrantMenu.of = null;
  releaseControls();
}
