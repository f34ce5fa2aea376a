import * as fake from 'fake-indexeddb';
import { openDB } from 'idb';
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

/**
 * Holds a store in a transaction that does not end, as WebKit does for a page that was left: whoever asks for the store
 * gets no answer.
 * @returns what ends it
 */
export async function holdStore(name: string): Promise<() => void> {
  const connection = await openDB('fourfold');
  const { store } = connection.transaction(name, 'readwrite');
  let isHeld = true;
  const hold = async () => {
    while (isHeld) await store.count();
    connection.close();
  };
  void hold();
  return () => {
    isHeld = false;
  };
}

/** Until the requests that are under way are answered: each takes a few turns of the loop. */
export async function runDatabase(turns = 20): Promise<void> {
  for (let turn = 0; turn < turns; turn += 1) await nextTurn();
}

function nextTurn(): Promise<void> {
  const { port1, port2 } = new MessageChannel();
  return new Promise((resolve) => {
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(null);
  });
}
