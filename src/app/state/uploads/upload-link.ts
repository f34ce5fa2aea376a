import { proxy } from 'valtio/vanilla';
import { localStore } from '#app/platform/capabilities.ts';

/** Network Information API: Chromium alone; `type` only where the device says so (Android, ChromeOS). */
interface Link extends EventTarget {
  readonly type?: string;
  readonly saveData?: boolean;
  /** Mbit/s, as estimated. */
  readonly downlink?: number;
}

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
  const type = link()?.type;
  return type !== undefined && type !== 'unknown';
}

/** How files may be sent now. */
export function readLink(): { isOnline: boolean; isThin: boolean; isAllowed: boolean } {
  const { type, saveData, downlink = Number.POSITIVE_INFINITY } = link() ?? {};
  const isMetered = type !== undefined && isLinkKnown() && !unmetered.includes(type);
  return {
    isOnline: navigator.onLine !== false,
    isThin: saveData === true || type === 'cellular' || downlink < thinMegabits,
    isAllowed: !(uploadChoice.isWifiOnly && isMetered),
  };
}

/** Calls when one of these may have changed. Returns what stops it. */
export function onLinkChange(listener: () => void): () => void {
  const connection = link();
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  connection?.addEventListener?.('change', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
    connection?.removeEventListener?.('change', listener);
  };
}

function link(): Link | undefined {
  return (navigator as { connection?: Link }).connection;
}
