import { isWeakDevice, savesData } from '#app/platform/capabilities.ts';
import { hasRoomToPrepare } from './device-budget.ts';

/**
 * How the next video is made ready: in an element of its own; only by its first bytes, where elements that idle out of
 * sight are suspended or cost another one its decoder; or not at all, where the viewer counts bytes.
 */
export function prepareMode(): 'element' | 'bytes' | 'nothing' {
  if (savesData()) return 'nothing';
  return isWeakDevice() || !hasRoomToPrepare() ? 'bytes' : 'element';
}
