import type { DBSchema, IDBPDatabase } from 'idb';
import type { OutboxEntry } from './outbox-entry.ts';
import type { KeptFilter, SavedVideo } from './saved/saved-video.ts';
import type { QueuedUpload, UploadBatch } from './uploads/queued-upload.ts';

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
  /**
   * The viewer whose answers are cached, and their plan. A `userId` of null is an anonymous viewer.
   */
  viewer: { mark: string; userId: string | null; tier?: string | null };
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
  /** The time by which this device deletes, and its clock at the last look (`sweepTime`). */
  'sweep-time': { time: number; clock: number };
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

export const databaseVersion = 3;

/** Upgrades the database from any earlier version (0: there was none) to this one. */
export function migrate(database: IDBPDatabase<DeviceSchema>, oldVersion: number): void {
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
