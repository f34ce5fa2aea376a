import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearTokens, storeTokens, viewerMark } from '#app/platform/http/token-store.ts';
import { resetSession, session } from '#app/state/session.ts';
import { subscribeViewerCache } from '#app/state/viewer-cache.ts';
import { deviceDatabase, facts } from '#device/device-database.ts';
import { claimMark, filterCache } from '#device/filter-cache.ts';
import { fakeIndexedDb, runDatabase } from '../../device/fake-indexed-db.ts';
import { fakeBrowser } from './fake-browser.ts';
import { person, tokens } from './people.ts';

let stop = () => {};

beforeEach(() => {
  fakeBrowser();
  fakeIndexedDb();
});

afterEach(() => {
  stop();
  clearTokens();
  resetSession();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
});

async function start(): Promise<void> {
  stop = subscribeViewerCache();
  await runDatabase();
}

/** As the profile's answer and the end of a session do. */
function become(user: ReturnType<typeof person> | null): void {
  Object.assign(session, { phase: 'known', user });
}

async function markOf(user: ReturnType<typeof person> | null): Promise<string | null> {
  become(user);
  await runDatabase();
  return viewerMark();
}

const ana = person('basic', { id: 'ana' });

test('nobody has a mark before it is known who is here', async () => {
  await start();
  expect(viewerMark()).toBeNull();
  expect(await markOf(null)).not.toBeNull();
});

test('the cache of the start before is still there, although the profile comes piece by piece', async () => {
  const mark = await claimMark('ana', 'basic');
  await filterCache.store(mark, '/api/tags', '{}');
  await start();
  expect(await markOf(ana)).toBe(mark);
  expect(await filterCache.read(mark, '/api/tags')).not.toBeNull();
});

test('the lists of the start before are found once a database that opens late is there', async () => {
  const mark = await claimMark('ana', 'basic');
  const spies = [
    vi.spyOn(deviceDatabase, 'run').mockImplementation(async (_, inMemory) => inMemory()),
    vi.spyOn(deviceDatabase, 'isLasting').mockResolvedValue(false),
  ];
  let open = () => {};
  const opening = new Promise<void>((resolve) => {
    open = resolve;
  });
  const runStored = deviceDatabase.runStored.bind(deviceDatabase);
  vi.spyOn(deviceDatabase, 'runStored').mockImplementation((...asked) => opening.then(() => runStored(...asked)));
  await start();
  expect([null, mark]).not.toContain(await markOf(ana));
  for (const spy of spies) spy.mockRestore();
  open();
  await runDatabase();
  expect(viewerMark()).toBe(mark);
});

test('a sign-out takes the mark away at once, and the cache with it', async () => {
  await start();
  const mark = (await markOf(ana)) as string;
  await filterCache.store(mark, '/api/tags', '{}');
  become(null);
  expect(viewerMark()).toBeNull();
  await runDatabase();
  expect(viewerMark()).not.toBe(mark);
  expect(await filterCache.read(mark, '/api/tags')).toBeNull();
});

test('the device knows the viewer by the id of the account alone, and gives another plan another mark', async () => {
  await start();
  const mark = await markOf(ana);
  expect(await facts.read('viewer')).toEqual({ mark, userId: 'ana', tier: 'basic' });
  expect(await markOf(person('pro', { id: 'ana' }))).not.toBe(mark);
});

test('a change of the own account leaves the cache as it is', async () => {
  await start();
  const mark = await markOf(ana);
  expect(await markOf({ ...ana, display_name: 'Ana' })).toBe(mark);
});

test('who comes and goes in one moment leaves the mark of whoever is here at last', async () => {
  await start();
  become(ana);
  become(null);
  const mark = await markOf(person('basic', { id: 'bob' }));
  expect(await claimMark('bob', 'basic')).toBe(mark);
});

test('a start without a network is anonymous where no token is stored, and unknown where one is', async () => {
  await start();
  session.phase = 'failed';
  await runDatabase();
  expect(viewerMark()).not.toBeNull();
  stop();
  resetSession();
  storeTokens(tokens());
  await start();
  session.phase = 'failed';
  await runDatabase();
  expect(viewerMark()).toBeNull();
});

test('a viewer whose plan has ended finds no list of that plan in the cache', async () => {
  await start();
  const mark = (await markOf(person('pro', { id: 'ana' }))) as string;
  await filterCache.store(mark, '/api/tags', '{}');
  expect(await markOf(ana)).not.toBe(mark);
  expect(await filterCache.read(mark, '/api/tags')).toBeNull();
});
