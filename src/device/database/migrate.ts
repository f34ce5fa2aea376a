import type { IDBPDatabase } from 'idb';
import type { DeviceSchema } from './schema.ts';

export const databaseVersion = 2;

/** Brings the database from any earlier version (0: there was none) to this one. */
export function migrate(database: IDBPDatabase<DeviceSchema>, oldVersion: number): void {
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
