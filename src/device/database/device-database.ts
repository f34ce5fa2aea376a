import type { IDBPDatabase, IDBPObjectStore, StoreNames } from 'idb';
import { openDB } from 'idb';
import { after } from '../timers.ts';
import { databaseVersion, migrate } from './migrate.ts';
import type { DeviceSchema } from './schema.ts';

export type Connection = IDBPDatabase<DeviceSchema>;

/**
 * Another tab may hold an older version open, and some engines never answer at all: until the database opens, memory
 * stands in for it.
 */
const openWithinMs = 3_000;

/** What calls on a connection that was lost fail with: Chromium and Firefox, Safari, and transactions that it cut. */
const lostConnection = ['InvalidStateError', 'UnknownError', 'AbortError'];

/**
 * The one database of this device, opened at its first use. It gives way to a newer version in another tab, and is
 * opened again after it was lost. Where there is none (private windows, blocked storage, a full disk, a newer version),
 * each store has its contents in memory, which ends with the page.
 */
export class DeviceDatabase {
  private readonly name: string;
  private opening: Promise<Connection | null> | null = null;
  private current: Connection | null = null;

  constructor(name = 'fourfold') {
    this.name = name;
  }

  /** Whether what is stored outlives the page: where it does not, the app can say so. */
  async isLasting(): Promise<boolean> {
    return (await this.connect()) !== null;
  }

  /**
   * Does its work on the database, or in memory where there is none. `work` awaits nothing else inside a transaction,
   * and runs a second time when its connection was lost meanwhile.
   * @throws what `work` throws: above all, that the disk is full
   */
  async run<Result>(
    work: (connection: Connection) => Promise<Result>,
    inMemory: () => Result | Promise<Result>,
  ): Promise<Result> {
    const connection = await this.connect();
    if (!connection) return inMemory();
    try {
      return await work(connection);
    } catch (error) {
      if (!isLost(error)) throw error;
      this.close(connection);
      const again = await this.connect();
      return again ? work(again) : inMemory();
    }
  }

  private connect(): Promise<Connection | null> {
    this.opening ??= this.open();
    const { opening } = this;
    return new Promise((resolve) => {
      const cancelLimit = after(openWithinMs, () => resolve(null));
      void opening.then((connection) => {
        cancelLimit();
        resolve(connection);
      });
    });
  }

  private async open(): Promise<Connection | null> {
    try {
      const connection: Connection = await openDB<DeviceSchema>(this.name, databaseVersion, {
        upgrade: migrate,
        blocking: () => this.close(connection),
        terminated: () => this.close(connection),
      });
      this.current = connection;
      return connection;
    } catch {
      // Private, blocked, full or newer: memory for as long as this page lives, so that nothing is split over both.
      return null;
    }
  }

  /** The next use opens another one. */
  private close(connection: Connection): void {
    connection.close();
    if (this.current !== connection) return;
    this.current = null;
    this.opening = null;
  }
}

/** Changes one store in one transaction. Resolves once it is committed. */
export async function changeStore<Name extends StoreNames<DeviceSchema>, Result>(
  connection: Connection,
  name: Name,
  work: (store: IDBPObjectStore<DeviceSchema, [Name], Name, 'readwrite'>) => Promise<Result>,
): Promise<Result> {
  const { store, done } = connection.transaction(name, 'readwrite');
  // Together: an abort rejects both, and none of them may be left unhandled.
  const [result] = await Promise.all([work(store), done]);
  return result;
}

function isLost(error: unknown): boolean {
  return error instanceof DOMException && lostConnection.includes(error.name);
}

export const deviceDatabase = new DeviceDatabase();
