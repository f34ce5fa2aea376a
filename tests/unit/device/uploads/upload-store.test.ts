import { deleteDB, openDB } from 'idb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { DeviceDatabase } from '#device/device-database.ts';
import { databaseVersion } from '#device/device-schema.ts';
import { UploadStore } from '#device/uploads/upload-store.ts';
import { clockParts, fakeIndexedDb } from '../fake-indexed-db.ts';
import { batch, uploads } from './uploads.ts';

const hourMs = 3_600_000;

let store: UploadStore;

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const names = async (userId: string | null, own = store) =>
  (await own.list(userId)).map((stored) => [stored.batch.id, stored.uploads.map(({ name }) => name).join()]);

describe.each([
  ['in the database', fakeIndexedDb, true],
  ['in memory, where there is none', () => vi.stubGlobal('indexedDB', undefined), false],
] as const)('%s', (_, prepare, isLasting) => {
  beforeEach(() => {
    prepare();
    store = new UploadStore(new DeviceDatabase());
  });

  test('a batch is stored with its files, in their order, for its owner', async () => {
    await store.add(batch('b2', { createdAt: 2 }), uploads('b2', { name: 'z' }, { name: 'y' }));
    await store.add(batch('b1', { createdAt: 1 }), uploads('b1', { name: 'x' }));
    await store.add(batch('b3', { userId: 'bob' }), uploads('b3', { name: 'w' }));
    expect(await names('ana')).toEqual([
      ['b1', 'x'],
      ['b2', 'z,y'],
    ]);
    expect([await names('bob'), await store.isLasting()]).toEqual([[['b3', 'w']], isLasting]);
  });

  test('further files come after the ones before', async () => {
    await store.add(batch('b'), uploads('b', { name: 'b' }));
    const added = await store.append('b', uploads('b', { name: 'a' }));
    expect([await names('ana'), added?.map(({ position }) => position)]).toEqual([[['b', 'b,a']], [1]]);
    expect(await store.append('gone', uploads('gone', { name: 'c' }))).toBeNull();
  });

  test('a change keeps all else, and says what is gone', async () => {
    await store.add(batch('b', { key: 'secret' }), uploads('b', { name: 'a' }));
    expect(await store.updateBatch('b', { state: 'open' })).toMatchObject({ state: 'open', key: 'secret' });
    expect(await store.updateUpload('a', { acknowledgedBytes: 5 })).toMatchObject({ name: 'a', acknowledgedBytes: 5 });
    expect(await store.read('b')).toMatchObject({ batch: { state: 'open' }, uploads: [{ acknowledgedBytes: 5 }] });
    expect([await store.updateBatch('x', {}), await store.updateUpload('x', {}), await store.read('x')]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('a batch goes with its last file', async () => {
    await store.add(batch('b'), uploads('b', { name: 'a' }, { name: 'c' }));
    await store.removeUpload('a');
    expect(await names('ana')).toEqual([['b', 'c']]);
    await store.removeUpload('c');
    expect(await names('ana')).toEqual([]);
    await store.add(batch('b'), uploads('b', { name: 'a' }));
    await store.removeBatch('b');
    expect([await names('ana'), await store.updateUpload('a', {})]).toEqual([[], null]);
  });

  test('what was shared belongs to the first who claims it, and can be discarded before', async () => {
    await store.add(batch('s', { userId: null, keptUntil: 24 * hourMs }), uploads('s', { name: 'a' }));
    await store.add(batch('t', { userId: null, keptUntil: 24 * hourMs }), uploads('t', { name: 'b' }));
    expect([await names('ana'), await names(null)]).toEqual([
      [],
      [
        ['s', 'a'],
        ['t', 'b'],
      ],
    ]);
    expect(await store.claim('s', 'ana')).toMatchObject({ batch: { userId: 'ana', keptUntil: null }, uploads: [{}] });
    expect([await store.claim('s', 'bob'), await store.claim('gone', 'bob')]).toEqual([null, null]);
    await store.discard('s');
    await store.discard('t');
    expect([await names('ana'), await names(null)]).toEqual([[['s', 'a']], []]);
  });

  test('what nobody claims is dropped after a day', async () => {
    await store.add(batch('s', { userId: null, keptUntil: 24 * hourMs }), uploads('s', { name: 'a' }));
    await store.sweep(24 * hourMs - 1);
    expect(await names(null)).toHaveLength(1);
    await store.sweep(24 * hourMs);
    expect([await names(null), await store.updateUpload('a', {})]).toEqual([[], null]);
  });

  test('the owner of a batch that names the plan, too, finds it after a sweep', async () => {
    await store.add(batch('b', { userId: 'ana basic' }), []);
    await store.sweep(0);
    expect((await store.list('ana')).map((stored) => stored.batch.id)).toEqual(['b']);
  });

  test('at sign-out the keys go, and no other ones', async () => {
    await store.add(batch('b', { key: 'secret', sessionId: 's' }), []);
    await store.add(batch('c', { key: 'other', userId: 'bob' }), []);
    await store.forgetKeys('ana');
    expect([(await store.read('b'))?.batch, (await store.read('c'))?.batch.key]).toMatchObject([
      { key: null, sessionId: 's' },
      'other',
    ]);
  });

  test('the server is still to be told of some, whosever they are', async () => {
    await store.add(batch('b', { state: 'completing', userId: 'bob', createdAt: 1 }), uploads('b', { name: 'a' }));
    await store.add(batch('c', { state: 'cancelling' }), []);
    await store.add(batch('d', { state: 'open' }), []);
    expect((await store.listEnding()).map((stored) => stored.batch.id)).toEqual(['c', 'b']);
  });
});

describe('in the database', () => {
  beforeEach(() => {
    fakeIndexedDb();
    store = new UploadStore(new DeviceDatabase());
  });

  test('the next page finds it', async () => {
    await store.add(batch('b'), uploads('b', { name: 'a' }));
    expect(await names('ana', new UploadStore(new DeviceDatabase()))).toEqual([['b', 'a']]);
  });

  test('the copy of a file goes with it', async () => {
    const database = new DeviceDatabase();
    store = new UploadStore(database);
    await store.add(batch('b'), uploads('b', { name: 'a' }, { name: 'c' }));
    const run = <Result>(work: Parameters<typeof database.run<Result>>[0]) =>
      database.run(work, () => Promise.reject(new Error('There is no database')));
    for (const [ownerId, index] of [
      ['a', 0],
      ['a', 1],
      ['c', 0],
    ] as const)
      await run((connection) => connection.put('upload-pieces', { ownerId, index, bytes: new ArrayBuffer(1) }));
    await store.removeUpload('a');
    expect(await run((connection) => connection.getAllKeys('upload-pieces'))).toEqual([['c', 0]]);
    await store.removeBatch('b');
    expect(await run((connection) => connection.count('upload-pieces'))).toBe(0);
  });

  test('a handle that cannot be stored is left out: the file is picked again after a reload', async () => {
    const handle = { getFile: () => {} } as unknown as FileSystemFileHandle;
    const files = uploads('b', { name: 'a', source: { kind: 'handle', handle } }, { name: 'c' });
    await store.add(batch('b'), files);
    await store.append('b', uploads('b', { name: 'd', source: { kind: 'handle', handle } }));
    expect((await store.read('b'))?.uploads.map(({ name, source }) => [name, source.kind])).toEqual([
      ['a', 'picked-again'],
      ['c', 'picked-again'],
      ['d', 'picked-again'],
    ]);
  });

  test('a full disk: new files are listed as long as the page lives, beside what was stored before', async () => {
    const database = new DeviceDatabase();
    store = new UploadStore(database);
    await store.add(batch('b'), uploads('b', { name: 'a' }));
    const full = vi.spyOn(IDBObjectStore.prototype, 'put').mockImplementation(() => {
      throw new DOMException('No room', 'QuotaExceededError');
    });
    await store.add(batch('c', { createdAt: 1 }), uploads('c', { name: 'd' }));
    expect(await store.append('b', uploads('b', { name: 'e' }))).toBeNull();
    expect(await store.append('c', uploads('c', { name: 'e' }))).toHaveLength(1);
    await expect(store.updateUpload('a', { attempts: 1 })).rejects.toThrow('No room');
    expect(await store.updateUpload('d', { attempts: 1 })).toMatchObject({ attempts: 1 });
    full.mockRestore();
    expect([await names('ana'), await store.isLasting()]).toEqual([
      [
        ['b', 'a'],
        ['c', 'd,e'],
      ],
      false,
    ]);
    expect(await names('ana', new UploadStore(new DeviceDatabase()))).toEqual([['b', 'a']]);
  });

  test('what the browser wiped is gone, and there is room for what comes next', async () => {
    await store.add(batch('b'), uploads('b', { name: 'a' }));
    await deleteDB('fourfold');
    expect([await names('ana'), await store.updateUpload('a', {})]).toEqual([[], null]);
    await store.add(batch('c'), uploads('c', { name: 'd' }));
    expect([await names('ana'), await store.isLasting()]).toEqual([[['c', 'd']], true]);
  });

  test('what was added while another tab blocked the database stays listed once it opens', async () => {
    vi.useFakeTimers({ toFake: [...clockParts] });
    const other = await openDB('fourfold', databaseVersion);
    const isDeleted = deleteDB('fourfold');
    const adding = store.add(batch('b'), uploads('b', { name: 'a' }));
    await vi.advanceTimersByTimeAsync(3_000);
    await adding;
    other.close();
    await isDeleted;
    await store.add(batch('c', { createdAt: 1 }), uploads('c', { name: 'd' }));
    expect([await names('ana'), await store.isLasting()]).toEqual([
      [
        ['b', 'a'],
        ['c', 'd'],
      ],
      false,
    ]);
    expect(await store.updateUpload('a', { attempts: 1 })).toMatchObject({ attempts: 1 });
    expect(await names('ana', new UploadStore(new DeviceDatabase()))).toEqual([['c', 'd']]);
  });
});
