import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { DeviceDatabase, FactStore } from '#device/device-database.ts';
import { claimMark, FilterCache } from '#device/filter-cache.ts';
import { fakeIndexedDb } from './fake-indexed-db.ts';

/** What one tab, or the page after a reload, has in its hands. */
function openTab() {
  const database = new DeviceDatabase();
  return { facts: new FactStore(database), filterCache: new FilterCache(database) };
}

let tab: ReturnType<typeof openTab>;

beforeEach(() => {
  fakeIndexedDb();
  tab = openTab();
});

afterEach(() => vi.unstubAllGlobals());

test('the same viewer has the same mark after a reload, and their answers', async () => {
  const mark = await claimMark('ana', null, tab);
  await tab.filterCache.store(mark, '/api/tags', '{}');
  expect(await claimMark('ana', null, openTab())).toBe(mark);
  expect(await tab.filterCache.read(mark, '/api/tags')).not.toBeNull();
});

test('a sign-out leaves nothing behind, and the next sign-in of the same person has another mark', async () => {
  const before = await claimMark('ana', null, tab);
  await tab.filterCache.store(before, '/api/tags', '{}');
  const anonymous = await claimMark(null, null, tab);
  expect(await tab.filterCache.read(before, '/api/tags')).toBeNull();
  const after = await claimMark('ana', null, tab);
  expect(new Set([before, anonymous, after]).size).toBe(3);
});

test('tabs that hear of a sign-in at once agree on the mark', async () => {
  const marks = await Promise.all([openTab(), openTab(), openTab()].map((other) => claimMark('ana', null, other)));
  expect(new Set(marks).size).toBe(1);
});

test('a mark is random and says nothing of its viewer', async () => {
  expect(await claimMark('ana', null, tab)).toMatch(/^[0-9a-f]{32}$/);
});

test('without a database a viewer has a mark for as long as the page lives', async () => {
  vi.stubGlobal('indexedDB', undefined);
  const mark = await claimMark(null, null, tab);
  expect(
    [await claimMark(null, null, tab), await claimMark(null, null, openTab())].map((other) => other === mark),
  ).toEqual([true, false]);
});
