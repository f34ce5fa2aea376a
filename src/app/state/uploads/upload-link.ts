import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { mayBeOnline, networkLink } from '#app/platform/link.ts';

const key = 'fourfold.uploads-wifi-only';
/** Mbit/s below which a link counts as thin. */
const thinMegabits = 1;
/** Link types that are not metered. */
const unmetered = ['wifi', 'ethernet', 'none'];

const readStored = () => {
  try {
    return localStore()?.getItem(key) === 'true';
  } catch {
    return false;
  }
};

/** The user's choice for this device. It has a store of its own, which the start does not load. */
export const uploadChoice = proxy({ isWifiOnly: readStored() });

export function setWifiOnly(isWifiOnly: boolean): void {
  uploadChoice.isWifiOnly = isWifiOnly;
  try {
    localStore()?.setItem(key, String(isWifiOnly));
  } catch {
    // Storage is full or blocked: the choice lasts as long as the page.
  }
}

/** Whether the browser reports the type of the link: elsewhere the choice is not offered. */
export function isLinkKnown(): boolean {
  const type = networkLink()?.type;
  return type !== undefined && type !== 'unknown';
}

/** Whether and how files may be sent over the current link. */
export function readLink(): { isOnline: boolean; isThin: boolean; isAllowed: boolean } {
  const { type, saveData, downlink = Number.POSITIVE_INFINITY } = networkLink() ?? {};
  const isMetered = type !== undefined && isLinkKnown() && !unmetered.includes(type);
  return {
    isOnline: mayBeOnline(),
    isThin: saveData === true || type === 'cellular' || downlink < thinMegabits,
    isAllowed: !(uploadChoice.isWifiOnly && isMetered),
  };
}
