import { isWeakDevice, savesData } from '#app/platform/capabilities.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { hasRoomToPrepare } from './device-budget.ts';
import { readLearned } from './learned-device.ts';

/** Below that the four on screen need all that the network gives. */
export const slowBelowKbps = quadrants.length * limits.lowBandwidthMbps * 1_000;

/**
 * How the next video is made ready: in an element of its own; only by its first bytes, where elements that idle out of
 * sight are suspended, cost another one its decoder, or take the network from those that play; or not at all, where the
 * viewer counts bytes.
 */
export function prepareMode(): 'element' | 'bytes' | 'nothing' {
  if (savesData()) return 'nothing';
  return isWeakDevice() || isSlow() || !hasRoomToPrepare() ? 'bytes' : 'element';
}

/** By what this visit has measured, or else an earlier one. */
function isSlow(): boolean {
  return (readLearned('kbps') ?? slowBelowKbps) < slowBelowKbps;
}
