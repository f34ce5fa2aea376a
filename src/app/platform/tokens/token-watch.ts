import { refreshKey } from './token-store.ts';

/** Calls when another tab of this browser has signed in or out, or refreshed the tokens. Returns what stops it. */
export function onTokensChangedElsewhere(listener: () => void): () => void {
  // A null key: the site's storage was cleared.
  const onStorage = ({ key }: StorageEvent) => (key === refreshKey || key === null) && listener();
  window.addEventListener('storage', onStorage);
  return () => window.removeEventListener('storage', onStorage);
}
