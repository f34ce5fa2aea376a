import type { DBSchema, IDBPDatabase, IDBPObjectStore, StoreNames } from 'idb';
import { openDB } from 'idb';
import type { OutboxEntry } from './outbox-entry.ts';
import type { KeptFilter, SavedVideo } from './saved/saved-video.ts';
import { after } from './timers.ts';
import type { QueuedUpload, UploadBatch } from './uploads/queued-upload.ts';

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

  constructor(name = 'fourfold') {
    this.name = name;
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

export const databaseVersion = 3;

/** Upgrades the database from any earlier version (0: there was none) to this one. */
function migrate(database: IDBPDatabase<DeviceSchema>, oldVersion: number): void {
  if (oldVersion < 1) createStores(database);
  // Version 1 had a store of this name, which was never written to.
  if (oldVersion === 1) database.deleteObjectStore('uploads');
  if (oldVersion < 2) createUploads(database);
  if (oldVersion < 3) createSaved(database);
}

function createStores(database: IDBPDatabase<DeviceSchema>): void {
  database.createObjectStore('cached-answers', { keyPath: ['mark', 'query'] }).createIndex('by-use', 'usedAt');
  database
    .createObjectStore('outbox', { keyPath: 'number', autoIncrement: true })
    .createIndex('by-user', ['userId', 'number']);
  database.createObjectStore('upload-pieces', { keyPath: ['ownerId', 'index'] });
  database.createObjectStore('facts');
}

function createUploads(database: IDBPDatabase<DeviceSchema>): void {
  database.createObjectStore('upload-batches', { keyPath: 'id' }).createIndex('by-state', 'state');
  database.createObjectStore('uploads', { keyPath: 'id' }).createIndex('by-batch', ['batchId', 'position']);
}

const savedStores = ['saved-videos', 'saved-pieces'] as const;

/** Earlier versions had stores of these names, which were never written to. */
function createSaved(database: IDBPDatabase<DeviceSchema>): void {
  for (const name of savedStores) if (database.objectStoreNames.contains(name)) database.deleteObjectStore(name);
  database.createObjectStore('saved-videos', { keyPath: 'id' }).createIndex('by-viewer', 'userId');
  database.createObjectStore('saved-pieces', { keyPath: ['ownerId', 'index'] });
}

/*
 * The data that this device stores beyond a few settings, for page and worker. Instants are epoch
 * milliseconds, sizes bytes. Personal data carries the user's id: it is neither read nor sent for
 * anyone else.
 */

/** A call of a list, with its answer as the server sent it. */
export interface CachedAnswer {
  /** A random mark of the viewer (`claimMark`). */
  mark: string;
  /** The call's address with its parameters in a fixed order (`toCacheKey`). */
  query: string;
  /** JSON. */
  body: string;
  storedAt: number;
  usedAt: number;
}

/** One piece of a file to upload: single records of more than about 100 MiB fail in several engines. */
export interface Piece {
  /** The upload's id. */
  ownerId: string;
  /** The position of the piece, counted from 0 without gaps. */
  index: number;
  bytes: ArrayBuffer;
}

/** One piece of a saved video. Blobs are kept outside of the script's memory, buffers are not. */
interface SavedPiece {
  /** The saved video's id. */
  ownerId: string;
  index: number;
  piece: Blob;
}

/** A claim on an exclusive task. `holder` is a page's random id. */
export interface TabLease {
  holder: string;
  until: number;
}

/** A video that came to the screen. A `userId` of null is an anonymous viewer. */
export interface ShownVideo {
  userId: string | null;
  id: string;
}

/** Single values of this device, each under its name. */
export interface Facts {
  /** The viewer whose answers are cached. A `userId` of null is an anonymous viewer. */
  viewer: { mark: string; userId: string | null };
  /** The page that sends the outbox in engines without Web Locks, and the end of its turn. */
  'outbox-lease': TabLease;
  /** The same for uploads. */
  'uploads-lease': TabLease;
  /** The same for videos that are saved. */
  'saved-lease': TabLease;
  /** The channels and filters that are kept: new videos follow. */
  'kept-filters': KeptFilter[];
  /** The videos that the server has not been told of yet, in the order in which they were shown. */
  'untold-videos': ShownVideo[];
  /** The last videos that this device has shown somebody, oldest first. */
  'shown-videos': { userId: string | null; ids: string[] };
  /** The latest time that this device has seen: a clock that is set back lengthens no right. */
  'latest-time': number;
}

/** An entry before the database has numbered it. */
type StoredEntry = Omit<OutboxEntry, 'number'> & Partial<Pick<OutboxEntry, 'number'>>;

export interface DeviceSchema extends DBSchema {
  'cached-answers': { key: [mark: string, query: string]; value: CachedAnswer; indexes: { 'by-use': number } };
  outbox: { key: number; value: StoredEntry; indexes: { 'by-user': [userId: string, number: number] } };
  'upload-batches': { key: string; value: UploadBatch; indexes: { 'by-state': UploadBatch['state'] } };
  uploads: { key: string; value: QueuedUpload; indexes: { 'by-batch': [batchId: string, position: number] } };
  'upload-pieces': { key: [ownerId: string, index: number]; value: Piece };
  'saved-videos': { key: string; value: SavedVideo; indexes: { 'by-viewer': string } };
  'saved-pieces': { key: [ownerId: string, index: number]; value: SavedPiece };
  facts: { key: keyof Facts; value: Facts[keyof Facts] };
}
