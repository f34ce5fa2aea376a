import * as fake from 'fake-indexeddb';
import { vi } from 'vitest';

const { IDBFactory, forceCloseDatabase: _, ...others } = fake;

/**
 * Gives Node an empty IndexedDB, in memory. `vi.unstubAllGlobals()` takes it away. A fake clock must leave
 * `setImmediate` alone: the requests run by it.
 */
export function fakeIndexedDb(): void {
  for (const [name, value] of Object.entries({ ...others, IDBFactory })) vi.stubGlobal(name, value);
  vi.stubGlobal('indexedDB', new IDBFactory());
}

/** What of the clock may be faked while IndexedDB runs. */
export const clockParts = ['Date', 'setTimeout', 'clearTimeout'] as const;

/** The browser ends a connection by itself, as after a crash of its storage. */
export function loseConnection(database: IDBDatabase): void {
  // Its own type says the class, and means one of its objects.
  fake.forceCloseDatabase(database as never);
}
