import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';
import { mayBeOnline, networkLink } from '#app/platform/link.ts';

const key = 'fourfold.uploads-wifi-only';
/** Mbit/s: a slower link is thin. */
const thinMegabits = 1;
/** Links that cost nothing by the byte. */
const unmetered = ['wifi', 'ethernet', 'none'];

const readStored = () => {
  try {
    return localStore()?.getItem(key) === 'true';
  } catch {
    return false;
  }
};

/** A choice for this device. It has a store of its own, which the start does not load. */
export const uploadChoice = proxy({ isWifiOnly: readStored() });

export function setWifiOnly(isWifiOnly: boolean): void {
  uploadChoice.isWifiOnly = isWifiOnly;
  try {
    localStore()?.setItem(key, String(isWifiOnly));
  } catch {
    // Storage is full or blocked: it lasts as long as the page.
  }
}

/** Whether the browser says what kind of link there is: elsewhere the choice is not offered. */
export function isLinkKnown(): boolean {
  const type = networkLink()?.type;
  return type !== undefined && type !== 'unknown';
}

/** How files may be sent now. */
export function readLink(): { isOnline: boolean; isThin: boolean; isAllowed: boolean } {
  const { type, saveData, downlink = Number.POSITIVE_INFINITY } = networkLink() ?? {};
  const isMetered = type !== undefined && isLinkKnown() && !unmetered.includes(type);
  return {
    isOnline: mayBeOnline(),
    isThin: saveData === true || type === 'cellular' || downlink < thinMegabits,
    isAllowed: !(uploadChoice.isWifiOnly && isMetered),
  };
}
