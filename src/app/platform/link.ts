import { createSignal } from './signal.ts';

/**
 * The Network Information API of Chromium; `type` only on devices that report it (Android,
 * ChromeOS).
 */
interface NetworkLink extends EventTarget {
  readonly type?: string;
  readonly saveData?: boolean;
  /** The estimated Mbit/s. */
  readonly downlink?: number;
}

/** The network link, as far as the browser reports it; else undefined. */
export function networkLink(): NetworkLink | undefined {
  return (navigator as { connection?: NetworkLink }).connection;
}

/** False when there is certainly no network. */
export function mayBeOnline(): boolean {
  return navigator.onLine !== false;
}

/** Calls back when the link has changed, was lost or is back. Returns a function that stops it. */
export function onLinkChange(listener: () => void): () => void {
  const link = networkLink();
  window.addEventListener('online', listener);
  window.addEventListener('offline', listener);
  link?.addEventListener?.('change', listener);
  return () => {
    window.removeEventListener('online', listener);
    window.removeEventListener('offline', listener);
    link?.removeEventListener?.('change', listener);
  };
}

/**
 * Raised when the server may answer again: the browser came online, a revision changed, a poll of
 * the status or a probe was answered. Waits for a retry end, and overdue requests are sent again.
 */
export const recovered = createSignal();

/**
 * Seconds between two probes of the server; each is multiplied by a random factor from a half to
 * two.
 */
const waitSeconds = [1, 2, 4, 8, 30];

/**
 * Milliseconds until the next probe. Half a minute after a thousand clients have lost the server at
 * the same moment, they probe it less than 50 times a second in total.
 * @param failures probes without an answer so far, from 0
 * @param chance 0 to 1, at random
 */
export function reconnectWaitMs(failures: number, chance: number): number {
  const seconds = waitSeconds[Math.min(failures, waitSeconds.length - 1)] as number;
  return seconds * 1000 * (0.5 + chance * 1.5);
}
