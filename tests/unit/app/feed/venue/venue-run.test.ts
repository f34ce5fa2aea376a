import { subscribeKey } from 'valtio/vanilla/utils';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { expand, feed } from '#app/features/feed/feed-state.ts';
import { leaveFeed, openFeed } from '#app/features/feed/feed-store.ts';
import { setPinned } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { lastTouch, runVenue, venueView } from '#app/features/feed/venue/venue-run.ts';
import { recovered } from '#app/platform/link.ts';
import { isVenueClosed } from '#app/playback/learned-device.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { appUpdate } from '#app/state/app-update.ts';
import { connection, watchConnection } from '#app/state/connection.ts';
import { navigation } from '#app/state/navigation.ts';
import { applyFilter, clearFilters, quadrantFilters, restoreFilters } from '#app/state/quadrant-filters.ts';
import { hasSavedFilters } from '#app/state/saved-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { venue } from '#app/state/settings.ts';
import { resetStatus } from '#app/state/status.ts';
import { changeSetup } from '#app/state/venue-setup.ts';
import type { PerformanceReport } from '#contract/entities/performance.ts';
import { quadrants } from '#contract/quadrants.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';
import { FakePage } from '../../platform/focus/fake-page.ts';
import type { PickAnswer } from '../fake-library.ts';
import { channel, picked } from '../fake-library.ts';
import { FeedStage } from '../feed-stage.ts';

const minute = 60;
const hour = 60 * minute;

let stage: FeedStage;
let storage: Storage;
let reload: ReturnType<typeof vi.fn>;
let asked: string[];
/** Nothing reaches the server. */
let isAway = false;
let stopRun = () => {};

/** A page in venue mode with this storage. */
function openPage(kept: Storage): void {
  stage = new FeedStage();
  storage = kept;
  Object.assign(window, { localStorage: storage, history: new FakePage().history });
  reload = vi.fn();
  vi.stubGlobal('location', { search: '', href: 'http://localhost/', origin: 'http://localhost', reload });
  asked = [];
  const { fetch } = globalThis;
  vi.stubGlobal('fetch', (address: string, options: RequestInit) => {
    asked.push(address);
    if (isAway) return Promise.reject(new TypeError('Failed to fetch'));
    return address.startsWith('/api/optimization/performance') ? note(options) : fetch(address, options);
  });
  venue.isOn = true;
  watchConnection();
}

function closePage(): void {
  stopRun();
  stopRun = () => {};
  isAway = false;
  resetStatus();
  stage.end();
}

beforeEach(() => {
  openPage(fakeStorage());
  vi.setSystemTime(new Date(2026, 4, 12, 12, 0));
});

afterEach(() => {
  changeSetup({ name: 'Venue', hours: null, pin: null, hasAccount: false });
  Object.assign(appUpdate, { isReady: false, isInMenu: false });
  clearFilters();
  closePage();
  resetSession();
  navigation.view = 'feed';
  Object.assign(venue, { isOn: false, isAsleep: false });
  venueView.isClosed = false;
});

let reports: NonNullable<PerformanceReport['venue']>[] = [];

function note({ body }: RequestInit): Response {
  const { venue: own } = JSON.parse(String(body)) as PerformanceReport;
  if (own) reports.push(own);
  return new Response('{"accepted":0}', { status: 202 });
}

async function start(): Promise<void> {
  reports = [];
  openFeed();
  await stage.arrive();
  stopRun = runVenue();
  await stage.arrive();
  stage.screen.show(...quadrants);
  await stage.arrive();
}

const reloads = () => JSON.parse(storage.getItem('fourfold.venue-reloads') ?? '[]').length;

/** Time passes, in which the pictures of these quadrants move. */
async function pass(seconds: number, moving: readonly (typeof quadrants)[number][] = quadrants): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (const quadrant of moving) {
      const layer = stage.screen.layer(quadrant, 'front');
      if (layer) layer.currentTime = layer.currentTime + 1;
    }
    await stage.seconds(1);
  }
}

test('four videos start without a tap, muted, and are reported each minute', async () => {
  await start();
  expect(feed.isStarted).toBe(true);
  expect(quadrants.map((quadrant) => playerFacts[quadrant].isMuted)).toEqual([true, true, true, true]);
  await pass(2 * minute + 1);
  expect(reports.map(({ name, playing }) => [name, playing])).toEqual([
    ['Venue', 0],
    ['Venue', 4],
    ['Venue', 4],
  ]);
  expect(storage.getItem('fourfold.venue')).toBe('on');
});

test('the grid goes round within four pixels, and never jumps', async () => {
  await start();
  const places: { x: number; y: number }[] = [];
  for (let at = 0; at < 17; at += 1) {
    places.push({ ...venueView.shift });
    await pass(minute);
  }
  expect(new Set(places.map(({ x, y }) => `${x} ${y}`)).size).toBeGreaterThan(8);
  for (const [at, { x, y }] of places.entries()) {
    expect(Math.max(Math.abs(x), Math.abs(y))).toBeLessThanOrEqual(4);
    const before = places[at - 1] ?? { x, y };
    expect(Math.abs(x - before.x) + Math.abs(y - before.y)).toBeLessThanOrEqual(4);
  }
});

test('it closes and opens by the clock, and asks for nothing in between', async () => {
  changeSetup({ hours: { opens: 8 * 60, closes: 12 * 60 + 5 } });
  await start();
  await pass(5 * minute + 30);
  expect(venueView.isClosed).toBe(true);
  expect(stage.screen.sources()).toEqual([]);
  expect(reports[reports.length - 1]).toMatchObject({ closes_in: 0, opens_in: expect.any(Number) });
  asked = [];
  // The device sleeps: its clock jumps, and no timer has run.
  await stage.seconds(2 * hour);
  vi.setSystemTime(new Date(2026, 4, 13, 7, 59));
  await stage.seconds(30);
  expect(asked).toEqual([]);
  window.dispatchEvent(new Event('online'));
  await stage.seconds(1);
  expect(asked).toEqual([]);
  await stage.seconds(60);
  expect(venueView.isClosed).toBe(false);
  expect(stage.screen.sources().length).toBeGreaterThanOrEqual(4);
  expect(reports[reports.length - 1]).toMatchObject({ closes_in: expect.any(Number) });
});

test('a page that is loaded before the venue opens asks for no video until then, and plays by itself', async () => {
  changeSetup({ hours: { opens: 12 * 60 + 5, closes: 20 * 60 } });
  venue.isAsleep = true;
  venueView.isClosed = true;
  reports = [];
  const stop = subscribeKey(venue, 'isAsleep', () => openFeed(), true);
  stopRun = runVenue();
  await stage.seconds(4 * minute);
  expect(venueView.isClosed).toBe(true);
  expect(asked.filter((address) => !address.startsWith('/api/optimization/performance'))).toEqual([]);
  expect(isVenueClosed()).toBe(true);
  await stage.seconds(1.5 * minute);
  stop();
  stage.screen.show(...quadrants);
  expect([venueView.isClosed, venue.isAsleep, isVenueClosed()]).toEqual([false, false, false]);
  expect(quadrants.map((quadrant) => stage.screen.layer(quadrant, 'front').paused)).toEqual([
    false,
    false,
    false,
    false,
  ]);
});

test('hours that cross midnight go on at midnight, and the reports count down to their end', async () => {
  changeSetup({ hours: { opens: 20 * 60, closes: 3 * 60 + 30 } });
  vi.setSystemTime(new Date(2026, 4, 12, 23, 58));
  await start();
  const { round } = venueView;
  await pass(4 * minute + 1);
  expect([venueView.isClosed, venueView.round, reload.mock.calls.length]).toEqual([false, round, 0]);
  expect(reports.map(({ closes_in: closesIn }) => closesIn)).toEqual(
    [0, 1, 2, 3, 4].map((at) => 3.5 * hour + (2 - at) * minute),
  );
  expect(reports[reports.length - 1]?.playing).toBe(4);
});

test('a refused play is tried again every five seconds, without a question', async () => {
  openFeed();
  await stage.arrive();
  const layers = quadrants.flatMap((quadrant) => [
    stage.screen.layer(quadrant, 'front'),
    stage.screen.layer(quadrant, 'back'),
  ]);
  const refuse = (refusal: DOMException | null) => {
    for (const layer of layers) layer.refusal = refusal;
  };
  refuse(new DOMException('', 'NotAllowedError'));
  stopRun = runVenue();
  await stage.arrive();
  stage.screen.show(...quadrants);
  await stage.seconds(11);
  const playing = () => quadrants.map((quadrant) => !stage.screen.layer(quadrant, 'front').paused);
  expect(playing()).toEqual([false, false, false, false]);
  refuse(null);
  await stage.seconds(5);
  expect(playing()).toEqual([true, true, true, true]);
});

test('a network that is gone for an hour reloads nothing; once it is back four videos are reported again', async () => {
  await start();
  await pass(2 * minute);
  const { round } = venueView;
  isAway = true;
  // What is buffered ends after half a minute.
  await pass(30);
  for (let at = 0; at < 60; at += 1) await stage.seconds(minute);
  expect(connection.isReachable).toBe(false);
  expect([venueView.round, venueView.isClosed, reload.mock.calls.length]).toEqual([round, false, 0]);
  isAway = false;
  await pass(3 * minute);
  expect(connection.isReachable).toBe(true);
  expect(reports[reports.length - 1]?.playing).toBe(4);
  expect([venueView.round, reload.mock.calls.length]).toEqual([round, 0]);
});

test('unlocked at night, it plays nothing behind Profile, and its network is watched again', async () => {
  changeSetup({ hours: { opens: 8 * 60, closes: 12 * 60 + 5 } });
  await start();
  await pass(5 * minute + 30);
  navigation.view = 'profile';
  leaveFeed();
  stopRun();
  await pass(5);
  expect([venueView.isClosed, feed.isOpen, stage.screen.sources()]).toEqual([false, false, []]);
  asked = [];
  window.dispatchEvent(new Event('online'));
  await stage.seconds(1);
  expect(asked.length).toBeGreaterThan(0);
});

test('the stills of what is shown are stored within two minutes', async () => {
  vi.stubGlobal(
    'FileReader',
    class {
      result = 'data:image/webp;base64,AA==';
      onload = () => {};
      readAsDataURL(): void {
        this.onload();
      }
    },
  );
  await start();
  await pass(minute + 1);
  expect(Object.keys(JSON.parse(storage.getItem('fourfold.venue-stills') ?? '{}'))).toEqual([...quadrants]);
});

test('players that stand are opened anew after a minute, the page after five, an hour apart and six times a day', async () => {
  await start();
  await pass(10);
  const { round } = venueView;
  await pass(59, []);
  expect(venueView.round).toBe(round);
  await pass(2, []);
  expect(venueView.round).toBe(round + 1);
  expect(reload).not.toHaveBeenCalled();
  await pass(4 * minute, []);
  expect(reload).toHaveBeenCalledTimes(1);
  const laterBy = async (seconds: number) => {
    vi.setSystemTime(Date.now() + seconds * 1_000);
    await pass(1, []);
  };
  await laterBy(hour - 100);
  expect(reload).toHaveBeenCalledTimes(1);
  for (let at = 0; at < 10; at += 1) await laterBy(hour);
  expect(reload).toHaveBeenCalledTimes(6);
  await laterBy(24 * hour);
  expect(reload).toHaveBeenCalledTimes(7);
});

test('a clock that is put right after a start opens and loads nothing anew', async () => {
  vi.setSystemTime(0);
  await start();
  const { round } = venueView;
  vi.setSystemTime(new Date(2026, 4, 12, 12, 0));
  await pass(30);
  expect([venueView.round, reload.mock.calls.length]).toEqual([round, 0]);
});

test.each([
  ['the server is away', () => Object.assign(connection, { isReachable: false })],
  ['the page is hidden', () => stage.screen.hide(true)],
  ['nothing can be stored', () => Object.assign(window, { localStorage: undefined })],
])('no page is loaded anew while %s', async (_, begin) => {
  await start();
  begin();
  await pass(7 * minute, []);
  expect(reload).not.toHaveBeenCalled();
});

test('an update is accepted after four in the morning, in a minute in which nobody touches the screen', async () => {
  vi.setSystemTime(new Date(2026, 4, 12, 3, 50));
  await start();
  appUpdate.isReady = true;
  await pass(9 * minute);
  lastTouch.at = Date.now() + 30_000;
  await pass(minute);
  expect(reloads()).toBe(0);
  await pass(2 * minute);
  expect(reloads()).toBe(1);
});

test('an update waits for no morning of a clock that was set back', async () => {
  vi.setSystemTime(new Date(2026, 8, 12, 23, 0));
  await start();
  appUpdate.isReady = true;
  await pass(minute);
  vi.setSystemTime(new Date(2026, 4, 12, 3, 50));
  await pass(9 * minute);
  expect(reloads()).toBe(0);
  await pass(3 * minute);
  expect(reloads()).toBe(1);
});

test('an update is accepted at once where nothing has moved for a minute', async () => {
  await start();
  await pass(10);
  await pass(70, []);
  expect(reloads()).toBe(0);
  appUpdate.isReady = true;
  await pass(1, []);
  expect(reloads()).toBe(1);
});

test('filters do not expire, and stay when a session ends', async () => {
  stage.library.channels = [channel('Jazz')];
  applyFilter('top-left', { tagIds: ['id-jazz'], mode: 'OR' });
  Object.assign(session, { phase: 'known', user: { id: 'ada', settings: { blocked_tag_ids: [] } } });
  await start();
  vi.setSystemTime(Date.now() + 72 * hour * 1_000);
  restoreFilters();
  expect(quadrantFilters['top-left'].tagIds).toEqual(['id-jazz']);
  session.user = null;
  clearFilters();
  await pass(1);
  expect(quadrantFilters['top-left'].tagIds).toEqual(['id-jazz']);
  expect(hasSavedFilters()).toBe(true);
});

test('administrators see that the account of a venue is signed out', async () => {
  Object.assign(session, { phase: 'known', user: { id: 'ada', settings: { blocked_tag_ids: [] } } });
  await start();
  await pass(minute);
  session.user = null;
  await pass(minute);
  expect(reports.map(({ is_signed_out: isSignedOut }) => isSignedOut)).toEqual([undefined, undefined, true]);
});

test('pins and the expanded quadrant come back with the page', async () => {
  openFeed();
  await stage.arrive();
  stage.screen.show(...quadrants);
  await stage.arrive();
  setPinned('bottom-right', true);
  expand('bottom-right');
  const { shown } = stage.summary('bottom-right');
  stopRun = runVenue();
  closePage();

  openPage(storage);
  stage.library.answer = ({ quadrant }) =>
    (quadrant as string) === 'video-url' ? { json: { url: '/stream/again', rendition: 'source' } } : undefined;
  await start();
  await pass(1);
  expect(feed.expanded).toBe('bottom-right');
  expect(feed.quadrants['bottom-right'].pinned?.video).toMatchObject({ id: shown?.id, url: '/stream/again' });
});

test('a pin whose video is gone leaves its quadrant to others, one without a server waits for it', async () => {
  const { url: _, ...video } = { ...picked('gone', 16), renditions: [], tagIds: [] };
  storage.setItem('fourfold.venue-grid', JSON.stringify({ filters: {}, pins: { 'top-left': video }, expanded: null }));
  let answer: PickAnswer = 'away';
  stage.library.answer = ({ quadrant }) => ((quadrant as string) === 'video-url' ? answer : undefined);
  await start();
  expect(feed.quadrants['top-left'].pinned).toBeNull();
  answer = { json: { url: '/stream/back', rendition: 'source' } };
  recovered.emit();
  await pass(1);
  expect(feed.quadrants['top-left'].pinned?.video.id).toBe('gone');
});

test.each([401, 429, 500, 503])('a pin that a server answers with %i comes back within a minute', async (status) => {
  const { url: _, ...video } = { ...picked('pinned', 16), renditions: [], tagIds: [] };
  storage.setItem('fourfold.venue-grid', JSON.stringify({ filters: {}, pins: { 'top-left': video }, expanded: null }));
  let answer: PickAnswer = { status, json: { error: 'busy', message: 'Later' } };
  stage.library.answer = ({ quadrant }) => ((quadrant as string) === 'video-url' ? answer : undefined);
  await start();
  expect(feed.quadrants['top-left'].pinned).toBeNull();
  answer = { json: { url: '/stream/back', rendition: 'source' } };
  await pass(minute);
  expect(feed.quadrants['top-left'].pinned?.video.id).toBe('pinned');
});

test.each(['{', '7', '{"pins":[]}', '{"pins":{"top-left":{"id":1}},"expanded":"middle","filters":"all"}'])(
  'a stored grid of %s changes nothing',
  async (stored) => {
    storage.setItem('fourfold.venue-grid', stored);
    await start();
    await pass(2);
    expect(quadrants.map((quadrant) => feed.quadrants[quadrant].pinned)).toEqual([null, null, null, null]);
    expect([feed.expanded, hasSavedFilters()]).toEqual([null, false]);
  },
);
