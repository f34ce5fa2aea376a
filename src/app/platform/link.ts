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
