import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { mayBeOnline, networkLink } from '#app/platform/link.ts';
import { limits } from '#contract/limits.ts';

/** The transfers that move many bytes: files that are sent, and videos that are saved. */
type Transfer = 'uploads' | 'saving';

/** Mbit/s below which a link counts as thin. */
const thinMegabits = 1;
/** Link types that are not metered. */
const unmetered = ['wifi', 'ethernet', 'none'];

const keyOf = (transfer: Transfer) => `fourfold.${transfer}-wifi-only`;

const readStored = (transfer: Transfer, usual: boolean) => {
  try {
    return (localStore()?.getItem(keyOf(transfer)) ?? String(usual)) === 'true';
  } catch {
    return usual;
  }
};

/**
 * The user's choices for this device: which transfers wait for a link that is not metered. They
 * have a store of their own, which the start does not load.
 */
export const linkChoice = proxy<Record<Transfer, boolean>>({
  uploads: readStored('uploads', false),
  saving: readStored('saving', true),
});

export function setWifiOnly(transfer: Transfer, isWifiOnly: boolean): void {
  linkChoice[transfer] = isWifiOnly;
  store(keyOf(transfer), String(isWifiOnly));
}

function store(key: string, value: string): void {
  try {
    localStore()?.setItem(key, value);
  } catch {
    // Storage is full or blocked: the choice lasts as long as the page.
  }
}

const reelKey = 'fourfold.reel-megabytes';

/** The sizes of the rolling reel that a viewer may choose, in megabytes; 0: it keeps nothing. */
export const reelSizes: readonly number[] = [0, limits.recentReelMegabytes, 1_000];

interface ReelChoice {
  /** The room that the rolling reel may take, in megabytes. */
  megabytes: number;
  /** False where this browser was found to keep nothing. */
  isPossible: boolean;
  /** Whether videos that were watched are kept by themselves. */
  readonly isOn: boolean;
}

/** The user's choice of what this device keeps of watched videos. */
export const reelChoice = proxy<ReelChoice>({
  megabytes: readReelMegabytes(),
  isPossible: true,
  get isOn() {
    return this.isPossible && this.megabytes > 0;
  },
});

/** @param megabytes one of `reelSizes` */
export function chooseReelSize(megabytes: number): void {
  reelChoice.megabytes = megabytes;
  store(reelKey, String(megabytes));
}

function readReelMegabytes(): number {
  try {
    const stored = Number(localStore()?.getItem(reelKey) ?? Number.NaN);
    return reelSizes.includes(stored) ? stored : limits.recentReelMegabytes;
  } catch {
    return limits.recentReelMegabytes;
  }
}

/** Whether the browser reports the type of the link: elsewhere the choice is not offered. */
export function isLinkKnown(): boolean {
  const type = networkLink()?.type;
  return type !== undefined && type !== 'unknown';
}

/** Whether bytes cost money on the current link, as far as the browser says. */
export function isLinkMetered(): boolean {
  const type = networkLink()?.type;
  return type !== undefined && isLinkKnown() && !unmetered.includes(type);
}

/** Whether and how bytes may be moved over the current link. */
export function readLink(transfer: Transfer): { isOnline: boolean; isThin: boolean; isAllowed: boolean } {
  const { type, saveData, downlink = Number.POSITIVE_INFINITY } = networkLink() ?? {};
  return {
    isOnline: mayBeOnline(),
    isThin: saveData === true || type === 'cellular' || downlink < thinMegabits,
    isAllowed: !(linkChoice[transfer] && isLinkMetered()),
  };
}
