import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { createSignal } from '#app/platform/signal.ts';
import { limits } from '#contract/limits.ts';

const key = 'fourfold.reel-megabytes';

/** The sizes of the rolling reel that a viewer may choose, in megabytes; 0: it keeps nothing. */
export const reelSizes: readonly number[] = [0, limits.recentReelMegabytes, 1_000];

interface SavedNotice {
  /** How many of the viewer's videos play from this device; null until it is known. */
  playable: number | null;
  /** False where this browser was found to keep nothing. */
  isPossible: boolean;
  /** The room that the rolling reel may take, in megabytes. */
  reelMegabytes: number;
  /** Whether videos that were watched are kept by themselves. */
  readonly isReelOn: boolean;
}

/**
 * The facts that the start needs of saved videos. They have a file of their own, so that it does
 * not load the rest.
 */
export const savedNotice = proxy<SavedNotice>({
  playable: null,
  isPossible: true,
  reelMegabytes: readReelMegabytes(),
  get isReelOn() {
    return this.isPossible && this.reelMegabytes > 0;
  },
});

/** Object URLs of saved videos that are over: nothing may play them any more. */
export const savedUrlsEnded = createSignal<readonly string[]>();

/** @param megabytes one of `reelSizes` */
export function chooseReelSize(megabytes: number): void {
  savedNotice.reelMegabytes = megabytes;
  try {
    localStore()?.setItem(key, String(megabytes));
  } catch {
    // Storage is full or blocked: the choice lasts as long as the page.
  }
}

function readReelMegabytes(): number {
  try {
    const stored = Number(localStore()?.getItem(key) ?? Number.NaN);
    return reelSizes.includes(stored) ? stored : limits.recentReelMegabytes;
  } catch {
    return limits.recentReelMegabytes;
  }
}
