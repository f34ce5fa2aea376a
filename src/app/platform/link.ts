/** Network Information API: Chromium alone; `type` only where the device says so (Android, ChromeOS). */
interface NetworkLink extends EventTarget {
  readonly type?: string;
  readonly saveData?: boolean;
  /** Mbit/s, as estimated. */
  readonly downlink?: number;
}

/** What is known of the link to the network; undefined: nothing. */
export function networkLink(): NetworkLink | undefined {
  return (navigator as { connection?: NetworkLink }).connection;
}

/** False: there is no network for sure. */
export function mayBeOnline(): boolean {
  return navigator.onLine !== false;
}

/** Calls when the link has changed, has ended or is there again. Returns what stops it. */
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
