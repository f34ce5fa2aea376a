import { act } from 'react';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { resetBrowsing } from '#app/features/videos/browse-store.ts';
import { dismissFailure, player } from '#app/features/videos/video-player.tsx';
import { VideosScreen } from '#app/features/videos/videos-screen.tsx';
import { setViewerMark } from '#app/platform/http/token-store.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { changedOnServer } from '#app/state/revision.ts';
import { resetSession, session } from '#app/state/session.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { shownVideos } from '#app/state/unsent.ts';
import { claimPlayRequest, titleChanged } from '#app/state/view-requests.ts';
import { watchedLog } from '#app/state/watched-log.ts';
import type { WatchedVideo } from '#contract/entities/video.ts';
import { claimMark } from '#device/filter-cache.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { fakeServer } from '../admin/fake-server.ts';
import { draw, press, settle } from '../draw.tsx';
import { focusedName, pressKey, pressKeys } from '../keys.ts';
import { giveMedia } from '../ui/media/media-element.ts';
import { withRemote } from '../with-remote.ts';
import { channel, video } from './library.ts';

const minute = 60_000;
const nights = channel('n', 'Nights', 2);

let rows: WatchedVideo[];
let total: number;
let routes: Parameters<typeof fakeServer>[0];
let server: ReturnType<typeof fakeServer>;

withRemote(watchRemote);

beforeEach(() => {
  giveMedia();
  rows = [shown('harbour', 12), shown('tromso', 26 * 60), shown('harbour', 3 * 24 * 60)];
  total = rows.length;
  routes = {
    'GET /api/tags': () => ({ json: { tags: [nights], total: 1, total_pages: 1, page: 1, limit: 100 } }),
    'GET /api/watched': () => ({
      json: { watched: rows, total, total_pages: Math.ceil(total / 20), page: 1, limit: 20 },
      headers: { 'Content-Type': 'application/json' },
    }),
    'POST /api/watched': () => ({ status: 204 }),
  };
  server = fakeServer(routes);
  Object.assign(session, { phase: 'known', user: null });
});

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    resetSession();
    resetBrowsing();
    resetSiteConfig();
    dismissFailure();
    watchedLog.stop();
  });
  vi.useRealTimers();
  setViewerMark(null);
  claimPlayRequest();
  vi.unstubAllGlobals();
  document.documentElement.dataset.form = 'desktop';
});

function shown(id: string, minutesAgo: number): WatchedVideo {
  return { video: video(id, nights), watched_at: new Date(Date.now() - minutesAgo * minute).toISOString() };
}

const arrive = async () => {
  await act(() => vi.dynamicImportSettled());
  for (let turn = 0; turn < 5; turn += 1) await settle();
};
const openTab = async () => {
  const screen = await draw(<VideosScreen title="Videos" notice={null} />);
  await arrive();
  await press('Watched');
  await arrive();
  return screen;
};
const rowButtons = () => [...document.querySelectorAll<HTMLButtonElement>('[aria-label="Watched"] li button')];
const texts = () => rowButtons().map(({ textContent }) => textContent);
const words = () => document.body.textContent ?? '';
const dialog = () => document.querySelector('[role="dialog"]');
const hold = () => act(() => vi.advanceTimersByTimeAsync(500));
const options = () => [...(dialog()?.querySelectorAll('li button') ?? [])].map(({ textContent }) => textContent);
const calls = (path: string) => server.calls.filter((call) => call.includes(path));

test('the tab lists what was watched, the latest first, with its still and how long ago', async () => {
  await openTab();
  expect(texts()).toEqual(['harbour.mp412 minutes ago2:51', 'tromso.mp4yesterday2:51', 'harbour.mp43 days ago2:51']);
  expect(rowButtons()[0]?.querySelector('img')?.getAttribute('src')).toBe('/posters/harbour');
  expect(calls('/api/watched')).toEqual(['GET /api/watched?page=1&limit=20']);
  expect(document.querySelector('[aria-label="Channels"]')).toBeNull();
  await press('Channels');
  await arrive();
  expect([texts(), document.querySelector('[aria-label="Channels"]') !== null]).toEqual([[], true]);
});

test('a title that is changed meanwhile stands in every row of its video', async () => {
  await openTab();
  await settle(() => titleChanged.emit({ id: 'harbour', title: 'Low tide' }));
  expect(texts()).toEqual(['Low tide12 minutes ago2:51', 'tromso.mp4yesterday2:51', 'Low tide3 days ago2:51']);
});

test('a video that is hidden meanwhile leaves the rows', async () => {
  await openTab();
  rows = rows.filter(({ video: { id } }) => id !== 'harbour');
  total = rows.length;
  await settle(() => changedOnServer.tags.emit());
  await arrive();
  expect(texts()).toEqual(['tromso.mp4yesterday2:51']);
});

test('without anything it says where what plays is listed', async () => {
  rows = [];
  total = 0;
  await openTab();
  expect(words()).toContain('Nothing yet. What plays in the feed is listed here.');
});

test('while it loads, it shows the skeleton of its rows', async () => {
  vi.stubGlobal('fetch', () => new Promise(() => {}));
  await openTab();
  expect(document.querySelector('[aria-label="Watched"] [role="status"]')?.textContent).toBe('Loading...');
});

test('a failure is said with its reason, and tried again', async () => {
  const answer = routes['GET /api/watched'];
  routes['GET /api/watched'] = () => ({ status: 500, json: { error: 'internal', message: 'The disk is full' } });
  await openTab();
  expect(words()).toContain('Failed to load what you have watched: The disk is full');
  routes['GET /api/watched'] = answer;
  await press('Try again');
  await arrive();
  expect(texts()).toHaveLength(3);
});

test('without a network, and without a page on this device, it needs a connection', async () => {
  delete routes['GET /api/watched'];
  await openTab();
  expect(document.querySelector('[aria-label="Watched"]')?.textContent).toContain('Needs a connection');
});

test('a page that was read before is shown without a network, with its age', async () => {
  setViewerMark(await claimMark(null));
  await openTab();
  expect(texts()).toHaveLength(3);
  delete routes['GET /api/watched'];
  await press('Channels');
  await press('Watched');
  await arrive();
  expect(texts()).toHaveLength(3);
  expect(document.querySelector('[aria-label="Watched"]')?.textContent).toContain(
    'Waiting for network. Listed just now.',
  );
});

test('more than a page has pages', async () => {
  total = 45;
  await openTab();
  await press('Next');
  await arrive();
  expect(calls('/api/watched').slice(-1)).toEqual(['GET /api/watched?page=2&limit=20']);
});

test('a blocked channel is not listed from the cache', async () => {
  const user = person('basic');
  Object.assign(session, { user: { ...user, settings: { ...user.settings, blocked_tag_ids: ['n'] } } });
  await openTab();
  expect(texts()).toEqual([]);
});

test('a press plays the video, which counts as watched once its frames come', async () => {
  await openTab();
  await settle(() => rowButtons()[1]?.click());
  await arrive();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('tromso.mp4');
  expect(shownVideos.untold).toEqual([]);
  const element = document.querySelector('[role="dialog"] video');
  await settle(() => element?.dispatchEvent(new Event('playing')));
  await settle(() => element?.dispatchEvent(new Event('playing')));
  expect(shownVideos.untold).toEqual(['tromso']);
});

test('what was just watched is reported before the list is read', async () => {
  watchedLog.start();
  await arrive();
  shownVideos.untold.push('harbour');
  await openTab();
  expect(calls('/api/watched')).toEqual(['POST /api/watched', 'GET /api/watched?page=1&limit=20']);
});

test('with a remote OK plays, and the Menu key plays the video in a quadrant', async () => {
  document.documentElement.dataset.form = 'tv';
  await openTab();
  await settle(() => rowButtons()[0]?.focus());
  await pressKey('ArrowDown');
  expect(document.activeElement).toBe(rowButtons()[1]);
  await pressKey('Enter');
  await arrive();
  expect(dialog()?.querySelector('h2')?.textContent).toBe('tromso.mp4');
  await pressKeys('Escape');
  await arrive();
  expect(dialog()).toBeNull();
  await settle(() => rowButtons()[0]?.focus());
  await pressKey('ContextMenu');
  expect(options()).toEqual(['Play top left', 'Play top right', 'Play bottom left', 'Play bottom right']);
  expect([focusedName(), navigation.isMenuOpen]).toEqual(['Play top left', false]);
  await pressKey('Enter');
  await arrive();
  expect(navigation.view).toBe('feed');
  expect(claimPlayRequest()).toMatchObject({ quadrant: 'top-left', video: { id: 'harbour' } });
});

test('OK that is held opens the menu, and chooses nothing in it until it is pressed again', async () => {
  await openTab();
  vi.useFakeTimers();
  const row = rowButtons()[0];
  await settle(() => row?.focus());
  const fire = (type: string, repeat = false) =>
    settle(() => {
      const event = new KeyboardEvent(type, { key: 'Enter', repeat, bubbles: true, cancelable: true });
      const isTaken = !(document.activeElement ?? document.body).dispatchEvent(event);
      if (type === 'keydown' && !isTaken) (document.activeElement as HTMLElement).click();
    });
  await fire('keydown');
  await hold();
  expect(options()).toHaveLength(4);
  await fire('keydown', true);
  await fire('keyup');
  expect([player.video, player.placed?.id, claimPlayRequest()]).toEqual([null, 'harbour', null]);
});

test.each(['contextmenu', 'a long touch'])('%s opens the menu', async (way) => {
  await openTab();
  vi.useFakeTimers();
  const row = rowButtons()[0];
  await settle(() =>
    row?.dispatchEvent(
      way === 'contextmenu'
        ? new MouseEvent('contextmenu', { bubbles: true, cancelable: true })
        : new PointerEvent('pointerdown', { pointerType: 'touch', bubbles: true }),
    ),
  );
  await hold();
  expect(options()).toHaveLength(4);
  // Some engines fire a click when the finger is lifted, at what is there by now.
  if (way === 'a long touch') await press('Play bottom right');
  expect(options()).toHaveLength(4);
  await press('Play bottom right');
  await arrive();
  expect(claimPlayRequest()).toMatchObject({ quadrant: 'bottom-right', video: { id: 'harbour' } });
});

test('where the site does not remember, there are no tabs', async () => {
  siteConfig.remembersWatched = false;
  await draw(<VideosScreen title="Videos" notice={null} />);
  await arrive();
  expect([document.querySelector('[aria-label="Lists"]'), words()]).not.toContain('Watched');
  expect(document.querySelector('[aria-label="Lists"]')).toBeNull();
});
