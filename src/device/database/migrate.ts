import type { IDBPDatabase } from 'idb';
import type { DeviceSchema } from './schema.ts';

export const databaseVersion = 1;

/** Brings the database from any earlier version (0: there was none) to this one. */
export function migrate(database: IDBPDatabase<DeviceSchema>, oldVersion: number): void {
  if (oldVersion < 1) createStores(database);
}

function createStores(database: IDBPDatabase<DeviceSchema>): void {
  database.createObjectStore('cached-answers', { keyPath: ['mark', 'query'] }).createIndex('by-use', 'usedAt');
  database
    .createObjectStore('outbox', { keyPath: 'number', autoIncrement: true })
    .createIndex('by-user', ['userId', 'number']);
  database.createObjectStore('uploads', { keyPath: 'id' }).createIndex('by-user', ['userId', 'createdAt']);
  database.createObjectStore('upload-pieces', { keyPath: ['ownerId', 'index'] });
  database.createObjectStore('saved-videos', { keyPath: 'id' }).createIndex('by-age', ['kind', 'savedAt']);
  database.createObjectStore('saved-pieces', { keyPath: ['ownerId', 'index'] });
  database.createObjectStore('facts');
}
