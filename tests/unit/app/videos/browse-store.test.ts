import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  browse,
  channels,
  newestAction,
  openBrowsing,
  resetBrowsing,
  sortVideos,
  toggleChannel,
  videos,
} from '#app/features/videos/browse-store.ts';
import { setViewerMark } from '#app/platform/http/token-store.ts';
import { recovered } from '#app/platform/link.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { resetSession, session } from '#app/state/session.ts';
import { setLabels } from '#app/state/video-sets.ts';
import { faceOf } from '#app/ui/list/list-state.ts';
import type { Tag } from '#contract/entities/tag.ts';
import { claimMark } from '#device/filter-cache.ts';
import { channel, video } from '../../../ui/videos/library.ts';
import { clockParts, fakeIndexedDb, runDatabase } from '../../device/fake-indexed-db.ts';
import { person } from '../state/people.ts';

const now = Date.UTC(2026, 0, 2);
const [aurora, cities] = [channel('a', 'Aurora'), channel('c', 'Cities')];

let asked: string[];
let isAway: boolean;
let listed: Tag[];
let close = () => {};

beforeEach(async () => {
  vi.useFakeTimers({ now, toFake: [...clockParts] });
  fakeIndexedDb();
  vi.stubGlobal('window', {});
  asked = [];
  isAway = false;
  listed = [aurora, cities];
  vi.stubGlobal('fetch', async (address: string) => {
    if (isAway) throw new TypeError('Failed to fetch');
    asked.push(address);
    const list = address.startsWith('/api/tags')
      ? { tags: listed, total: 2 }
      : { videos: [video('harbour', cities), video('tromso', aurora), video('pier', aurora, cities)], total: 23 };
    return new Response(JSON.stringify(list), { headers: { 'Content-Type': 'application/json' } });
  });
  setViewerMark(await claimMark('ana'));
  close = openBrowsing();
  await runDatabase();
});

afterEach(() => {
  close();
  resetBrowsing();
  resetSession();
  setViewerMark(null);
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const namesOf = () => videos.state.items.map(({ id }) => id);
const block = (...blocked_tag_ids: string[]) => {
  const user = person('basic', {
    id: 'ana',
    settings: {
      skip_duration_seconds: 60,
      blocked_tag_ids,
      shortcut_keys: true,
      subtitle_language: null,
      shuffle: 'once',
    },
  });
  Object.assign(session, { phase: 'known', user });
};
const reopen = async () => {
  close();
  close = openBrowsing();
  await runDatabase();
};

test('videos are asked for newest first, and by name once that is chosen, also for another channel', async () => {
  toggleChannel(cities);
  await runDatabase();
  sortVideos('name');
  await runDatabase();
  toggleChannel(aurora);
  await runDatabase();
  expect(asked.slice(1)).toEqual([
    '/api/videos/by-tags?tag_ids=c&page=1&limit=20',
    '/api/videos/by-tags?tag_ids=c&sort_by=name&page=1&limit=20',
    '/api/videos/by-tags?tag_ids=c%2Ca&sort_by=name&page=1&limit=20',
  ]);
});

test('the order starts on the first page, and outlasts a visit to another view', async () => {
  newestAction.onPress();
  await runDatabase();
  videos.goTo(2);
  await runDatabase();
  sortVideos('name');
  await runDatabase();
  expect([asked.slice(-1), browse.isNewest]).toEqual([['/api/videos/by-tags?sort_by=name&page=1&limit=20'], true]);
  await reopen();
  expect(asked.slice(-1)).toEqual(['/api/videos/by-tags?sort_by=name&page=1&limit=20']);
});

test('while the server is away both lists come from this device with their age, and are asked for when it is back', async () => {
  toggleChannel(cities);
  await runDatabase();
  expect([channels.state.cachedAt, videos.state.cachedAt]).toEqual([null, null]);
  isAway = true;
  vi.setSystemTime(now + 3_600_000);
  await reopen();
  expect([channels.state.cachedAt, videos.state.cachedAt]).toEqual([now, now]);
  expect([channels.state.items.length, namesOf()]).toEqual([2, ['harbour', 'tromso', 'pier']]);

  isAway = false;
  recovered.emit();
  await runDatabase();
  expect([channels.state.cachedAt, videos.state.cachedAt]).toEqual([null, null]);
});

test('a stored list shows nothing of a channel that has been blocked since', async () => {
  newestAction.onPress();
  await runDatabase();
  isAway = true;
  block('c');
  await reopen();
  expect([namesOf(), videos.state.total]).toEqual([['tromso'], 21]);
  block('a', 'c');
  await reopen();
  expect([namesOf(), faceOf(videos.state)]).toEqual([[], 'empty']);
});

test('while the server is away the stored channels are searched', async () => {
  isAway = true;
  channels.typeSearch('CIT');
  channels.applySearch();
  await runDatabase();
  expect([channels.state.items.map(({ name }) => name), channels.state.cachedAt]).toEqual([['Cities'], now]);
});

test("another viewer of this device sees nothing of the first one's lists", async () => {
  newestAction.onPress();
  await runDatabase();
  isAway = true;
  setViewerMark(await claimMark('bob'));
  await reopen();
  expect([faceOf(channels.state), faceOf(videos.state)]).toEqual(['offline', 'offline']);
});

test.each(['in this view', 'in another one'])(
  'nothing is left of the choice of somebody who signs out %s, and theirs is kept by a visitor who signs in',
  async (place) => {
    block();
    toggleChannel(setLabels['is:favourite']);
    toggleChannel(cities);
    await runDatabase();
    if (place === 'in another one') close();
    Object.assign(session, { phase: 'known', user: null });
    if (place === 'in another one') close = openBrowsing();
    await runDatabase();
    expect(browse.chosen).toEqual([]);
    toggleChannel(aurora);
    block();
    await runDatabase();
    expect(browse.chosen).toEqual([aurora]);
  },
);

test('another plan lists its channels and their videos at once', async () => {
  toggleChannel(cities);
  await runDatabase();
  asked = [];
  changedOnServer.profile.emit();
  await runDatabase();
  expect(asked.map((address) => address.split('?')[0]).sort()).toEqual(['/api/tags', '/api/videos/by-tags']);
});

test('a channel that others rename has its new name at once, also where it is chosen', async () => {
  toggleChannel(cities);
  await runDatabase();
  asked = [];
  listed = [aurora, { ...cities, name: 'Towns' }];
  changedOnServer.tags.emit();
  await runDatabase();
  expect(asked.map((address) => address.split('?')[0]).sort()).toEqual(['/api/tags', '/api/videos/by-tags']);
  expect(channels.state.items.map(({ name }) => name)).toEqual(['Aurora', 'Towns']);
  expect(browse.chosen.map(({ name }) => name)).toEqual(['Towns']);
});
