import { refreshKey } from './token-store.ts';

/** Tells when another tab of this browser has signed in or out, or renewed the tokens. Returns what stops it. */
export function onTokensChangedElsewhere(hear: () => void): () => void {
  // Without a key: all that the site keeps was removed.
  const onStorage = ({ key }: StorageEvent) => (key === refreshKey || key === null) && hear();
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
