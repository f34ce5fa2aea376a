import { proxy } from 'valtio/vanilla';
import type { BackLayer } from '#app/platform/input/back-stack.ts';
import { backStack } from '#app/platform/input/back-stack.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { isCovered } from '#app/state/navigation.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import { feed } from '../feed-state.ts';

interface ControlsState {
  /** The quadrant whose controls are on screen. */
  active: Quadrant | null;
  /** The quadrant whose controls have the focus: keys move among them until Back leaves them. */
  entered: Quadrant | null;
  /** The last active quadrant, which gets the focus when the viewer returns to the feed. */
  last: Quadrant | null;
  /**
   * All controls are rendered, hidden or not: after the first frames, or once the first controls
   * are shown.
   */
  areDue: boolean;
}

export const controls = proxy<ControlsState>({ active: null, entered: null, last: null, areDue: false });

let restMs: number = limits.controlsHideMs;
let isHeld = false;
let level: BackLayer | null = null;
let cancelHide = () => {};

/**
 * Shows one quadrant's controls and hides the others', until the viewer has been idle for a while.
 */
export function showControls(quadrant: Quadrant, by: 'pointer' | 'key'): void {
  restMs = by === 'key' ? limits.controlsHideByKeyMs : limits.controlsHideMs;
  if (by === 'pointer' || controls.entered !== quadrant) leaveControls();
  Object.assign(controls, { active: quadrant, last: quadrant, areDue: true });
  countRest();
}

/** Renders the hidden controls, so that the first key or touch does not wait for it. */
export function drawControls(): void {
  controls.areDue = true;
}

/**
 * Shows the controls because the quadrant received the focus: by a key, by a pointer, or from a
 * closed menu. Entered controls stay entered.
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

/** Handles a tap on the video. */
export function toggleControls(quadrant: Quadrant): void {
  if (controls.active === quadrant) hideControls();
  else showControls(quadrant, 'pointer');
}

/** Handles OK on a quadrant: from then on keys move among its controls. */
export function enterControls(quadrant: Quadrant): void {
  showControls(quadrant, 'key');
  level ??= backStack().open(forgetLevel);
  controls.entered = quadrant;
}

/** Ends the level of the controls. Layers that opened above it stay open. */
export function leaveControls(): void {
  level?.withdraw();
  forgetLevel();
}

/** Keeps the controls visible while a slider is held or a menu is open. */
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
  return isHeld || isCovered() || (controls.active !== null && playerFacts[controls.active].isBlocked);
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

/** Opens the menu of a quadrant, or its filter. Back closes it. */
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

/** The quadrant's element; null while the feed is not on screen. */
export function sectionOf(quadrant: Quadrant): HTMLElement | null {
  return document.querySelector<HTMLElement>(`section[data-quadrant="${quadrant}"]`);
}
