import { openDB } from 'idb';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { MediaBudget } from '#app/playback/media-budget.ts';
import type { PieceAnswer, SavedAddress } from '#app/transfer/save-engine.ts';
import { SaveEngine } from '#app/transfer/save-engine.ts';
import { limits } from '#contract/limits.ts';
import { DeviceDatabase } from '#device/device-database.ts';
import { databaseVersion } from '#device/device-schema.ts';
import { PieceFiles, SavedBytes } from '#device/saved/saved-bytes.ts';
import { SavedStore } from '#device/saved/saved-store.ts';
import type { SavedVideo } from '#device/saved/saved-video.ts';
import { clockParts, fakeIndexedDb, runDatabase } from '../../device/fake-indexed-db.ts';
import type { FakePrivateFiles } from '../../device/saved/fake-private-files.ts';
import { fakePrivateFiles } from '../../device/saved/fake-private-files.ts';
import { savedRow } from '../../device/saved/saved-row.ts';

const { savedPieceBytes } = limits;
const size = 2 * savedPieceBytes + 10;

let files: FakePrivateFiles;
let store: SavedStore;
let bytes: SavedBytes;
let budget: MediaBudget;
let engine: SaveEngine;
/** Every range that was asked for, as its start and its end, which is exclusive. */
let asked: [url: string, start: number, end: number][];
let address: (video: SavedVideo) => SavedAddress;
let answer: (start: number, end: number) => PieceAnswer | Promise<PieceAnswer>;
let extras: () => Partial<SavedVideo>;
let mayFetch: boolean;
let hasRoom: boolean;
let unanswered: number;

beforeEach(() => {
  fakeIndexedDb();
  vi.useFakeTimers({ toFake: [...clockParts] });
  files = fakePrivateFiles();
  store = new SavedStore(new DeviceDatabase());
  bytes = new SavedBytes(new PieceFiles(files.root));
  budget = new MediaBudget({ decoder: 8, connection: 5, sound: 4 });
  asked = [];
  address = ({ rendition }) => ({ kind: 'found', url: `/${rendition}?version=1-a`, rendition, version: '1-a' });
  answer = (start, end) => pieceOf(start, Math.min(end, size));
  extras = () => ({ hasExtras: true });
  mayFetch = true;
  hasRoom = true;
  unanswered = 0;
  engine = createEngine();
});

afterEach(() => {
  engine.stop();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function createEngine(findRoom: (row: SavedVideo) => boolean = () => hasRoom): SaveEngine {
  return new SaveEngine({
    userId: 'ana',
    store,
    bytes,
    budget,
    findAddress: async (video) => address(video),
    fetchPiece: async (url, start, end) => {
      asked.push([url, start, end]);
      return answer(start, end);
    },
    fetchExtras: async () => ({ tagIds: ['t9'], ...extras() }),
    hasRoom: async (row) => findRoom(row),
    mayFetch: () => mayFetch,
    canStart: () => true,
    onChange: () => {},
    onUnanswered: () => {
      unanswered += 1;
    },
    chance: () => 0,
  });
}

const pieceOf = (start: number, end: number): PieceAnswer => ({
  kind: 'piece',
  piece: new Blob([new Uint8Array(end - start).fill(1 + start / savedPieceBytes)]),
  total: size,
  type: 'video/mp4',
});

const waiting = (fields: Partial<SavedVideo> = {}) =>
  savedRow({ size, savedBytes: 0, state: 'waiting', version: '', type: '', ...fields });

const settle = () => runDatabase(200);

async function save(fields: Partial<SavedVideo> = {}): Promise<SavedVideo | null> {
  await store.add(waiting(fields));
  await engine.plan();
  await settle();
  return store.find(fields.id ?? 's1');
}

const startsOf = () => asked.map(([, start]) => start / savedPieceBytes);

test('a video is fetched piece by piece, and is whole with its last one', async () => {
  expect(await save()).toMatchObject({
    state: 'whole',
    savedBytes: size,
    version: '1-a',
    type: 'video/mp4',
    tagIds: ['t9'],
  });
  expect(asked.map(([, start, end]) => [start, end])).toEqual([
    [0, savedPieceBytes],
    [savedPieceBytes, 2 * savedPieceBytes],
    [2 * savedPieceBytes, size],
  ]);
  expect((await bytes.open({ id: 's1', size, type: 'video/mp4' }))?.size).toBe(size);
});

test('of several videos the one with the fewest bytes left comes first, and one is fetched at a time', async () => {
  let open = 0;
  let most = 0;
  answer = async (start, end) => {
    open += 1;
    most = Math.max(most, open);
    await runDatabase(2);
    open -= 1;
    return pieceOf(start, Math.min(end, size));
  };
  address = ({ id, rendition }) => ({ kind: 'found', url: `/${id}`, rendition, version: '1-a' });
  await store.add(waiting({ id: 'large', videoId: 'v1', size: 9_000_000 }));
  await store.add(waiting({ id: 'small', videoId: 'v2', size: 3_000_000 }));
  await engine.plan();
  await settle();
  expect(asked.map(([url]) => url)).toEqual(['/small', '/small', '/small', '/large', '/large', '/large']);
  expect(most).toBe(1);
});

test('what a closed page left is whole pieces, and the next page goes on behind them', async () => {
  await store.add(waiting({ state: 'saving', version: '1-a', savedBytes: savedPieceBytes }));
  // The page was closed after this piece was written, and before its row said so.
  await bytes.write('s1', 0, new Blob([new Uint8Array(savedPieceBytes)]));
  await bytes.write('s1', 1, new Blob([new Uint8Array(savedPieceBytes)]));
  await engine.plan();
  await settle();
  expect(startsOf()).toEqual([2]);
  expect(await store.find('s1')).toMatchObject({ state: 'whole', savedBytes: size });
});

test('pieces that the browser has removed are fetched again', async () => {
  await store.add(waiting({ state: 'failed', reason: 'evicted', version: '1-a', savedBytes: size }));
  await bytes.write('s1', 0, new Blob([new Uint8Array(savedPieceBytes)]));
  await engine.plan();
  await settle();
  expect(startsOf()).toEqual([1, 2]);
  expect(await store.find('s1')).toMatchObject({ state: 'whole', reason: null });
});

test('bytes that do not play are fetched once more, and not for ever', async () => {
  expect(await save({ state: 'failed', reason: 'unplayable', failures: 1 })).toMatchObject({ state: 'whole' });
  asked = [];
  expect(await save({ id: 's2', videoId: 'v2', state: 'failed', reason: 'unplayable', failures: 2 })).toMatchObject({
    state: 'failed',
  });
  expect(asked).toEqual([]);
});

test('one of the reel that the browser has removed is not', async () => {
  expect(await save({ kind: 'reel', state: 'failed', reason: 'evicted' })).toMatchObject({ state: 'failed' });
  expect(asked).toEqual([]);
});

test('an answer that is none waits, longer each time, and the probe is asked for', async () => {
  answer = () => ({ kind: 'away' });
  expect(await save()).toMatchObject({ state: 'waiting', savedBytes: 0 });
  expect([asked.length, unanswered]).toEqual([1, 1]);
  vi.advanceTimersByTime(1_000);
  await settle();
  expect(asked).toHaveLength(2);
  vi.advanceTimersByTime(1_000);
  await settle();
  expect(asked).toHaveLength(2);
  answer = (start, end) => pieceOf(start, Math.min(end, size));
  vi.advanceTimersByTime(1_000);
  await settle();
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
});

test('an address of which nothing can be read is asked for again: a store refuses without saying so', async () => {
  let addresses = 0;
  address = ({ rendition }) => {
    addresses += 1;
    return { kind: 'found', url: `https://s3.example/${addresses}`, rendition, version: '1-a' };
  };
  answer = () => ({ kind: 'away' });
  await save();
  answer = (start, end) => pieceOf(start, Math.min(end, size));
  vi.advanceTimersByTime(1_000);
  await settle();
  expect(asked.map(([url]) => url.slice(-1))).toEqual(['1', '2', '2', '2']);
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
});

test('a network that is back ends the wait', async () => {
  answer = () => ({ kind: 'away' });
  await save();
  answer = (start, end) => pieceOf(start, Math.min(end, size));
  vi.advanceTimersByTime(1_000);
  engine.hurry();
  await settle();
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
});

test('a clock that is set back does not prolong the wait', async () => {
  answer = () => ({ kind: 'away' });
  await save();
  answer = (start, end) => pieceOf(start, Math.min(end, size));
  vi.setSystemTime(Date.now() - 86_400_000);
  vi.advanceTimersByTime(2_000);
  await settle();
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
});

test('a file of another length is not that file', async () => {
  answer = (start, end) =>
    ({ ...pieceOf(start, Math.min(end, size)), total: start > 0 ? size + 1 : size }) as PieceAnswer;
  expect(await save()).toMatchObject({ state: 'waiting', savedBytes: savedPieceBytes });
});

test('another version in the answer begins the file anew', async () => {
  await store.add(waiting({ version: '0-z', savedBytes: savedPieceBytes }));
  await bytes.write('s1', 0, new Blob([new Uint8Array(savedPieceBytes)]));
  await engine.plan();
  await settle();
  expect(startsOf()).toEqual([0, 1, 2]);
  expect(await store.find('s1')).toMatchObject({ state: 'whole', version: '1-a' });
});

test('an address that is refused is asked for again, and not for ever', async () => {
  let addresses = 0;
  address = ({ rendition }) => {
    addresses += 1;
    return { kind: 'found', url: `/${addresses}`, rendition, version: '1-a' };
  };
  answer = (start, end) =>
    asked[asked.length - 1]?.[0] === '/1' ? { kind: 'refused' } : pieceOf(start, Math.min(end, size));
  expect(await save()).toMatchObject({ state: 'whole' });
  answer = () => ({ kind: 'refused' });
  expect(await save({ id: 's2', videoId: 'v2' })).toMatchObject({ state: 'waiting' });
  expect(addresses).toBe(5);
});

test.each<[string, Partial<SavedVideo>, SavedAddress, object]>([
  ['is gone', {}, { kind: 'refused', reason: 'gone' }, { state: 'failed', reason: 'gone' }],
  ['is not in the plan', {}, { kind: 'refused', reason: 'plan' }, { state: 'failed', reason: 'plan' }],
  [
    'has only the small encoding for this plan',
    { rendition: 'hd' },
    { kind: 'found', url: '/grid', rendition: 'grid', version: '1-g' },
    { state: 'failed', reason: 'plan' },
  ],
])('a video that %s ends with that reason', async (_, fields, given, ended) => {
  address = () => given;
  expect(await save(fields)).toMatchObject(ended);
  vi.advanceTimersByTime(600_000);
  engine.hurry();
  await settle();
  expect(asked).toEqual([]);
});

test('an encoding that is gone is replaced by what the server has in its place', async () => {
  address = () => ({ kind: 'found', url: '/source', rendition: 'source', version: '2-s' });
  expect(await save()).toMatchObject({ state: 'whole', rendition: 'source', version: '2-s' });
});

test.each([0, 1, 2])('a disk that is full at piece %i pauses the video, and it goes on from there', async (full) => {
  files.free = full * savedPieceBytes;
  expect(await save()).toMatchObject({ state: 'paused', reason: 'no-room', savedBytes: full * savedPieceBytes });
  files.free = Number.POSITIVE_INFINITY;
  asked = [];
  await store.change('s1', () => ({ state: 'waiting', reason: null }));
  await engine.plan();
  await settle();
  expect(startsOf()).toEqual([0, 1, 2].slice(full));
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
});

test('a video for which there is no room is not begun', async () => {
  hasRoom = false;
  expect(await save()).toMatchObject({ state: 'paused', reason: 'no-room' });
  expect(asked).toEqual([]);
});

test('a file that turns out to be too large ends', async () => {
  answer = (start, end) =>
    ({ ...pieceOf(start, Math.min(end, size)), total: limits.savedFileBytes + 1 }) as PieceAnswer;
  expect(await save()).toMatchObject({ state: 'failed', reason: 'too-large', savedBytes: 0 });
});

test('nothing is fetched over a link that the viewer has not allowed', async () => {
  mayFetch = false;
  expect(await save()).toMatchObject({ state: 'waiting' });
  mayFetch = true;
  await engine.plan();
  await settle();
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
});

test('a paused video stops at once, and a removed one leaves no bytes', async () => {
  let release = () => {};
  answer = (start, end) =>
    new Promise((resolve) => {
      release = () => resolve(pieceOf(start, Math.min(end, size)));
    });
  await save();
  expect(engine.activeId).toBe('s1');
  await store.change('s1', () => ({ state: 'paused' }));
  await engine.plan();
  release();
  await settle();
  expect(await store.find('s1')).toMatchObject({ state: 'paused', savedBytes: 0 });
  await store.change('s1', () => ({ state: 'waiting' }));
  await engine.plan();
  await settle();
  await store.remove(['s1']);
  release();
  await settle();
  expect([await store.find('s1'), await bytes.listOwners()]).toEqual([null, []]);
});

test('bytes stay when a newer build in another tab changes the database while they come', async () => {
  answer = async (start, end) => {
    if (start > 0) (await openDB('fourfold', databaseVersion + 1)).close();
    return pieceOf(start, Math.min(end, size));
  };
  await save();
  expect(startsOf()).toEqual([0, 1]);
  expect(await bytes.measure({ id: 's1', size, type: 'video/mp4' })).toBe(2 * savedPieceBytes);
});

test('a connection that a quadrant needs is given up, and the same piece is fetched when one is free', async () => {
  const four = Array.from({ length: 4 }, () => request('quadrant'));
  let release = () => {};
  answer = (start, end) =>
    new Promise((resolve) => {
      release = () => resolve(pieceOf(start, Math.min(end, size)));
    });
  await save();
  expect(startsOf()).toEqual([0]);
  const fifth = request('quadrant');
  release();
  await settle();
  expect(await store.find('s1')).toMatchObject({ savedBytes: 0 });
  answer = (start, end) => pieceOf(start, Math.min(end, size));
  fifth.release();
  await settle();
  expect(startsOf()).toEqual([0, 0, 1, 2]);
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
  expect(four.every(({ isHeld }) => isHeld)).toBe(true);
});

test('a stopped engine leaves the row as it is, for the next tab', async () => {
  answer = () => new Promise(() => {});
  await save();
  engine.stop();
  await settle();
  expect(await store.find('s1')).toMatchObject({ state: 'saving' });
  answer = (start, end) => pieceOf(start, Math.min(end, size));
  engine = createEngine();
  await engine.plan();
  await settle();
  expect(await store.find('s1')).toMatchObject({ state: 'whole' });
});

const request = (priority: 'quadrant') =>
  budget.request({ needs: ['connection'], priority, granted: () => {}, revoked: () => {} });

describe('a video that the site makes smaller first', () => {
  const minute = 60_000;

  async function ask(progress: number | null): Promise<SavedVideo | null> {
    if (progress !== null) address = () => ({ kind: 'encoding', progress });
    vi.advanceTimersByTime(5_000);
    await settle();
    return store.find('s1');
  }

  test('waits for it without a byte of the source, and fetches the small file when it is there', async () => {
    address = () => ({ kind: 'encoding', progress: 0 });
    expect(await save({ rendition: 'source', size: 1e9 })).toMatchObject({ state: 'waiting', savedBytes: 0 });
    expect(engine.listEncodings()).toEqual({ s1: 0 });
    await ask(40);
    expect(engine.listEncodings()).toEqual({ s1: 40 });
    expect(asked).toEqual([]);
    address = () => ({ kind: 'found', url: '/grid?version=2-a', rendition: 'grid', version: '2-a' });
    expect(await ask(null)).toMatchObject({ state: 'whole', rendition: 'grid', size, savedBytes: size });
    expect(engine.listEncodings()).toEqual({});
    expect(unanswered).toBe(0);
  });

  test('holds up no other video', async () => {
    address = ({ id }) =>
      id === 's1'
        ? { kind: 'encoding', progress: 0 }
        : { kind: 'found', url: '/grid?version=1-a', rendition: 'grid', version: '1-a' };
    await store.add(waiting({ id: 's1', videoId: 'v1', rendition: 'source', size: 1 }));
    expect(await save({ id: 's2', videoId: 'v2' })).toMatchObject({ state: 'whole' });
    expect(await store.find('s1')).toMatchObject({ state: 'waiting' });
  });

  test('is left to its viewer after ten minutes, counted across pages', async () => {
    address = () => ({ kind: 'encoding', progress: 3 });
    await save({ rendition: 'source' });
    engine.stop();
    vi.setSystemTime(Date.now() + 9 * minute);
    engine = createEngine();
    await engine.plan();
    await settle();
    expect(await store.find('s1')).toMatchObject({ state: 'waiting', reason: null });
    vi.setSystemTime(Date.now() + minute);
    expect(await ask(4)).toMatchObject({ state: 'paused', reason: 'not-smaller' });
    expect(engine.listEncodings()).toEqual({});
  });

  test('does not wait longer because the clock is set back', async () => {
    address = () => ({ kind: 'encoding', progress: 3 });
    await save({ rendition: 'source', encodedSince: Date.now() + 24 * 60 * minute });
    expect(await store.find('s1')).toMatchObject({ state: 'paused', reason: 'not-smaller' });
  });

  test('looks for room once more when the file turns out larger than was said', async () => {
    const sizes: number[] = [];
    engine.stop();
    engine = createEngine((row) => {
      sizes.push(row.size);
      return row.size <= 10;
    });
    address = () => ({ kind: 'found', url: '/grid?version=2-a', rendition: 'grid', version: '2-a' });
    expect(await save({ rendition: 'source', size: 1e9 })).toMatchObject({ state: 'paused', reason: 'no-room', size });
    expect(sizes).toEqual([0, size]);
  });
});

describe('what is kept beside the bytes', () => {
  const subtitles = [{ track: 0, language: 'en', label: 'English', text: 'WEBVTT' }];
  const later = async (ms: number) => {
    await vi.advanceTimersByTimeAsync(ms);
    await settle();
  };

  test('comes later from a server that was busy, and the video plays meanwhile', async () => {
    extras = () => ({ hasExtras: false });
    expect(await save()).toMatchObject({ state: 'whole', hasExtras: false, subtitles: [] });
    const fetched = asked.length;
    extras = () => ({ hasExtras: true, subtitles });
    await later(2_000);
    expect(await store.find('s1')).toMatchObject({ state: 'whole', hasExtras: true, subtitles });
    expect([asked.length, unanswered]).toEqual([fetched, 0]);
  });

  test('is not asked for without an end', async () => {
    let tries = 0;
    extras = () => {
      tries += 1;
      return { hasExtras: false };
    };
    await save();
    for (let minute = 0; minute < 20; minute += 1) await later(100_000);
    const before = tries;
    await later(1_000_000);
    expect([tries, before]).toEqual([before, 9]);
  });

  test('is fetched for one of the reel that the viewer has chosen, and for no other of the reel', async () => {
    const reel = { kind: 'reel' as const, state: 'whole' as const, savedBytes: size };
    const row = { ...waiting(reel), hasExtras: undefined };
    await store.add({ ...row, id: 'reel', videoId: 'v1' } as SavedVideo);
    await store.add({ ...row, id: 'chosen', videoId: 'v2', kind: 'chosen' } as SavedVideo);
    extras = () => ({ hasExtras: true, subtitles });
    await engine.plan();
    await settle();
    const lists = await Promise.all(['reel', 'chosen'].map((id) => store.find(id)));
    expect(lists.map((one) => one?.subtitles)).toEqual([[], subtitles]);
    expect(asked).toEqual([]);
  });
});
