import { localStore } from '#app/platform/capabilities.ts';
import { now } from '#device/timers.ts';

/**
 * A value measured during one visit and stored for the next. `decoders`: how many videos the device
 * could show at once when it last refused one; `kbps`: network throughput of the whole page, in
 * kilobits per second.
 */
type LearnedFact = 'decoders' | 'kbps';

const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Returns null when the value is missing or older than a week. */
export function readLearned(fact: LearnedFact): number | null {
  try {
    const { [fact]: value, at } = JSON.parse(localStore()?.getItem(keyOf(fact)) ?? 'null') ?? {};
    const isKnown = Number.isInteger(value) && value > 0 && Math.abs(now() - at) < keptMs;
    return isKnown ? value : null;
  } catch {
    return null;
  }
}

/** Storage errors are ignored: the value is measured again. @param value a whole number */
export function storeLearned(fact: LearnedFact, value: number): void {
  try {
    localStore()?.setItem(keyOf(fact), JSON.stringify({ [fact]: value, at: now() }));
  } catch {
    return;
  }
}

function keyOf(fact: LearnedFact): string {
  return `fourfold.${fact}`;
}
