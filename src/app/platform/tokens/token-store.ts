import type { Tokens } from '#contract/entities/people/account.ts';
import { localStore } from '../capabilities.ts';

const accessKey = 'fourfold.access-token';
/** Other tabs watch this key: it is written after the access token. */
export const refreshKey = 'fourfold.refresh-token';

/** Printable ASCII without spaces: anything else would be an invalid header value. */
const tokenShape = /^[\x21-\x7e]{1,8192}$/;

/** Used where storage is blocked or full: the tokens then last as long as the page. */
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

/** Storage throws when it is full, blocked or private; undefined then. */
function withStorage<Result>(use: (store: Storage) => Result): Result | undefined {
  const store = localStore();
  if (!store) return undefined;
  try {
    return use(store);
  } catch {
    return undefined;
  }
}
