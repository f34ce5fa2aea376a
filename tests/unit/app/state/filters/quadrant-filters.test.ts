import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { dropVanishedTags } from '#app/features/feed/filter/vanished-channels.ts';
import { clearTokens } from '#app/platform/http/token-store.ts';
import { endLocalSession, signInWith } from '#app/state/account.ts';
import { applyFilter, clearFilters, quadrantFilters, restoreFilters } from '#app/state/quadrant-filters.ts';
import { hasSavedFilters, savedFiltersKey } from '#app/state/saved-filters.ts';
import { resetSession } from '#app/state/session.ts';
import { quadrants } from '#contract/quadrants.ts';
import { fakeNetwork } from '../../platform/fake-network.ts';
import type { FakeBrowser } from '../fake-browser.ts';
import { fakeBrowser } from '../fake-browser.ts';
import { letIn, nobody, profileOf } from '../people.ts';

const now = Date.UTC(2026, 0, 2);
const hour = 3_600_000;
const sports = { tagIds: ['t1', 't2'], mode: 'AND' as const };
const news = { tagIds: ['t3'], mode: 'OR' as const };

let browser: FakeBrowser;

beforeEach(() => {
  vi.useFakeTimers({ now });
  browser = fakeBrowser();
});

afterEach(() => {
  clearFilters();
  clearTokens();
  resetSession();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const label = (id: string, name: string) => ({ id, name, color: '#3B82F6' });
const tagsOf = () => quadrants.map((quadrant) => quadrantFilters[quadrant].tagIds.join(','));
/** What the next page starts with. */
function reload(afterMs = 0): string[] {
  vi.setSystemTime(Date.now() + afterMs);
  restoreFilters();
  return tagsOf();
}

test("each quadrant's filter is there after a reload, with its mode", () => {
  applyFilter('top-left', sports);
  applyFilter('bottom-right', news);
  expect(reload()).toEqual(['t1,t2', '', '', 't3']);
  expect(quadrantFilters['top-left'].mode).toBe('AND');
});

test('what the chips show is stored beside it', () => {
  const labels = [{ id: 't3', name: 'News', color: '#3B82F6' }];
  applyFilter('bottom-right', { ...news, labels });
  reload();
  expect(quadrantFilters['bottom-right'].labels).toEqual(labels);
});

test('a filter lives for a day from when it was applied, each for itself', () => {
  applyFilter('top-left', sports);
  vi.setSystemTime(now + hour);
  applyFilter('top-right', news);
  expect(reload(23 * hour - 1)).toEqual(['t1,t2', 't3', '', '']);
  expect(reload(1)).toEqual(['', 't3', '', '']);
  expect(reload(hour)).toEqual(['', '', '', '']);
  expect(hasSavedFilters()).toBe(false);
});

test('a filter without channels is none, and with the last one nothing is saved', () => {
  applyFilter('top-left', sports);
  applyFilter('top-left', { tagIds: [], mode: 'OR' });
  expect([reload(), hasSavedFilters()]).toEqual([['', '', '', ''], false]);
});

test('channels that are gone leave the filters, and those that stay keep their mode', () => {
  applyFilter('top-left', sports);
  applyFilter('top-right', news);
  vi.setSystemTime(now + hour);
  dropVanishedTags('top-left', [label('t2', 'Two')]);
  dropVanishedTags('top-right', [label('t3', 'Three')]);
  expect([tagsOf(), quadrantFilters['top-left'].mode]).toEqual([['t2', 't3', '', ''], 'AND']);
  expect(reload(23 * hour)).toEqual(['t2', '', '', '']);
  for (const quadrant of quadrants) dropVanishedTags(quadrant, []);
  expect(hasSavedFilters()).toBe(false);
});

test('a renamed channel has its new name, and a merged one is the other: both as long as before', () => {
  applyFilter('top-left', { ...sports, labels: [label('t1', 'One'), label('t2', 'Two')] });
  vi.setSystemTime(now + hour);
  dropVanishedTags('top-left', [label('t1', 'First'), label('t9', 'Other')]);
  expect([tagsOf()[0], quadrantFilters['top-left'].labels?.map(({ name }) => name)]).toEqual([
    't1,t9',
    ['First', 'Other'],
  ]);
  expect(reload(23 * hour - 1)[0]).toBe('t1,t9');
  expect(quadrantFilters['top-left'].labels?.map(({ name }) => name)).toEqual(['First', 'Other']);
  expect(reload(1)[0]).toBe('');
});

test.each([
  ['what is no JSON', '{'],
  ['null', 'null'],
  ['a list', '[]'],
  ['a quadrant that is null', '{"top-left":null}'],
  ['no tags', `{"top-left":{"filterMode":"OR","timestamp":${now}}}`],
  ['tags that are no ids', `{"top-left":{"selectedTags":[7],"filterMode":"OR","timestamp":${now}}}`],
  ['an unknown mode', `{"top-left":{"selectedTags":["t1"],"filterMode":"XOR","timestamp":${now}}}`],
  ['no time', '{"top-left":{"selectedTags":["t1"],"filterMode":"OR"}}'],
  ['labels that are none', `{"top-left":{"selectedTags":["t1"],"labels":[null],"filterMode":"OR","timestamp":${now}}}`],
  ['a time to come', `{"top-left":{"selectedTags":["t1"],"filterMode":"OR","timestamp":${now + 1}}}`],
])('a storage with %s has no filter, and is cleared', (_, stored) => {
  browser.storage.setItem(savedFiltersKey, stored);
  expect([reload(), hasSavedFilters()]).toEqual([['', '', '', ''], false]);
});

test('where storage is blocked a filter lasts as long as the page', () => {
  Object.defineProperty(window, 'localStorage', {
    get: () => {
      throw new DOMException('Blocked', 'SecurityError');
    },
  });
  applyFilter('top-left', sports);
  expect([tagsOf(), hasSavedFilters()]).toEqual([['t1,t2', '', '', ''], false]);
});

test.each([
  ['a sign-in', () => signInWith(letIn().json as never)],
  ['a sign-out, or a session that the server ended', () => endLocalSession()],
])('%s clears all four filters, here and in the storage', async (_, act) => {
  fakeNetwork().answer(nobody, profileOf());
  applyFilter('top-left', sports);
  applyFilter('top-right', news);
  await act();
  await vi.advanceTimersByTimeAsync(0);
  expect([tagsOf(), hasSavedFilters()]).toEqual([['', '', '', ''], false]);
});
