import { openDB } from 'idb';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '#device/device-database.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import { toEntry } from '#device/outbox-entry.ts';
import { fakeIndexedDb } from '../fake-indexed-db.ts';

let database: DeviceDatabase;

beforeEach(() => {
  fakeIndexedDb();
  database = new DeviceDatabase();
});

afterEach(() => vi.unstubAllGlobals());

const inDatabase = <Result>(work: (connection: Connection) => Promise<Result>) =>
  database.run(work, () => {
    throw new Error('There is no database');
  });

test('there is every store, with its key and its order', async () => {
  const stores = await inDatabase(async (connection) =>
    Array.from(connection.objectStoreNames, (name) => {
      const { keyPath, indexNames, autoIncrement } = connection.transaction(name).store;
      return [name, keyPath, [...indexNames], autoIncrement];
    }),
  );
  expect(stores).toEqual([
    ['cached-answers', ['mark', 'query'], ['by-use'], false],
    ['facts', null, [], false],
    ['outbox', 'number', ['by-user'], true],
    ['saved-pieces', ['ownerId', 'index'], [], false],
    ['saved-videos', 'id', ['by-viewer'], false],
    ['upload-batches', 'id', ['by-state'], false],
    ['upload-pieces', ['ownerId', 'index'], [], false],
    ['uploads', 'id', ['by-batch'], false],
  ]);
});

const change = (userId: string, path: string) =>
  toEntry({
    userId,
    call: 'assignTags',
    params: { path },
    body: { tag_ids: ['a'] },
    subject: null,
    idempotencyKey: path,
    createdAt: 0,
  });

test("a person's waiting changes are read in the order in which they were made, without anybody else's", async () => {
  const paths = await inDatabase(async (connection) => {
    for (const [userId, path] of [
      ['ana', '/1'],
      ['bob', '/2'],
      ['ana', '/3'],
    ] as const)
      await connection.add('outbox', change(userId, path));
    const own = await connection.getAllFromIndex('outbox', 'by-user', IDBKeyRange.bound(['ana'], ['ana', []]));
    return own.map(({ params }) => params?.path);
  });
  expect(paths).toEqual(['/1', '/3']);
});

test('the pieces of a file are read one by one, in order', async () => {
  const indexes = await inDatabase(async (connection) => {
    for (const index of [10, 2, 0])
      await connection.put('saved-pieces', { ownerId: 'v1', index, piece: new Blob(['1']) });
    await connection.put('saved-pieces', { ownerId: 'v2', index: 0, piece: new Blob(['2']) });
    const keys = await connection.getAllKeys('saved-pieces', IDBKeyRange.bound(['v1'], ['v1', []]));
    return keys.map(([, index]) => index);
  });
  expect(indexes).toEqual([0, 2, 10]);
});

test('what the first version stored is kept, and has room for uploads beside it', async () => {
  const first = await openDB('fourfold', 1, {
    upgrade: (created) => {
      created.createObjectStore('outbox', { keyPath: 'number', autoIncrement: true });
      created.createObjectStore('uploads', { keyPath: 'id' }).createIndex('by-user', ['userId', 'createdAt']);
      created.createObjectStore('upload-pieces', { keyPath: ['ownerId', 'index'] });
      created.createObjectStore('facts');
    },
  });
  await first.put('facts', { mark: 'a', userId: 'ana' }, 'viewer');
  await first.add('outbox', change('ana', '/1'));
  first.close();
  const kept = await inDatabase(async (connection) => [
    await connection.get('facts', 'viewer'),
    (await connection.getAll('outbox')).map(({ params }) => params?.path),
    [...connection.transaction('uploads').store.indexNames],
    await connection.count('upload-batches'),
  ]);
  expect(kept).toEqual([{ mark: 'a', userId: 'ana' }, ['/1'], ['by-batch'], 0]);
});

test('the stores of saved videos of the second version are made anew, and uploads stay', async () => {
  const second = await openDB('fourfold', 2, {
    upgrade: (created) => {
      created.createObjectStore('saved-videos', { keyPath: 'id' }).createIndex('by-age', ['kind', 'savedAt']);
      created.createObjectStore('saved-pieces', { keyPath: ['ownerId', 'index'] });
      created.createObjectStore('uploads', { keyPath: 'id' }).createIndex('by-batch', ['batchId', 'position']);
    },
  });
  await second.put('uploads', { id: 'u1', batchId: 'b1', position: 0 });
  second.close();
  const kept = await inDatabase(async (connection) => [
    [...connection.transaction('saved-videos').store.indexNames],
    await connection.count('uploads'),
  ]);
  expect(kept).toEqual([['by-viewer'], 1]);
});

test('an older version that is open in another tab gives way', async () => {
  const older = await openDB('fourfold', 1, {
    upgrade: (created) => {
      created.createObjectStore('uploads');
    },
    blocking: () => older.close(),
  });
  expect(await database.isLasting()).toBe(true);
});
