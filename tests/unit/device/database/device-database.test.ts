import { deleteDB, openDB } from 'idb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { Connection } from '#device/device-database.ts';
import { changeStore, DeviceDatabase } from '#device/device-database.ts';
import { databaseVersion } from '#device/device-schema.ts';
import { clockParts, fakeIndexedDb, loseConnection, runDatabase } from '../fake-indexed-db.ts';

let database: DeviceDatabase;
let connections: Connection[];

beforeEach(() => {
  fakeIndexedDb();
  database = new DeviceDatabase();
  connections = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const viewer = (mark: string) => ({ mark, userId: null });
const write = (mark: string, own = database) =>
  own.run<unknown>(
    (connection) => connection.put('facts', viewer(mark), 'viewer'),
    () => 'in memory',
  );
const read = (own = database) =>
  own.run<unknown>(
    (connection) => {
      connections.push(connection);
      return connection.get('facts', 'viewer');
    },
    () => 'in memory',
  );

test('what is stored is there for the next page', async () => {
  await write('a');
  expect([await read(new DeviceDatabase()), await database.isLasting()]).toEqual([viewer('a'), true]);
});

test('all uses share one connection', async () => {
  await Promise.all([read(), read(), read()]);
  expect(new Set(connections).size).toBe(1);
});

test('a newer version in another tab opens at once: this one gives way, and goes on in memory', async () => {
  await write('a');
  const newer = await openDB('fourfold', databaseVersion + 1);
  expect([await read(), await database.isLasting()]).toEqual(['in memory', false]);
  newer.close();
});

test('a database that is deleted is made anew at the next use', async () => {
  await write('a');
  await deleteDB('fourfold');
  expect(await read()).toBeUndefined();
});

test('a connection that the browser ends is opened again', async () => {
  await write('a');
  await read();
  const [lost] = connections;
  loseConnection(lost as unknown as IDBDatabase);
  expect(await read()).toEqual(viewer('a'));
});

test('work whose connection is lost on the way is done once more', async () => {
  await write('a');
  let attempts = 0;
  const outcome = await database.run(
    (connection) => {
      attempts += 1;
      if (attempts === 1) connection.close();
      return connection.get('facts', 'viewer');
    },
    () => undefined,
  );
  expect([outcome, attempts]).toEqual([viewer('a'), 2]);
});

test('a full disk is the failure of its write', async () => {
  const full = () => Promise.reject(new DOMException('No room', 'QuotaExceededError'));
  await expect(database.run(full, () => 'in memory')).rejects.toThrow('No room');
});

describe('memory stands in, and is known to, where', () => {
  test('there is no IndexedDB', async () => {
    vi.stubGlobal('indexedDB', undefined);
    expect([await read(), await database.isLasting()]).toEqual(['in memory', false]);
  });

  test('a private window refuses to open one', async () => {
    const open = vi.fn(() => {
      throw new DOMException('Not here', 'SecurityError');
    });
    vi.stubGlobal('indexedDB', { open });
    expect([await read(), await read(), await database.isLasting()]).toEqual(['in memory', 'in memory', false]);
    expect(open).toHaveBeenCalledTimes(1);
  });

  test('a newer version of the app has changed it', async () => {
    (await openDB('fourfold', databaseVersion + 1)).close();
    expect(await read()).toBe('in memory');
  });

  test('it does not open for 3 s, until it does', async () => {
    vi.useFakeTimers({ toFake: [...clockParts] });
    const older = await openDB('fourfold', databaseVersion);
    const isDeleted = deleteDB('fourfold');
    const outcome = read();
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await outcome).toBe('in memory');
    older.close();
    await isDeleted;
    expect(await read()).toBeUndefined();
  });
});

test('a change that fails on the way is one failure, and leaves the store as it was', async () => {
  await write('a');
  const change = database.run(
    (connection) =>
      changeStore(connection, 'facts', async (store) => {
        await store.put(viewer('b'), 'viewer');
        store.transaction.abort();
        await store.put(viewer('c'), 'viewer');
      }),
    () => undefined,
  );
  await expect(change).rejects.toThrow();
  expect(await read()).toEqual(viewer('a'));
});

test('work without a place in memory waits for a database that opens late, and hears of none that never does', async () => {
  vi.useFakeTimers({ toFake: [...clockParts] });
  const readStored = (own: DeviceDatabase) =>
    own.runStored<unknown>(
      (connection) => connection.get('facts', 'viewer'),
      () => 'none',
    );
  const older = await openDB('fourfold', databaseVersion);
  const isDeleted = deleteDB('fourfold');
  const outcome = readStored(database).then((found) => [found]);
  await vi.advanceTimersByTimeAsync(60_000);
  await runDatabase();
  expect(await Promise.race([outcome, 'waits'])).toBe('waits');
  older.close();
  await isDeleted;
  expect(await outcome).toEqual([undefined]);
  vi.stubGlobal('indexedDB', undefined);
  expect(await readStored(new DeviceDatabase())).toBe('none');
});

test('a page that is left keeps no other one waiting, and does its work when it comes back', async () => {
  await write('a');
  let attempts = 0;
  const changed = database.run(
    (connection) =>
      changeStore(connection, 'facts', async (store) => {
        attempts += 1;
        // On the first attempt the page is left in the middle of it.
        while (attempts === 1) await store.get('viewer');
        await store.put(viewer('b'), 'viewer');
        return 'changed';
      }),
    () => 'in memory',
  );
  await runDatabase();
  const resume = database.pause();
  const begun = read();
  const other = new DeviceDatabase();
  expect(await read(other)).toEqual(viewer('a'));
  await write('c', other);
  await runDatabase();
  expect(await Promise.race([changed, begun, 'both wait'])).toBe('both wait');
  resume();
  expect(await begun).toMatchObject({ userId: null });
  expect([await changed, attempts, await read(other)]).toEqual(['changed', 2, viewer('b')]);
});
