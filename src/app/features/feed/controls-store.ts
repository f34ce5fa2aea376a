import { proxy } from 'valtio/vanilla';
import { after } from '#app/platform/timers.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';

interface ControlsState {
  /** The quadrant whose controls are on screen. */
  awake: Quadrant | null;
}

export const controls = proxy<ControlsState>({ awake: null });

let cancelHide = () => {};

/** Shows one quadrant's controls, and the others' no more, until nothing was touched for a while. */
export function wake(quadrant: Quadrant, by: 'pointer' | 'key'): void {
  cancelHide();
  cancelHide = after(by === 'key' ? limits.controlsHideByKeyMs : limits.controlsHideMs, sleep);
  controls.awake = quadrant;
}

export function sleep(): void {
  cancelHide();
  controls.awake = null;
}

/** A tap on the empty picture. */
export function toggle(quadrant: Quadrant): void {
  if (controls.awake === quadrant) sleep();
  else wake(quadrant, 'pointer');
}
