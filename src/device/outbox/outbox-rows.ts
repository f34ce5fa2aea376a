import type { IDBPObjectStore } from 'idb';
import type { DeviceSchema } from '../database/schema.ts';
import type { OutboxEntry } from './outbox-entry.ts';

/** The entries within one change, in the database or in memory. */
export interface OutboxRows {
  all(): Promise<OutboxEntry[]>;
  /** In the order of their numbers. */
  ofUser(userId: string): Promise<OutboxEntry[]>;
  /** The first that fits. */
  find(userId: string, fits: (entry: OutboxEntry) => boolean): Promise<OutboxEntry | null>;
  get(number: number): Promise<OutboxEntry | undefined>;
  add(entry: Omit<OutboxEntry, 'number'>): Promise<number>;
  put(entry: OutboxEntry): Promise<unknown>;
  delete(number: number): Promise<void>;
}

type Store = IDBPObjectStore<DeviceSchema, ['outbox'], 'outbox', 'readwrite'>;

export function rowsIn(store: Store): OutboxRows {
  return {
    all: async () => (await store.getAll()) as OutboxEntry[],
    ofUser: async (userId) => (await store.index('by-user').getAll(rangeOf(userId))) as OutboxEntry[],
    find: async (userId, fits) => {
      let cursor = await store.index('by-user').openCursor(rangeOf(userId));
      while (cursor && !fits(cursor.value as OutboxEntry)) cursor = await cursor.continue();
      return (cursor?.value ?? null) as OutboxEntry | null;
    },
    get: async (number) => (await store.get(number)) as OutboxEntry | undefined,
    add: (entry) => store.add(entry),
    put: (entry) => store.put(entry),
    delete: (number) => store.delete(number),
  };
}

/** All entries of a user, whatever their numbers: an array comes after every number. */
function rangeOf(userId: string): IDBKeyRange {
  return IDBKeyRange.bound([userId], [userId, []]);
}

/** For as long as the page lives. */
export class RowsInMemory implements OutboxRows {
  private readonly entries = new Map<number, OutboxEntry>();
  private lastNumber = 0;

  async all(): Promise<OutboxEntry[]> {
    return [...this.entries.values()];
  }

  async ofUser(userId: string): Promise<OutboxEntry[]> {
    return (await this.all()).filter((entry) => entry.userId === userId);
  }

  async find(userId: string, fits: (entry: OutboxEntry) => boolean): Promise<OutboxEntry | null> {
    return (await this.ofUser(userId)).find(fits) ?? null;
  }

  async get(number: number): Promise<OutboxEntry | undefined> {
    return this.entries.get(number);
  }

  async add(entry: Omit<OutboxEntry, 'number'>): Promise<number> {
    this.lastNumber += 1;
    await this.put({ ...entry, number: this.lastNumber });
    return this.lastNumber;
  }

  async put(entry: OutboxEntry): Promise<void> {
    this.entries.set(entry.number, entry);
  }

  async delete(number: number): Promise<void> {
    this.entries.delete(number);
  }
}
