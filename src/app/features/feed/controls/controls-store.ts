import { proxy } from 'valtio/vanilla';
import type { BackLayer } from '#app/platform/input/back-stack.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { after } from '#app/platform/timers.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { feed } from '../feed-state.ts';

interface ControlsState {
  /** The quadrant whose controls are on screen. */
  active: Quadrant | null;
  /** The quadrant among whose controls keys and remotes move: a level of its own, which Back leaves. */
  entered: Quadrant | null;
  /** The quadrant that was active last: where the focus starts when the feed comes back. */
  last: Quadrant | null;
  /** All controls are drawn, hidden or not: from the first frames on, or as soon as the first ones are shown. */
  areDue: boolean;
}

export const controls = proxy<ControlsState>({ active: null, entered: null, last: null, areDue: false });

let restMs: number = limits.controlsHideMs;
let isHeld = false;
let level: BackLayer | null = null;
let cancelHide = () => {};

/** Shows one quadrant's controls, and the others' no more, until nothing was touched for a while. */
export function showControls(quadrant: Quadrant, by: 'pointer' | 'key'): void {
  restMs = by === 'key' ? limits.controlsHideByKeyMs : limits.controlsHideMs;
  if (by === 'pointer' || controls.entered !== quadrant) leaveControls();
  Object.assign(controls, { active: quadrant, last: quadrant, areDue: true });
  countRest();
}

/** Has the hidden controls drawn, so that the first key or touch does not wait for it. */
export function drawControls(): void {
  controls.areDue = true;
}

/**
 * The focus has come: by a key, or after a finger or a mouse, also when what they closed gives it back. What is entered
 * stays so.
 */
export function showControlsByFocus(quadrant: Quadrant): void {
  const input = currentInput();
  const isByPointer = (input === 'touch' || input === 'pointer') && controls.entered !== quadrant;
  showControls(quadrant, isByPointer ? 'pointer' : 'key');
}

export function hideControls(): void {
  cancelHide();
  leaveControls();
  controls.active = null;
}

/**
 * What opened over the feed lies above the level of the controls, and would close with it: then they stay as they are.
 */
export function hideControlsUnlessEntered(): void {
  if (controls.entered === null) hideControls();
}

/** A tap on the video. */
export function toggleControls(quadrant: Quadrant): void {
  if (controls.active === quadrant) hideControls();
  else showControls(quadrant, 'pointer');
}

/** OK on a quadrant: from here on keys move among its controls. */
export function enterControls(quadrant: Quadrant): void {
  showControls(quadrant, 'key');
  level ??= backStack().open(forgetLevel);
  controls.entered = quadrant;
}

export function leaveControls(): void {
  level?.close();
  forgetLevel();
}

/** A slider is held, or a menu is open: nothing hides until it is let go. */
export function holdControls(): void {
  isHeld = true;
}

export function releaseControls(): void {
  isHeld = false;
  if (controls.active !== null) countRest();
}

function countRest(): void {
  cancelHide();
  cancelHide = after(restMs, () => (isAnswerAwaited() ? countRest() : hideControls()));
}

function isAnswerAwaited(): boolean {
  return isHeld || (controls.active !== null && playerFacts[controls.active].isBlocked);
}

function forgetLevel(): void {
  level = null;
  controls.entered = null;
}

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

/** Where a quadrant is drawn, while the feed is on screen. */
export function sectionOf(quadrant: Quadrant): HTMLElement | null {
  return document.querySelector<HTMLElement>(`section[data-quadrant="${quadrant}"]`);
}
