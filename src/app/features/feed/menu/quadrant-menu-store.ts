import { proxy } from 'valtio/vanilla';
import type { BackLayer } from '#app/platform/focus/back-stack.ts';
import { backStack } from '#app/platform/focus/back-stack.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { holdControls, releaseControls } from '../controls/controls-store.ts';
import { feed } from '../quadrant/feed-state.ts';

interface QuadrantMenuState {
  /** The quadrant whose menu or filter is open. */
  of: Quadrant | null;
  shows: 'menu' | 'filter';
}

export const quadrantMenu = proxy<QuadrantMenuState>({ of: null, shows: 'menu' });

let layer: BackLayer | null = null;

/** What can be done with one quadrant beside its controls, or what it draws from. Back closes it. */
export function openQuadrantMenu(quadrant: Quadrant, shows: QuadrantMenuState['shows'] = 'menu'): void {
  if (!feed.isStarted) return;
  layer ??= backStack().open(forgetMenu);
  Object.assign(quadrantMenu, { of: quadrant, shows });
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
