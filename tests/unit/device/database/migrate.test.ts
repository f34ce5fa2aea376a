import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { Connection } from '#device/database/device-database.ts';
import { DeviceDatabase } from '#device/database/device-database.ts';
import { toEntry } from '#device/outbox/outbox-entry.ts';
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

test('the first version has every store, with its key and its order', async () => {
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
    ['saved-videos', 'id', ['by-age'], false],
    ['upload-pieces', ['ownerId', 'index'], [], false],
    ['uploads', 'id', ['by-user'], false],
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
      await connection.put('saved-pieces', { ownerId: 'v1', index, bytes: new ArrayBuffer(1) });
    await connection.put('saved-pieces', { ownerId: 'v2', index: 0, bytes: new ArrayBuffer(1) });
    const keys = await connection.getAllKeys('saved-pieces', IDBKeyRange.bound(['v1'], ['v1', []]));
    return keys.map(([, index]) => index);
  });
  expect(indexes).toEqual([0, 2, 10]);
});
