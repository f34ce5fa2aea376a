import type { DBSchema, IDBPDatabase, IDBPObjectStore, StoreNames } from 'idb';
import { openDB } from 'idb';
import type { OutboxEntry } from './outbox-entry.ts';
import { after } from './timers.ts';
import type { QueuedUpload, UploadBatch } from './uploads/queued-upload.ts';

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

/**
 * Whether anything of anybody waits to be sent: small enough for the start, all else loads when it is needed.
 * @returns how many small changes (`outbox/`), and how many batches of files (`uploads/`) that are not over
 */
export function countWaiting(database = deviceDatabase): Promise<readonly number[]> {
  return database.run(
    (connection) =>
      Promise.all([
        connection.count('outbox'),
        // By their names, all states but `over` come up to this one.
        connection.countFromIndex('upload-batches', 'by-state', IDBKeyRange.upperBound('open')),
      ]),
    () => [],
  );
}

export const databaseVersion = 2;

/** Brings the database from any earlier version (0: there was none) to this one. */
function migrate(database: IDBPDatabase<DeviceSchema>, oldVersion: number): void {
  if (oldVersion < 1) createStores(database);
  // Version 1 had a store of this name, and nothing ever wrote to it.
  if (oldVersion === 1) database.deleteObjectStore('uploads');
  if (oldVersion < 2) createUploads(database);
}

function createStores(database: IDBPDatabase<DeviceSchema>): void {
  database.createObjectStore('cached-answers', { keyPath: ['mark', 'query'] }).createIndex('by-use', 'usedAt');
  database
    .createObjectStore('outbox', { keyPath: 'number', autoIncrement: true })
    .createIndex('by-user', ['userId', 'number']);
  database.createObjectStore('upload-pieces', { keyPath: ['ownerId', 'index'] });
  database.createObjectStore('saved-videos', { keyPath: 'id' }).createIndex('by-age', ['kind', 'savedAt']);
  database.createObjectStore('saved-pieces', { keyPath: ['ownerId', 'index'] });
  database.createObjectStore('facts');
}

function createUploads(database: IDBPDatabase<DeviceSchema>): void {
  database.createObjectStore('upload-batches', { keyPath: 'id' }).createIndex('by-state', 'state');
  database.createObjectStore('uploads', { keyPath: 'id' }).createIndex('by-batch', ['batchId', 'position']);
}

/*
 * Everything that this device stores beyond a few settings, for page and worker alike. Instants are epoch
 * milliseconds, sizes bytes. What belongs to a person carries their id: nobody else reads it or sends it.
 */

/** A call of a list and its answer as the server gave it. */
export interface CachedAnswer {
  /** Names the viewer at random (`viewer.ts`). */
  mark: string;
  /** The call's address in one order (`toCacheKey`). */
  query: string;
  /** JSON. */
  body: string;
  storedAt: number;
  usedAt: number;
}

/** One piece of a large file: single records of more than some 100 MiB fail in several engines. */
export interface Piece {
  /** The upload's or the video's id. */
  ownerId: string;
  /** From 0, without gaps. */
  index: number;
  bytes: ArrayBuffer;
}

/** A video that plays without the network. Its pieces have `savedPieceBytes` each, the last one fewer. */
interface SavedVideo {
  id: string;
  /** Null: saved by nobody in particular, as an anonymous viewer does. */
  userId: string | null;
  /** Saved by hand until it is removed, or by itself: then the oldest go first. */
  kind: 'chosen' | 'reel';
  filename: string;
  tagIds: string[];
  durationSeconds: number | null;
  rendition: string;
  type: string;
  size: number;
  savedBytes: number;
  poster: ArrayBuffer | null;
  savedAt: number;
}

/** `holder`: names a page at random. */
export interface Lease {
  holder: string;
  until: number;
}

/** What is known of this device, each under its name. */
export interface Facts {
  /** Whose answers are cached. Null for `userId`: an anonymous viewer. */
  viewer: { mark: string; userId: string | null };
  /** Which page sends the outbox where there are no Web Locks, and until when. */
  'outbox-lease': Lease;
  /** Likewise of files. */
  'uploads-lease': Lease;
}

/** The database numbers an entry when it is added. */
type StoredEntry = Omit<OutboxEntry, 'number'> & Partial<Pick<OutboxEntry, 'number'>>;

export interface DeviceSchema extends DBSchema {
  'cached-answers': { key: [mark: string, query: string]; value: CachedAnswer; indexes: { 'by-use': number } };
  outbox: { key: number; value: StoredEntry; indexes: { 'by-user': [userId: string, number: number] } };
  'upload-batches': { key: string; value: UploadBatch; indexes: { 'by-state': UploadBatch['state'] } };
  uploads: { key: string; value: QueuedUpload; indexes: { 'by-batch': [batchId: string, position: number] } };
  'upload-pieces': { key: [ownerId: string, index: number]; value: Piece };
  'saved-videos': { key: string; value: SavedVideo; indexes: { 'by-age': [kind: string, savedAt: number] } };
  'saved-pieces': { key: [ownerId: string, index: number]; value: Piece };
  facts: { key: keyof Facts; value: Facts[keyof Facts] };
}
