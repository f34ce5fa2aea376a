import type { Tokens } from '#contract/entities/account.ts';
import { localStore, sessionStore } from '../capabilities.ts';

const accessKey = 'fourfold.access-token';
/** Other tabs observe this key: it is written after the access token. */
export const refreshKey = 'fourfold.refresh-token';

/**
 * The name of the channel for a provider's window that lost its opener, and the key in session
 * storage for a sign-in at a provider without a window.
 */
export const signInChannel = 'fourfold.sign-in';

/** Printable ASCII without spaces: anything else would be an invalid header value. */
const tokenShape = /^[\x21-\x7e]{1,8192}$/;

/** The tokens while storage is blocked or full: they then last as long as the page. */
const inMemory = new Map<string, string>();

export function accessToken(): string | null {
  return read(accessKey);
}

export function refreshToken(): string | null {
  return read(refreshKey);
}

export function storeTokens(tokens: Tokens): void {
  write(accessKey, tokens.access_token);
  write(refreshKey, tokens.refresh_token);
}

/** The result of a sign-in at a provider without a window, as JSON; null when there is none. */
export function storedSignIn(): string | null {
  return withStorage((store) => store.getItem(signInChannel), sessionStore()) ?? null;
}

export function clearTokens(): void {
  for (const key of [accessKey, refreshKey]) {
    inMemory.delete(key);
    withStorage((store) => store.removeItem(key));
  }
}

function read(key: string): string | null {
  const value = inMemory.get(key) ?? withStorage((store) => store.getItem(key)) ?? null;
  return value !== null && tokenShape.test(value) ? value : null;
}

function write(key: string, value: string): void {
  inMemory.delete(key);
  const isStored = withStorage((store) => {
    store.setItem(key, value);
    return true;
  });
  if (isStored) return;
  inMemory.set(key, value);
}

/** Uses the storage; undefined when it throws, because it is full, blocked or private. */
function withStorage<Result>(use: (store: Storage) => Result, store = localStore()): Result | undefined {
  if (!store) return undefined;
  try {
    return use(store);
  } catch {
    return undefined;
  }
}

let mark: string | null = null;

/**
 * The mark under which this viewer's lists are cached on the device; null until the viewer is
 * known.
 */
export function viewerMark(): string | null {
  return mark;
}

export function setViewerMark(next: string | null): void {
  mark = next;
}
