import type { IDBPDatabase, IDBPObjectStore, StoreNames } from 'idb';
import { openDB, unwrap } from 'idb';
import type { DeviceSchema, Facts } from './device-schema.ts';
import { databaseVersion, migrate } from './device-schema.ts';
import { after } from './timers.ts';

export type Connection = IDBPDatabase<DeviceSchema>;

/**
 * The longest wait for the database. Another tab may hold an older version open, and some engines
 * never answer: until the database opens, memory replaces it.
 */
const openWithinMs = 3_000;

/**
 * The errors of calls on a lost connection: in Chromium and Firefox, in Safari, and of aborted
 * transactions.
 */
const lostConnection = ['InvalidStateError', 'UnknownError', 'AbortError'];

/**
 * The only database of this device, opened at first use. It closes for a newer version in another
 * tab, and is opened again after its connection was lost. When there is none (private windows,
 * blocked storage, a full disk, a newer version), each store keeps its contents in memory, until
 * the page is closed.
 */
export class DeviceDatabase {
  private readonly name: string;
  private opening: Promise<Connection | null> | null = null;
  private current: Connection | null = null;
  private readonly running = new Set<IDBTransaction>();
  private paused: Promise<void> = Promise.resolve();

  constructor(name = 'fourfold') {
    this.name = name;
  }

  /**
   * Aborts what is under way, and begins nothing more. Returns a function that does it all again and
   * goes on.
   */
  pause(): () => void {
    let resume = () => {};
    this.paused = new Promise((resolve) => {
      resume = resolve;
    });
    for (const transaction of this.running) abort(transaction);
    return resume;
  }

  /** Whether stored data outlives the page; the app tells the viewer when it does not. */
  async isLasting(): Promise<boolean> {
    return (await this.connect()) !== null;
  }

  /**
   * Runs `work` on the database, or `inMemory` when there is none. `work` awaits nothing else
   * inside a transaction, and runs a second time when its connection was lost meanwhile.
   * @throws what `work` throws, mostly because the disk is full
   */
  async run<Result>(
    work: (connection: Connection) => Promise<Result>,
    inMemory: () => Result | Promise<Result>,
    connect = () => this.connect(),
  ): Promise<Result> {
    await this.paused;
    const connection = await connect();
    if (!connection) return inMemory();
    try {
      return await work(connection);
    } catch (error) {
      if (!isLost(error)) throw error;
      this.close(connection);
      await this.paused;
      const again = await connect();
      return again ? work(again) : inMemory();
    }
  }

  /**
   * The same for data that has no place in memory: it waits until the database opens, or is known
   * not to. The caller has a limit of its own.
   */
  runStored<Result>(work: (connection: Connection) => Promise<Result>, none: () => Result): Promise<Result> {
    return this.run(work, none, () => this.open());
  }

  private connect(): Promise<Connection | null> {
    const opening = this.open();
    return new Promise((resolve) => {
      const cancelLimit = after(openWithinMs, () => resolve(null));
      void opening.then((connection) => {
        cancelLimit();
        resolve(connection);
      });
    });
  }

  private open(): Promise<Connection | null> {
    this.opening ??= this.openAnew();
    return this.opening;
  }

  private async openAnew(): Promise<Connection | null> {
    try {
      const connection: Connection = await openDB<DeviceSchema>(this.name, databaseVersion, {
        upgrade: migrate,
        blocking: () => this.close(connection),
        terminated: () => this.close(connection),
      });
      this.current = connection;
      collectTransactions(unwrap(connection), this.running);
      return connection;
    } catch {
      // Private, blocked, full or newer: this page uses memory from now on, and does not split its data.
      return null;
    }
  }

  /** Closes the connection; the next use opens a new one. */
  private close(connection: Connection): void {
    connection.close();
    if (this.current !== connection) return;
    this.current = null;
    this.opening = null;
  }
}

/** Changes one store in a single transaction. Resolves when it is committed. */
export async function changeStore<Name extends StoreNames<DeviceSchema>, Result>(
  connection: Connection,
  name: Name,
  work: (store: IDBPObjectStore<DeviceSchema, [Name], Name, 'readwrite'>) => Promise<Result>,
): Promise<Result> {
  const { store, done } = connection.transaction(name, 'readwrite');
  // An abort rejects both: awaited together, neither rejection is left unhandled.
  const [result] = await Promise.all([work(store), done]);
  return result;
}

/** Keeps the database's open transactions in `running`. */
function collectTransactions(database: IDBDatabase, running: Set<IDBTransaction>): void {
  const begin = database.transaction;
  database.transaction = (...request) => {
    const transaction = begin.apply(database, request);
    running.add(transaction);
    const end = () => running.delete(transaction);
    transaction.addEventListener('complete', end);
    transaction.addEventListener('abort', end);
    return transaction;
  };
}

function abort(transaction: IDBTransaction): void {
  try {
    transaction.abort();
  } catch {
    // It is being committed.
  }
}

function isLost(error: unknown): boolean {
  return error instanceof DOMException && lostConnection.includes(error.name);
}

export const deviceDatabase = new DeviceDatabase();

/**
 * Counts the unsent work of all users. It is small enough for the start; everything else is loaded
 * when it is needed.
 * @returns the number of small changes (`outbox/`), of batches of files (`uploads/`) that are not
 * over, and of videos that are saved (`saved/`)
 */
export function countWaiting(database = deviceDatabase): Promise<readonly number[]> {
  return database.run(
    (connection) =>
      Promise.all([
        connection.count('outbox'),
        // The states `over` and `receiving` come after `open` in alphabetical order, all others
        // before it.
        connection.countFromIndex('upload-batches', 'by-state', IDBKeyRange.upperBound('open')),
        connection.count('saved-videos'),
      ]),
    () => [],
  );
}

/** Single values that page and worker share. */
export class FactStore {
  private readonly database: DeviceDatabase;
  private readonly memory = new Map<keyof Facts, Facts[keyof Facts]>();

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  read<Name extends keyof Facts>(name: Name): Promise<Facts[Name] | undefined> {
    return this.database.run(
      async (connection) => (await connection.get('facts', name)) as Facts[Name] | undefined,
      () => this.memory.get(name) as Facts[Name] | undefined,
    );
  }

  /** Changes a value in one transaction: two tabs that change it at once agree. */
  update<Name extends keyof Facts>(
    name: Name,
    change: (known: Facts[Name] | undefined) => Facts[Name],
  ): Promise<Facts[Name]> {
    return this.database.run(
      (connection) => updateStored(connection, name, change),
      () => {
        const value = change(this.memory.get(name) as Facts[Name] | undefined);
        this.memory.set(name, value);
        return value;
      },
    );
  }
}

function updateStored<Name extends keyof Facts>(
  connection: Connection,
  name: Name,
  change: (known: Facts[Name] | undefined) => Facts[Name],
): Promise<Facts[Name]> {
  return changeStore(connection, 'facts', async (store) => {
    const value = change((await store.get(name)) as Facts[Name] | undefined);
    await store.put(value, name);
    return value;
  });
}

export const facts = new FactStore(deviceDatabase);
