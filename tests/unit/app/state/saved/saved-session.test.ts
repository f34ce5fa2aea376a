import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import type { PlayableVideo } from '#app/playback/quality/playable-video.ts';
import { applyUser, endLocalSession } from '#app/state/account.ts';
import { chooseReelSize, reelChoice, setWifiOnly } from '#app/state/link-choice.ts';
import { changedOnServer } from '#app/state/revision.ts';
import {
  followFilter,
  forgetFilters,
  keepingOf,
  keepVideos,
  listNewest,
  pauseSaved,
  resumeSaved,
  startKeeping,
  stopKeeping,
} from '#app/state/saved/keeping.ts';
import { reel } from '#app/state/saved/reel.ts';
import { listPlayable, openVideo } from '#app/state/saved/saved-library.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import { chooseSpace, savedSpace } from '#app/state/saved/saved-room.ts';
import { removeAllSaved, removeSaved, savedOpened, savedTidied } from '#app/state/saved/saved-session.ts';
import { saved, savedChecked, savedRemoved } from '#app/state/saved/saved-state.ts';
import { resetSession, session } from '#app/state/session.ts';
import { changeSettings } from '#app/state/settings.ts';
import type { Processing } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { deviceDatabase } from '#device/device-database.ts';
import { openSavedBytes, PieceRecords } from '#device/saved/saved-bytes.ts';
import { savedStore } from '#device/saved/saved-store.ts';
import { clockParts, fakeIndexedDb, holdStore, runDatabase } from '../../../device/fake-indexed-db.ts';
import { fakePrivateFiles } from '../../../device/saved/fake-private-files.ts';
import { savedRow } from '../../../device/saved/saved-row.ts';
import { fakeLocks } from '../../transfer/fake-locks.ts';
import { fakeBrowser } from '../fake-browser.ts';
import { tokenOf } from '../outbox/fake-api.ts';
import { person } from '../people.ts';
import { FakeChannel } from '../uploads/fake-channel.ts';
import type { SiteVideo } from './saved-site.ts';
import { bytesOf, FakeTimings, SavedSite } from './saved-site.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const { savedPieceBytes } = limits;

let site: SavedSite;
let page: { onLine: boolean; userAgent: string; locks: LockManager; storage: object; connection?: object };
let asksToKeep: number;
let room: { quota: number; usage: number };

beforeAll(fakeIndexedDb);

beforeEach(async () => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.parse('2026-11-26T12:00:00Z') });
  fakeBrowser();
  asksToKeep = 0;
  room = { quota: 1e12, usage: 0 };
  const storage = {
    estimate: async () => room,
    persisted: async () => false,
    persist: async () => {
      asksToKeep += 1;
      return false;
    },
  };
  page = { onLine: true, userAgent: 'Chrome/153', locks: fakeLocks(), storage };
  vi.stubGlobal('navigator', page);
  vi.stubGlobal('BroadcastChannel', FakeChannel);
  vi.stubGlobal('document', { createElement: () => ({ canPlayType: () => 'probably' }) });
  vi.stubGlobal('PerformanceObserver', FakeTimings);
  Object.assign(window, { BroadcastChannel: FakeChannel, matchMedia: () => ({ matches: false }) });
  site = new SavedSite();
  signIn('ana');
});

afterEach(async () => {
  await forgetFilters();
  stopKeeping();
  const { videos, unusable } = await savedStore.listAll();
  await savedStore.remove([...videos.map(({ id }) => id), ...unusable]);
  const bytes = await openSavedBytes();
  for (const owner of (await bytes?.listOwners()) ?? []) await bytes?.remove(owner);
  await deviceDatabase.run(
    (connection) => connection.clear('facts'),
    () => undefined,
  );
  savedSpace.chosen = null;
  setWifiOnly('saving', true);
  chooseReelSize(limits.recentReelMegabytes);
  FakeChannel.posted.length = 0;
  clearTokens();
  resetSession();
  vi.useRealTimers();
});

function signIn(id: string, facts: Parameters<typeof person>[1] = {}): void {
  const user = { ...person('pro', facts), id };
  storeTokens({ access_token: tokenOf(id), refresh_token: `refresh-${id}` });
  session.user = user;
  applyUser({ user, features: user.features });
}

const settle = () => runDatabase(400);

async function open(): Promise<void> {
  startKeeping();
  await savedTidied();
  await settle();
}

function listed(id: string, bytes = 100): PlayableVideo {
  return {
    ...{ id, path: id, title: `${id}.mp4`, url: '', rendition: 'grid', storyboard: null, posterUrl: null },
    ...{ width: 640, height: 360, durationSeconds: 16, tagIds: [] },
    renditions: [{ name: 'grid', bytes, width: 640, height: 360 }],
  };
}

async function keep(...ids: string[]): Promise<boolean> {
  const isKept = await keepVideos(ids.flatMap((id) => keepingOf(listed(id, site.videos.get(id)?.bytes), false) ?? []));
  await settle();
  return isKept;
}

const statesOf = () => saved.rows.map(({ videoId, state, reason }) => [videoId, state, ...(reason ? [reason] : [])]);
const ownersOf = async () => (await openSavedBytes())?.listOwners();

test('what is kept is fetched, plays from here, and the browser is asked once to keep it', async () => {
  site.put('a');
  site.put('b', { bytes: savedPieceBytes + 1 });
  await open();
  expect(await keep('a', 'b')).toBe(true);
  expect(await keep('a')).toBe(true);
  expect(statesOf()).toEqual([
    ['a', 'whole'],
    ['b', 'whole'],
  ]);
  expect([savedNotice.playable, asksToKeep, saved.isPersistent]).toEqual([2, 1, false]);
  expect(site.ranges).toEqual(['a 0-2097151', 'b 0-2097151', 'b 2097152-2097152']);
  const [first] = await listPlayable();
  expect(first && (await openVideo(first))).toMatchObject({ id: 'a', url: expect.stringMatching(/^blob:/) });
});

test.each<[string, (start: number, end: number) => Response]>([
  ["a portal's page", () => new Response('<html>', { headers: { 'content-type': 'text/html' } })],
  ['a page as a part', (start, end) => bytesOf(start, end, 100, { 'content-type': 'text/html' })],
  ['the whole file', () => new Response(new Uint8Array(100), { headers: { 'content-type': 'video/mp4' } })],
  ['a cut', (start, end) => bytesOf(start, end, 100, { 'content-range': `bytes ${start}-${end}/101` })],
  ['another part', (start, end) => bytesOf(start + 1, end, 100)],
  ['a proxy without its server', () => new Response('', { status: 502 })],
])('%s in place of a piece is never stored', async (_, answer) => {
  site.put('a');
  site.interfere = answer;
  await open();
  await keep('a');
  expect(statesOf()).toEqual([['a', 'waiting']]);
  expect(await ownersOf()).toEqual([]);
});

test('nobody else sees or plays what somebody keeps; who comes back has it again', async () => {
  site.put('a');
  await open();
  await keep('a');
  await endLocalSession();
  await settle();
  session.phase = 'known';
  await settle();
  expect([statesOf(), await listPlayable(), savedNotice.playable]).toEqual([[], [], 0]);
  signIn('bob');
  await settle();
  expect(statesOf()).toEqual([]);
  await keep('a');
  // A second account has bytes of its own.
  expect(await ownersOf()).toHaveLength(2);
  signIn('ana');
  await settle();
  expect(statesOf()).toEqual([['a', 'whole']]);
});

test('a start with a clock that is years ahead removes no video of somebody else', async () => {
  await savedStore.add(savedRow({ userId: 'bob' }));
  const right = Date.now();
  for (const clock of [right, right + 10 * 365 * dayMs, right]) {
    vi.setSystemTime(clock);
    await open();
    stopKeeping();
  }
  expect(await savedStore.list('bob')).toHaveLength(1);
});

test('a session that has ended here locks its videos, and they are removed after the days of the outbox', async () => {
  await savedStore.add(savedRow({ userId: 'bob', lockedAt: Date.now() - limits.outboxKeptDays * dayMs - 1 }));
  await (await openSavedBytes())?.write('s1', 0, new Blob(['bytes']));
  await open();
  expect([await savedStore.listAll(), await ownersOf()]).toEqual([{ videos: [], unusable: [] }, []]);
});

test('a video that is removed leaves nothing behind, and no tab plays it any more', async () => {
  site.put('a');
  await open();
  await keep('a');
  const { id } = saved.rows[0] ?? { id: '' };
  const removed: string[][] = [];
  const stop = savedRemoved.listen((ids) => removed.push([...ids]));
  await removeSaved([id]);
  stop();
  expect([statesOf(), await ownersOf(), removed]).toEqual([[], [], [[id]]]);
  expect(FakeChannel.posted).toContainEqual({ kind: 'removed', ids: [id] });
});

test('a removal in another tab is heard here at once', async () => {
  site.put('a');
  await open();
  await keep('a');
  const { id } = saved.rows[0] ?? { id: '' };
  const removed: string[][] = [];
  const stop = savedRemoved.listen((ids) => removed.push([...ids]));
  await savedStore.remove([id]);
  FakeChannel.say({ kind: 'removed', ids: [id] } as never);
  await settle();
  stop();
  expect([statesOf(), removed]).toEqual([[], [[id]]]);
});

describe('the right to it', () => {
  const old = { checkedAt: Date.parse('2026-11-26T12:00:00Z') - hourMs, holdsUntil: Date.parse('2026-12-01') };

  async function openWith(...rows: Parameters<typeof savedRow>[0][]): Promise<void> {
    const bytes = await openSavedBytes();
    for (const [index, fields] of rows.entries()) {
      const row = savedRow({ id: `s${index}`, savedAt: index, size: 10, ...old, ...fields });
      await savedStore.add(row);
      await bytes?.write(row.id, 0, new Blob([new Uint8Array(row.size)]));
    }
    await open();
  }

  test('is confirmed with the channels of now, at most once an hour', async () => {
    site.put('a', { tagIds: ['new'] });
    await openWith({ videoId: 'a' });
    const held = Date.now() + limits.savedCheckDays * dayMs;
    expect(saved.rows).toMatchObject([{ tagIds: ['new'], checkedAt: Date.now(), holdsUntil: held }]);
    stopKeeping();
    await open();
    expect(site.asked.filter((line) => line.endsWith('/check'))).toHaveLength(1);
  });

  test('is asked for again after a clock that was years ahead is put right, and then once an hour', async () => {
    site.put('a');
    vi.setSystemTime(Date.parse('2029-11-26'));
    await openWith({ videoId: 'a', holdsUntil: Date.parse('2030-01-01') });
    expect(await listPlayable()).toHaveLength(1);
    vi.setSystemTime(Date.parse('2026-11-27'));
    for (let starts = 0; starts < 2; starts += 1) {
      stopKeeping();
      await open();
    }
    expect(site.asked.filter((line) => line.endsWith('/check'))).toHaveLength(2);
    site.put('a', { state: 'gone' });
    vi.setSystemTime(Date.now() + hourMs);
    stopKeeping();
    await open();
    expect(statesOf()).toEqual([['a', 'failed', 'gone']]);
  });

  test('comes with the title and the place that the video has by now', async () => {
    site.put('a');
    site.put('b', { title: 'North pier' });
    await openWith({ videoId: 'a', filename: 'a.mp4' }, { videoId: 'b', filename: 'b.mp4' });
    expect(saved.rows.map(({ filename, path }) => [filename, path])).toEqual([
      ['a.mp4', savedRow({ id: 's0' }).path],
      ['North pier', 'moved/b'],
    ]);
  });

  test('ends with the video: one of the reel leaves quietly, a chosen one stays in the list and says why', async () => {
    site.put('b', { state: 'hidden' });
    await openWith({ videoId: 'a' }, { videoId: 'b' }, { videoId: 'c', kind: 'reel' });
    expect(statesOf()).toEqual([
      ['a', 'failed', 'gone'],
      ['b', 'failed', 'gone'],
    ]);
    expect([await ownersOf(), savedNotice.playable]).toEqual([[], 0]);
  });

  test('is asked for again at once when the plan has changed', async () => {
    site.put('a');
    await openWith({ videoId: 'a' });
    expect(await listPlayable()).toHaveLength(1);
    site.put('a', { state: 'gone' });
    changedOnServer.profile.emit();
    await vi.waitFor(() => expect(statesOf()).toEqual([['a', 'failed', 'gone']]));
  });

  test('ends with the plan, which is said, and begins again with it', async () => {
    site.put('a', { state: 'not_in_plan' });
    await openWith({ videoId: 'a', rendition: 'hd' });
    expect(await listPlayable()).toEqual([]);
    site.put('a');
    vi.setSystemTime(Date.now() + hourMs);
    stopKeeping();
    await open();
    expect(await listPlayable()).toHaveLength(1);
  });

  test('ends by itself where the server was not asked for long, and a clock that is set back does not bring it back', async () => {
    site.isAway = true;
    await openWith({ videoId: 'a' });
    expect(await listPlayable()).toHaveLength(1);
    vi.setSystemTime(Date.parse('2026-12-01T00:00:01Z'));
    expect(await listPlayable()).toEqual([]);
    vi.setSystemTime(Date.parse('2026-11-26T12:00:00Z'));
    expect(await listPlayable()).toEqual([]);
  });

  test('to a large encoding ends with a dated plan', async () => {
    signIn('ana', { subscription_expires_at: '2026-11-30T00:00:00.000Z' });
    site.put('a');
    await openWith({ videoId: 'a', rendition: 'hd' }, { videoId: 'a', rendition: 'grid' });
    expect(saved.rows.map(({ holdsUntil }) => holdsUntil)).toEqual([
      Date.parse('2026-11-30'),
      Date.now() + limits.savedCheckDays * dayMs,
    ]);
  });
});

describe('what an earlier page left', () => {
  test('bytes without a row are removed, and so are rows that no build can use', async () => {
    const bytes = await openSavedBytes();
    await bytes?.write('orphan', 0, new Blob(['bytes']));
    await savedStore.add(savedRow({ id: 'strange', savedBytes: 6e6 }));
    await open();
    expect([await ownersOf(), await savedStore.listAll()]).toEqual([[], { videos: [], unusable: [] }]);
  });

  test('bytes stay while their rows cannot be read, as under an older build', async () => {
    Object.assign(page.storage, { getDirectory: fakePrivateFiles().root });
    vi.stubGlobal(
      'FileSystemFileHandle',
      class {
        createWritable() {}
      },
    );
    const bytes = await openSavedBytes(true);
    await bytes?.write('s1', 0, new Blob([new Uint8Array(10)]));
    await savedStore.add(savedRow({ id: 's1', videoId: 'a', size: 10, checkedAt: Date.now() }));
    const unread = vi.spyOn(deviceDatabase, 'runStored').mockImplementation(async (_, none) => none());
    await open();
    stopKeeping();
    unread.mockRestore();
    site.isAway = true;
    await open();
    expect(statesOf()).toEqual([['a', 'whole']]);
    vi.stubGlobal('FileSystemFileHandle', undefined);
    await removeSaved(['s1']);
    await openSavedBytes(true);
  });

  test('videos that were kept before the browser had private files stay, and leave nothing behind', async () => {
    const records = new PieceRecords(deviceDatabase);
    const ids = ['chosen', 'reel', 'orphan'] as const;
    for (const id of ids) await records.write(id, 0, new Blob([new Uint8Array(10)]));
    for (const kind of ['chosen', 'reel'] as const)
      await savedStore.add(savedRow({ id: kind, videoId: kind, size: 10, kind, checkedAt: Date.now() }));
    Object.assign(page.storage, { getDirectory: fakePrivateFiles().root });
    vi.stubGlobal(
      'FileSystemFileHandle',
      class {
        createWritable() {}
      },
    );
    await openSavedBytes(true);
    site.isAway = true;
    await open();
    expect(statesOf()).toEqual([
      ['chosen', 'whole'],
      ['reel', 'whole'],
    ]);
    expect(await records.listOwners()).toEqual(['chosen', 'reel']);
    await removeSaved(['chosen', 'reel']);
    expect(await records.listOwners()).toEqual([]);
    vi.stubGlobal('FileSystemFileHandle', undefined);
    await openSavedBytes(true);
  });

  test('a video whose bytes could not be read once plays again without the network', async () => {
    await (await openSavedBytes())?.write('s1', 0, new Blob([new Uint8Array(10)]));
    const failed = { state: 'failed', reason: 'evicted', savedBytes: 0 } as const;
    const confirmed = { checkedAt: Date.now(), holdsUntil: Date.now() + dayMs };
    await savedStore.add(savedRow({ id: 's1', videoId: 'a', size: 10, ...failed, ...confirmed }));
    page.onLine = false;
    site.isAway = true;
    await open();
    expect(statesOf()).toEqual([['a', 'whole']]);
    expect(await listPlayable()).toHaveLength(1);
  });

  test('a video that the browser has removed is fetched again, and one of the reel leaves', async () => {
    site.put('a', { bytes: 10 });
    await savedStore.add(savedRow({ id: 's1', videoId: 'a', path: 'a', size: 10, checkedAt: Date.now() }));
    await savedStore.add(
      savedRow({ id: 's2', videoId: 'b', path: 'b', size: 10, kind: 'reel', checkedAt: Date.now() }),
    );
    site.isAway = true;
    await open();
    expect(statesOf()).toContainEqual(['a', 'waiting']);
    site.isAway = false;
    stopKeeping();
    await open();
    expect(statesOf()).toEqual([['a', 'whole']]);
  });
});

describe('the audio track in the language that was chosen last', () => {
  beforeEach(() => changeSettings({ audioLanguage: 'de' }));
  afterEach(() => changeSettings({ audioLanguage: null }));

  const versionsOf = () => saved.rows.map(({ state, version, audioTrack }) => [state, version, audioTrack]);

  test('is kept, once the site has made it', async () => {
    site.put('a', { german: { state: 'running', progress: 41.7 } });
    await open();
    await keep('a');
    expect([versionsOf(), site.ranges]).toEqual([[['waiting', '', undefined]], []]);
    expect(Object.values(saved.encodings)).toEqual([41]);
    site.put('a', { german: null });
    stopKeeping();
    await open();
    expect(versionsOf()).toEqual([['whole', '1-a-german', 1]]);
  });

  test.each([
    ['cannot be made', { german: { state: 'failed', progress: 0 } as const }],
    ['is not in the file', {}],
  ])('gives way to the default one when it %s', async (_, facts) => {
    site.put('a', facts);
    await open();
    await keep('a');
    expect(versionsOf()).toEqual([['whole', '1-a', undefined]]);
  });

  test('stays the one of the bytes that are here', async () => {
    site.put('a', { german: null });
    await open();
    await keep('a');
    const [{ id = '' } = {}] = saved.rows;
    stopKeeping();
    changeSettings({ audioLanguage: 'en' });
    site.put('a', { german: null, bytes: savedPieceBytes + 10 });
    await (await openSavedBytes())?.write(id, 0, new Blob([new Uint8Array(savedPieceBytes)]));
    await savedStore.change(id, () => ({ state: 'waiting', size: savedPieceBytes + 10, savedBytes: savedPieceBytes }));
    site.asked.length = 0;
    await open();
    expect([versionsOf(), site.ranges]).toEqual([
      [['whole', '1-a-german', 1]],
      [`a ${savedPieceBytes}-${savedPieceBytes + 9}`],
    ]);
  });
});

describe('a heavy source without an encoding', () => {
  /** 30 MB for 16 s. */
  async function keepHeavy(processing: Processing | null): Promise<SiteVideo> {
    const video = site.put('a', { processing });
    await open();
    const source = { name: 'source' as const, bytes: 30_000_000, width: 640, height: 360 };
    await keepVideos([{ video: { ...listed('a'), renditions: [source] }, file: source }]);
    await settle();
    return video;
  }

  test('is made smaller first', async () => {
    await keepHeavy({ state: 'running', progress: 41.7 });
    expect([statesOf(), site.ranges]).toEqual([[['a', 'waiting']], []]);
    expect(Object.values(saved.encodings)).toEqual([41]);
  });

  test('is kept as it is when the site makes nothing smaller', async () => {
    const failed: Processing = { state: 'failed', progress: 0 };
    await keepHeavy(failed);
    expect(statesOf()).toEqual([['a', 'whole']]);
  });

  test('of which bytes are here is fetched to its end', async () => {
    await keepHeavy({ state: 'running', progress: 50 });
    const [{ id = '' } = {}] = saved.rows;
    stopKeeping();
    site.put('a', { bytes: savedPieceBytes + 10, processing: { state: 'running', progress: 50 } });
    await (await openSavedBytes())?.write(id, 0, new Blob([new Uint8Array(savedPieceBytes)]));
    const begun = { version: '1-a', size: savedPieceBytes + 10, savedBytes: savedPieceBytes, durationSeconds: 0.1 };
    await savedStore.change(id, () => begun);
    await open();
    expect([statesOf(), site.ranges]).toEqual([[['a', 'whole']], [`a ${savedPieceBytes}-${savedPieceBytes + 9}`]]);
  });

  test('is kept as it is when the viewer has waited for ten minutes and takes it', async () => {
    await keepHeavy({ state: 'queued', progress: 0 });
    const [{ id = '' } = {}] = saved.rows;
    await savedStore.change(id, () => ({ encodedSince: Date.now() - 10 * 60_000 }));
    stopKeeping();
    await open();
    expect(statesOf()).toEqual([['a', 'paused', 'not-smaller']]);
    await resumeSaved(id);
    await settle();
    expect([statesOf(), saved.rows[0]?.rendition]).toEqual([[['a', 'whole']], 'source']);
  });
});

describe('room', () => {
  test('the list does not wait for the browser to say how much there is', async () => {
    site.put('a');
    await open();
    await keep('a');
    stopKeeping();
    const never = () => new Promise<never>(() => {});
    Object.assign(page.storage, { estimate: never, persisted: never });
    startKeeping();
    await settle();
    expect([saved.phase, statesOf(), saved.room]).toEqual(['known', [['a', 'whole']], null]);
  });

  test('a video that does not fit into the chosen space waits for room, and says so', async () => {
    site.put('a', { bytes: 1_500_000_000 });
    await open();
    chooseSpace(1e9);
    await keep('a');
    expect([statesOf(), site.ranges]).toEqual([[['a', 'paused', 'no-room']], []]);
    chooseSpace(2e9);
    site.put('a');
    await resumeSaved(saved.rows[0]?.id ?? '');
    await settle();
    expect(statesOf()).toEqual([['a', 'whole']]);
  });

  test('of what the browser still has, four fifths may be used', async () => {
    room = { quota: 1_000, usage: 0 };
    site.put('a', { bytes: 251 });
    await open();
    expect(saved.room).toMatchObject({ space: 250, left: 250 });
    room = { quota: 1_000, usage: 900 };
    chooseSpace(1e9);
    await settle();
    expect(saved.room?.left).toBe(80);
  });
});

describe('the link', () => {
  test('under Save-Data only what was pressed here is fetched', async () => {
    page.connection = { saveData: true };
    for (const id of ['a', 'b']) site.put(id);
    await savedStore.add(
      savedRow({ videoId: 'a', path: 'a', size: 100, savedBytes: 0, state: 'waiting', checkedAt: Date.now() }),
    );
    await open();
    expect(statesOf()).toEqual([['a', 'waiting']]);
    await keep('b');
    expect(statesOf()).toEqual([
      ['a', 'waiting'],
      ['b', 'whole'],
    ]);
  });

  test('a metered link is left alone, until the viewer allows it', async () => {
    page.connection = { type: 'cellular' };
    site.put('a');
    await open();
    await keep('a');
    expect(statesOf()).toEqual([['a', 'waiting']]);
    setWifiOnly('saving', false);
    await settle();
    expect(statesOf()).toEqual([['a', 'whole']]);
  });
});

test('a paused video waits for its viewer', async () => {
  site.put('a');
  site.isAway = true;
  await open();
  await keep('a');
  await pauseSaved(saved.rows[0]?.id ?? '');
  site.isAway = false;
  stopKeeping();
  await open();
  expect(statesOf()).toEqual([['a', 'paused']]);
});

test('what comes into a kept channel waits under Save-Data: nobody has pressed for it', async () => {
  page.connection = { saveData: true };
  await open();
  await followFilter({ tagIds: ['sea'], mode: 'OR', inHd: false, seconds: null, since: Date.now() });
  site.put('new', { tagIds: ['sea'], createdAt: '2026-11-27T00:00:00.000Z' });
  savedChecked.emit();
  await settle();
  expect(statesOf()).toEqual([['new', 'waiting']]);
});

test('what comes into a kept channel is kept, and what the viewer has removed does not come back', async () => {
  site.put('old', { tagIds: ['sea'] });
  await open();
  await followFilter({ tagIds: ['sea'], mode: 'OR', inHd: false, seconds: null, since: Date.now() });
  vi.setSystemTime(Date.now() + hourMs);
  site.put('new', { tagIds: ['sea'], createdAt: '2026-11-26T12:30:00.000Z' });
  savedChecked.emit();
  await settle();
  expect(statesOf()).toEqual([['new', 'whole']]);
  await removeSaved(saved.rows.map(({ id }) => id));
  savedChecked.emit();
  await settle();
  expect(statesOf()).toEqual([]);
});

test.each([
  ['ahead', '2026-11-28'],
  ['behind', '2026-11-20'],
])('what comes into a kept channel is kept once, also where the clock of the device is %s', async (_, time) => {
  vi.setSystemTime(Date.parse(time));
  site.put('old', { tagIds: ['sea'], createdAt: '2026-11-25T00:00:00.000Z' });
  const { newestAt: since } = await listNewest({ tagIds: ['sea'], mode: 'OR' });
  await open();
  await followFilter({ tagIds: ['sea'], mode: 'OR', inHd: false, seconds: null, since });
  for (const [id, day] of Object.entries({ new: 26, newer: 27 })) {
    site.put(id, { tagIds: ['sea'], createdAt: `2026-11-${day}T00:00:00.000Z` });
    savedChecked.emit();
    await settle();
    expect(statesOf()).toEqual([[id, 'whole']]);
    await removeSaved(saved.rows.map((row) => row.id));
  }
  savedChecked.emit();
  await settle();
  expect(statesOf()).toEqual([]);
});

describe('the reel', () => {
  /** Somebody has watched these, one after the other. */
  async function watch(...ids: string[]): Promise<void> {
    vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], now: Date.now() });
    for (const id of ids) {
      const bytes = site.videos.get(id)?.bytes ?? 0;
      const url = `/api/video/stream?path=${id}&rendition=grid&version=1-a`;
      const kept = reel.keep({ ...listed(id, bytes), url });
      for (let turn = 0; turn < 30; turn += 1) {
        await runDatabase(20);
        await vi.advanceTimersByTimeAsync(500);
      }
      await kept;
    }
  }

  test('keeps what was watched out of the cache of the browser, and nothing is sent once more', async () => {
    site.put('a', { bytes: savedPieceBytes + 10 });
    await open();
    await watch('a');
    expect(saved.rows).toMatchObject([
      { kind: 'reel', state: 'whole', version: '1-a', savedBytes: savedPieceBytes + 10 },
    ]);
    expect(await listPlayable()).toHaveLength(1);
  });

  test('leaves the rest of a file that the cache no longer has, and turns itself off after ten', async () => {
    const ids = Array.from({ length: 10 }, (_, index) => `v${index}`);
    for (const id of ids) site.put(id);
    site.lostShare = 0.2;
    await open();
    await watch(...ids.slice(0, 9));
    expect([saved.rows.length, reelChoice.isOn, await ownersOf()]).toEqual([0, true, []]);
    await watch(...ids.slice(9));
    expect(reelChoice.isOn).toBe(false);
  });

  test('of a piece that the cache no longer has, the next bytes are not asked for', async () => {
    site.put('a', { bytes: savedPieceBytes });
    site.lostShare = 0.9;
    await open();
    await watch('a');
    expect(site.ranges).toEqual([`a 0-${limits.pieceMinBytes - 1}`]);
  });

  test.each<[string, () => void]>([
    ['when it is off', () => chooseReelSize(0)],
    ['under Save-Data', () => Object.assign(page, { connection: { saveData: true } })],
    ['on a metered link', () => Object.assign(page, { connection: { type: 'cellular' } })],
  ])('keeps nothing %s', async (_, arrange) => {
    site.put('a');
    arrange();
    await open();
    await watch('a');
    expect([saved.rows, site.ranges]).toEqual([[], []]);
  });

  test('gives way to what the viewer chooses, the least recently played first', async () => {
    await open();
    for (const [at, id] of ['late', 'early'].entries())
      await savedStore.add(
        savedRow({ id, videoId: id, kind: 'reel', size: 6e8, playedAt: 10 - at, checkedAt: Date.now() }),
      );
    chooseSpace(2e9);
    await settle();
    site.put('a', { bytes: 1e9 });
    site.interfere = () => new Response('', { status: 502 });
    await keep('a');
    expect(statesOf()).toEqual([
      ['late', 'whole'],
      ['a', 'waiting'],
    ]);
  });

  test('takes no more than its own room', async () => {
    await open();
    for (const [at, id] of ['early', 'late'].entries())
      await savedStore.add(savedRow({ id, videoId: id, kind: 'reel', size: 9e7, playedAt: at, checkedAt: Date.now() }));
    chooseSpace(2e9);
    await settle();
    site.put('a', { bytes: 5e7 });
    site.interfere = () => new Response('', { status: 502 });
    await watch('a');
    expect(saved.rows.map(({ videoId }) => videoId)).toEqual(['late']);
    site.put('b', { bytes: 3e8 });
    await watch('b');
    expect(saved.rows.map(({ videoId }) => videoId)).toEqual(['late']);
  });

  test('a watched video that the viewer keeps is not fetched again', async () => {
    site.put('a');
    await open();
    await watch('a');
    const before = site.ranges.length;
    await keep('a');
    expect(saved.rows).toMatchObject([{ kind: 'chosen', state: 'whole' }]);
    expect(site.ranges).toHaveLength(before);
  });
});

describe('a browser that does not answer', () => {
  const never = () => new Promise<never>(() => {});
  let opened: number;
  let release: () => void;

  beforeEach(() => {
    opened = 0;
    release = () => {};
    vi.useFakeTimers({ toFake: [...clockParts], now: Date.now() });
  });

  afterEach(() => {
    release();
    Reflect.deleteProperty(globalThis, 'FileSystemFileHandle');
  });

  async function openFor(ms: number): Promise<void> {
    void savedOpened().then(() => {
      opened += 1;
    });
    await settle();
    await vi.advanceTimersByTimeAsync(ms);
    await settle();
  }

  const untilLate = () => openFor(limits.callTimeoutSeconds * 1000);

  test('and a server that does not check rights keep neither rows nor place of the bytes back', async () => {
    await savedStore.add(savedRow({ videoId: 'a', size: 10, checkedAt: 0 }));
    await (await openSavedBytes())?.write('s1', 0, new Blob([new Uint8Array(10)]));
    site.isSilent = true;
    await openFor(0);
    expect([opened, saved.phase, saved.isPossible, statesOf()]).toEqual([1, 'known', true, [['a', 'whole']]]);
    expect(site.asked).toEqual(['POST /api/videos/check']);
  });

  test('about the rows is told of, and the rows are shown as soon as it does', async () => {
    await savedStore.add(savedRow({ videoId: 'a', checkedAt: Date.now() }));
    release = await holdStore('saved-videos');
    await untilLate();
    expect([opened, saved.phase]).toEqual([1, 'failed']);
    await untilLate();
    expect([opened, saved.phase]).toEqual([2, 'failed']);
    release();
    await settle();
    expect([saved.phase, saved.rows.length]).toEqual(['known', 1]);
  });

  test('about the place of the bytes is told of, and asked again', async () => {
    const files = fakePrivateFiles();
    let answer: (() => Promise<unknown>) | null = never;
    vi.stubGlobal(
      'FileSystemFileHandle',
      class {
        createWritable() {}
      },
    );
    Object.assign(page.storage, { getDirectory: () => answer?.() ?? files.root() });
    void openSavedBytes(true);
    await untilLate();
    expect([opened, saved.phase, saved.isPossible, saved.isPlaceLate]).toEqual([1, 'known', null, true]);
    answer = null;
    await openFor(0);
    expect([opened, saved.isPossible, saved.isPlaceLate]).toEqual([2, true, false]);
    Reflect.deleteProperty(page.storage, 'getDirectory');
    await openSavedBytes(true);
  });

  test('about the room is told of, and the room is shown as soon as it does', async () => {
    let tell = (_: object) => {};
    Object.assign(page.storage, { estimate: () => new Promise((resolve) => (tell = resolve)) });
    await untilLate();
    expect([saved.phase, saved.room, saved.isRoomLate]).toEqual(['known', null, true]);
    tell({ quota: 8e9, usage: 0 });
    await settle();
    expect([saved.room?.space, saved.isRoomLate]).toEqual([2e9, false]);
  });

  test('about its promise and the turn of this tab holds nothing back', async () => {
    site.put('a');
    page.locks = { request: never } as unknown as LockManager;
    Object.assign(page.storage, { persist: never, persisted: never });
    await openFor(0);
    expect(await keep('a')).toBe(true);
    expect([statesOf(), saved.room?.used, saved.isElsewhere]).toEqual([[['a', 'waiting']], 0, true]);
  });

  test('keeps nobody signed in', async () => {
    await openFor(0);
    release = await holdStore('saved-videos');
    let isRemoved = false;
    void removeAllSaved().then(() => {
      isRemoved = true;
    });
    await vi.advanceTimersByTimeAsync(limits.callTimeoutSeconds * 1000);
    expect(isRemoved).toBe(true);
  });

  test('does not say whose the list is when nobody else knows it either', async () => {
    resetSession();
    await openFor(0);
    expect(saved.phase).toBe('loading');
    session.phase = 'failed';
    await settle();
    expect(saved.phase).toBe('failed');
    await openFor(0);
    expect(saved.phase).toBe('failed');
    signIn('ana');
    await settle();
    expect(saved.phase).toBe('known');
  });
});
