import { localStore } from '#app/platform/capabilities.ts';
import { now } from '#app/platform/timers.ts';

/**
 * What a visit finds out for the next one: `decoders` is how many videos the device could show at once when it last
 * refused one, `kbps` what its network gave the whole page, in kilobits per second.
 */
type LearnedFact = 'decoders' | 'kbps';

const keptMs = 7 * 24 * 60 * 60 * 1000;

/** Null when nothing was learned in a week. */
export function readLearned(fact: LearnedFact): number | null {
  try {
    const { [fact]: value, at } = JSON.parse(localStore()?.getItem(keyOf(fact)) ?? 'null') ?? {};
    const isKnown = Number.isInteger(value) && value > 0 && Math.abs(now() - at) < keptMs;
    return isKnown ? value : null;
  } catch {
    return null;
  }
}

/** What cannot be stored is learned again. @param value a whole number */
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
