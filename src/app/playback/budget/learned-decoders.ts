import { localStore } from '#app/platform/capabilities.ts';
import { now } from '#app/platform/timers.ts';

const key = 'fourfold.decoders';
const keptMs = 7 * 24 * 60 * 60 * 1000;

/** How many videos this device could show at once when it last refused one; null when it has refused none in a week. */
export function readLearnedDecoders(): number | null {
  try {
    const { decoders, at } = JSON.parse(localStore()?.getItem(key) ?? 'null') ?? {};
    const isKnown = Number.isInteger(decoders) && decoders > 0 && Math.abs(now() - at) < keptMs;
    return isKnown ? decoders : null;
  } catch {
    return null;
  }
}

/** What cannot be stored is learned again. */
export function storeLearnedDecoders(decoders: number): void {
  try {
    localStore()?.setItem(key, JSON.stringify({ decoders, at: now() }));
  } catch {
    return;
  }
}
