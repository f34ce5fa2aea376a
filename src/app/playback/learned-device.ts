import { localStore, userAgent } from '#app/platform/capabilities.ts';
import { now } from '#device/timers.ts';

/**
 * A value found during one visit and stored for the next. `decoders`: how many videos the device
 * could show at once when it last refused one; `kbps`: network throughput of the whole page, in
 * kilobits per second; `opens`: when a venue that is closed opens, in epoch milliseconds.
 */
type LearnedFact = 'decoders' | 'kbps' | 'opens';

const keptMs = 7 * 24 * 60 * 60 * 1000;

/**
 * Returns null when the value is missing, older than a week, or of another version of the browser.
 */
export function readLearned(fact: LearnedFact): number | null {
  try {
    const { [fact]: value, at, browser } = JSON.parse(localStore()?.getItem(keyOf(fact)) ?? 'null') ?? {};
    const isOwn = Math.abs(now() - at) < keptMs && browser === userAgent();
    const isKnown = Number.isInteger(value) && value > 0 && isOwn;
    return isKnown ? value : null;
  } catch {
    return null;
  }
}

/** Storage errors are ignored: the value is measured again. @param value a whole number */
export function storeLearned(fact: LearnedFact, value: number): void {
  try {
    localStore()?.setItem(keyOf(fact), JSON.stringify({ [fact]: value, at: now(), browser: userAgent() }));
  } catch {
    return;
  }
}

export function forgetLearned(fact: LearnedFact): void {
  try {
    localStore()?.removeItem(keyOf(fact));
  } catch {
    return;
  }
}

/** Whether this device is a venue that has closed and is to open later. */
export function isVenueClosed(): boolean {
  return (readLearned('opens') ?? 0) > now();
}

function keyOf(fact: LearnedFact): string {
  return `fourfold.${fact}`;
}
