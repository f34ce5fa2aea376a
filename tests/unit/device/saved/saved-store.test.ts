import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import { SavedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { mayPlay, nobody, readSavedVideo } from '#device/saved/saved-video.ts';
import { fakeIndexedDb } from '../fake-indexed-db.ts';
import { savedRow } from './saved-row.ts';

const dayMs = 86_400_000;
let database: DeviceDatabase;
let store: SavedStore;

beforeEach(() => {
  fakeIndexedDb();
  database = new DeviceDatabase();
  store = new SavedStore(database);
});

afterEach(() => vi.unstubAllGlobals());

test('a viewer sees their own videos alone, the earliest first, and nobody has some, too', async () => {
  await store.add(savedRow({ id: 'late', videoId: 'v2', savedAt: 2 }));
  await store.add(savedRow({ id: 'early', savedAt: 1 }));
  await store.add(savedRow({ id: 'of-bob', userId: 'bob' }));
  await store.add(savedRow({ id: 'of-nobody', userId: nobody }));
  expect((await store.list('ana')).map(({ id }) => id)).toEqual(['early', 'late']);
  expect((await store.list('bob')).map(({ id }) => id)).toEqual(['of-bob']);
  expect((await store.list(nobody)).map(({ id }) => id)).toEqual(['of-nobody']);
});

test('a video of the reel that somebody keeps changes its kind, and is not fetched again', async () => {
  await store.add(savedRow({ id: 'reel', kind: 'reel' }));
  const kept = await store.add(savedRow({ id: 'again', kind: 'chosen', savedBytes: 0, state: 'waiting' }));
  expect(kept).toMatchObject({ id: 'reel', kind: 'chosen', state: 'whole' });
  expect(await store.add(savedRow({ id: 'reel-again', kind: 'reel' }))).toMatchObject({ id: 'reel', kind: 'chosen' });
  expect(await store.list('ana')).toHaveLength(1);
});

test('another rendition of a video, and the same one of another viewer, have bytes of their own', async () => {
  await store.add(savedRow({ id: 'grid' }));
  await store.add(savedRow({ id: 'hd', rendition: 'hd' }));
  await store.add(savedRow({ id: 'of-bob', userId: 'bob' }));
  expect((await store.listAll()).videos).toHaveLength(3);
});

test('two changes at once both count, and a removed row is not written again', async () => {
  await store.add(savedRow({ savedBytes: 0, state: 'waiting' }));
  const grow = () => store.change('s1', ({ savedBytes }) => ({ savedBytes: savedBytes + 1, state: 'saving' }));
  await Promise.all([grow(), grow()]);
  expect(await store.find('s1')).toMatchObject({ savedBytes: 2, state: 'saving' });
  await store.remove(['s1']);
  expect(await grow()).toBeNull();
  expect(await store.find('s1')).toBeNull();
});

test.each<[string, unknown]>([
  ['no row', null],
  ['a row of another build', { id: 's1', userId: 'ana' }],
  ['more bytes than the file has', savedRow({ savedBytes: 5_000_001 })],
  ['whole without all bytes', savedRow({ savedBytes: 1 })],
  ['whole with 0 bytes', savedRow({ size: 0, savedBytes: 0 })],
  ['a size that is no number', savedRow({ size: Number.NaN, savedBytes: 0, state: 'waiting' })],
  ['a state of another build', savedRow({ state: 'lost' as SavedVideo['state'] })],
  ['a rendition of another build', savedRow({ rendition: '8k' as SavedVideo['rendition'] })],
  ['a poster that is no picture', savedRow({ poster: 'poster' as unknown as Blob })],
  ['no channels', savedRow({ tagIds: undefined as unknown as string[] })],
  ['an end that is no time', savedRow({ holdsUntil: Number.NaN })],
])('%s is not used, and thrown by nothing', async (_, row) => {
  expect(readSavedVideo(row)).toBeNull();
  if (row === null) return;
  await database.run(
    (connection) => connection.put('saved-videos', row as SavedVideo),
    () => '',
  );
  expect(await store.list('ana')).toEqual([]);
  expect(await store.listAll()).toEqual({ videos: [], unusable: ['s1'] });
  expect(await store.change('s1', () => ({ state: 'paused' }))).toBeNull();
});

test('rows of a session that has ended are locked, and given for removal after the days of the outbox', async () => {
  const start = 10 * dayMs;
  await store.add(savedRow({ id: 'of-ana' }));
  await store.add(savedRow({ id: 'of-nobody', userId: nobody }));
  expect(await store.lockOthers(nobody, start)).toEqual([]);
  expect((await store.find('of-ana'))?.lockedAt).toBe(start);
  // Another start does not begin the days anew.
  expect(await store.lockOthers(nobody, start + limits.outboxKeptDays * dayMs)).toEqual([]);
  expect(await store.lockOthers(nobody, start + limits.outboxKeptDays * dayMs + 1)).toEqual(['of-ana']);
});

test('who comes back within the days has their videos again', async () => {
  await store.add(savedRow());
  await store.lockOthers('bob', dayMs);
  await store.lockOthers('ana', 2 * dayMs);
  expect((await store.find('s1'))?.lockedAt).toBeNull();
  expect(await store.lockOthers('bob', 20 * dayMs)).toEqual([]);
});

test('a video plays once it is whole, and as long as it holds', () => {
  expect(mayPlay(savedRow(), 1_999)).toBe(true);
  expect(mayPlay(savedRow(), 2_000)).toBe(false);
  expect(mayPlay(savedRow({ state: 'paused' }), 1_999)).toBe(false);
});

test('without a database nothing is stored, and nothing throws', async () => {
  vi.stubGlobal('indexedDB', undefined);
  const blocked = new SavedStore(new DeviceDatabase());
  expect(await blocked.add(savedRow())).toBeNull();
  expect(await blocked.list('ana')).toEqual([]);
  expect(await blocked.listAll()).toEqual({ videos: [], unusable: [] });
  expect(await blocked.lockOthers('ana', 0)).toEqual([]);
  await blocked.remove(['s1']);
});
