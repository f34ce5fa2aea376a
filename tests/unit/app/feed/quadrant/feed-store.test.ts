import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { leaveFeed, openFeed, resetFeed, returnToFeed, startAll } from '#app/features/feed/feed-store.ts';
import { watchSaved } from '#app/features/feed/monitors.ts';
import { setPaused, setPinned, skip } from '#app/features/feed/quadrant/quadrant-machine.ts';
import type { Answer } from '#app/platform/http/fetch-answer.ts';
import { recovered } from '#app/platform/link.ts';
import { storeLearned } from '#app/playback/learned-device.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { emptyHandover } from '#app/start/handover.ts';
import { connection, resetConnection, watchConnection } from '#app/state/connection.ts';
import { applyFilter, clearFilters } from '#app/state/quadrant-filters.ts';
import { savedNotice, savedUrlsEnded } from '#app/state/saved/saved-notice.ts';
import { settings } from '#app/state/settings.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { shownVideos } from '#app/state/unsent.ts';
import { titleChanged } from '#app/state/view-requests.ts';
import type { FirstPicks } from '#contract/entities/feed.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';
import type { PickAnswer } from '../fake-library.ts';
import { FakeLibrary, notYet, picked } from '../fake-library.ts';
import { FakeScreen } from '../fake-screen.ts';
import { summaryOf } from '../quadrant-summary.ts';

const many = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm', 'n', 'o', 'p'];
/** Too few to have another one prepared for each quadrant. */
const few = many.slice(0, 8);

let screen: FakeScreen;
let library: FakeLibrary;

beforeEach(() => {
  vi.useFakeTimers();
  screen = new FakeScreen();
  library = new FakeLibrary(...many);
});

afterEach(() => {
  resetFeed();
  resetConnection();
  resetSiteConfig();
  Object.assign(shownVideos, { untold: [], told: [] });
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Lets replies arrive; no time passes. */
const arrive = () => vi.advanceTimersByTimeAsync(0);
const seconds = (count: number) => vi.advanceTimersByTimeAsync(count * 1000);
const shownIds = () => quadrants.map((quadrant) => summaryOf(quadrant).shown?.id);
const comingIds = () => quadrants.map((quadrant) => summaryOf(quadrant).coming?.id);

async function openStills(): Promise<void> {
  openFeed();
  await arrive();
  screen.show(...quadrants);
}

async function play(): Promise<void> {
  await openStills();
  startAll();
  await arrive();
}

test('the four first picks go out together, before any answer', () => {
  library.hold();
  openFeed();
  expect(library.asks.map(({ quadrant }) => quadrant)).toEqual([...quadrants]);
});

test('a quadrant whose filter is saved names it in its very first pick, and shows nothing of the draw for everybody', async () => {
  Object.assign(window, { localStorage: fakeStorage() });
  applyFilter('top-left', { tagIds: ['t1', 't2'], mode: 'AND' });
  applyFilter('bottom-right', { tagIds: ['t3'], mode: 'OR' });
  const rest = { path: 'z', width: 1, height: 1, size: 1, tags: [], rendition: 'source' };
  const everybodys = byQuadrant((quadrant) => ({ ...picked(`z-${quadrant}`, 16), ...rest }));
  const answer = { status: 200, ok: true, json: everybodys } as unknown as Answer<FirstPicks>;
  openFeed({ ...emptyHandover, picks: { answer: Promise.resolve(answer), filters: null, abort: () => {} } });
  await arrive();
  const asked = library.asks.map(({ quadrant, tags, mode }) => [quadrant, tags, mode]);
  expect(asked.slice(0, 2)).toEqual([
    ['top-left', 't1,t2', 'AND'],
    ['bottom-right', 't3', 'OR'],
  ]);
  expect(comingIds()).toEqual(['a', 'z-top-right', 'z-bottom-left', 'b']);
  clearFilters();
});

test('a pick tells the device pixels of half the window', () => {
  openFeed();
  expect(library.asks[0]?.width).toBe(1440);
});

test('once it is laid out, a pick tells the pixels of the quadrant, its share of the network, and that data is saved', async () => {
  Object.assign(window, { localStorage: fakeStorage() });
  await play();
  Object.assign(screen.layer('top-right', 'front'), { clientWidth: 640, clientHeight: 360 });
  storeLearned('kbps', 10_000);
  Object.assign(navigator, { connection: { saveData: true } });
  skip('top-right');
  skip('top-right');
  expect(library.asks.slice(-1)[0]?.demand).toEqual({ width: '1280', height: '720', kbps: '2500', saves: '1' });
});

test('four quadrants that are answered with the same video end with four different ones', async () => {
  await openStills();
  expect(new Set(shownIds()).size).toBe(4);
});

test('before the first tap four stills stand, and nothing plays', async () => {
  await openStills();
  expect(quadrants.map((quadrant) => screen.layer(quadrant, 'front').paused)).toEqual([true, true, true, true]);
});

test('one tap starts all four', async () => {
  await play();
  expect(quadrants.map((quadrant) => screen.layer(quadrant, 'front').paused)).toEqual([false, false, false, false]);
});

test('a tap before the first answers plays them as they come', async () => {
  library.hold();
  openFeed();
  startAll();
  library.letGo();
  await arrive();
  screen.show(...quadrants);
  expect(screen.layer('top-left', 'front').paused).toBe(false);
});

test('with three videos each is shown, and the fourth quadrant repeats one at another position', async () => {
  library.videos = ['a', 'b', 'c'];
  openFeed();
  await arrive();
  expect(new Set(comingIds()).size).toBe(3);
  expect(quadrants.map((quadrant) => summaryOf(quadrant).comingAt).filter((at) => at > 0)).toEqual([30]);
});

test('with one video all four show it, at four positions', async () => {
  library.videos = ['a'];
  openFeed();
  await arrive();
  expect(comingIds()).toEqual(['a', 'a', 'a', 'a']);
  expect(quadrants.map((quadrant) => summaryOf(quadrant).comingAt)).toEqual([0, 30, 15, 45]);
});

test('a quadrant asks again after 5 s while there is no video, and shows the first that comes', async () => {
  library.videos = [];
  openFeed();
  await arrive();
  expect(summaryOf('top-left').failure).toBe('no-videos');
  library.videos = ['a'];
  await seconds(4.9);
  expect(library.asks).toHaveLength(4);
  await seconds(0.1);
  expect(summaryOf('top-left')).toMatchObject({ failure: null, coming: { id: 'a' } });
});

test('the words of a failure stand while the next try is under way', async () => {
  library.videos = [];
  openFeed();
  await arrive();
  library.hold();
  await seconds(5);
  expect(summaryOf('top-left')).toMatchObject({ isAsking: true, failure: 'no-videos' });
});

test('a video that is not available yet is asked for again after 5 s', async () => {
  library.answer = () => ({ json: notYet });
  openFeed();
  await arrive();
  expect(summaryOf('top-left')).toMatchObject({ isDownloading: true, failure: null });
  library.answer = null;
  await seconds(5);
  expect(summaryOf('top-left')).toMatchObject({ isDownloading: false, coming: { id: expect.any(String) } });
});

test('while the network is away a quadrant waits for it, and asks at once when it is back', async () => {
  library.answer = () => 'away';
  openFeed();
  connection.isReachable = false;
  await arrive();
  expect(summaryOf('top-left').failure).toBe('no-network');
  library.answer = null;
  connection.isReachable = true;
  await arrive();
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('while the server is known to be away it is not asked for a pick, and one that is skipped stays on screen', async () => {
  await play();
  connection.isReachable = false;
  await arrive();
  const asked = library.asks.length;
  const shown = summaryOf('top-left').shown?.id;
  skip('top-left');
  await seconds(22);
  expect(library.asks).toHaveLength(asked);
  expect(summaryOf('top-left')).toMatchObject({ failure: 'no-network', shown: { id: shown } });
});

test('a saved video that is removed from the device leaves its quadrant at once', async () => {
  await play();
  onTestFinished(watchSaved());
  const { shown } = summaryOf('top-left');
  Object.assign(feed.quadrants['top-left'], { shown: { ...shown, url: 'blob:ended' } });
  savedUrlsEnded.emit(['blob:other']);
  await arrive();
  expect(summaryOf('top-left').shown?.id).toBe(shown?.id);
  savedUrlsEnded.emit(['blob:ended']);
  await arrive();
  expect(summaryOf('top-left')).toMatchObject({ shown: null, coming: { id: expect.any(String) } });
});

test.each([
  ['has played all it had asks for a saved one while the server is away', () => {}, 'no-network'],
  ['goes on meanwhile asks for none', () => screen.layer('top-left', 'front').pictureNow(), null],
])('a quadrant that %s', async (_, interrupt, failure) => {
  await play();
  onTestFinished(watchSaved());
  connection.isReachable = false;
  savedNotice.playable = 1;
  await arrive();
  screen.layer('top-left', 'front').starveNow();
  await seconds(2.4);
  expect(summaryOf('top-left').failure).toBeNull();
  interrupt();
  await seconds(0.2);
  // This device has none after all.
  await vi.waitFor(() => expect(summaryOf('top-left').failure).toBe(failure));
});

test('a closed gate is not asked again', async () => {
  library.answer = () => ({ status: 401, json: { error: 'site_password_required', message: 'A password is needed' } });
  openFeed();
  await seconds(60);
  expect(library.asks).toHaveLength(4);
});

test('skip brings another video, and the old one stays until its picture is there', async () => {
  await play();
  const old = summaryOf('top-left').shown?.id;
  skip('top-left');
  await arrive();
  expect(summaryOf('top-left').shown?.id).toBe(old);
  screen.show('top-left');
  expect(summaryOf('top-left').shown?.id).not.toBe(old);
  expect(screen.layer('top-left', 'front').paused).toBe(false);
});

test('a title that is changed meanwhile holds for the video on screen, the prepared one and those before', async () => {
  await play();
  setPinned('top-right', true);
  skip('top-left');
  await arrive();
  screen.show('top-left');
  await arrive();
  const titlesOf = () => {
    const { past, shown, next } = summaryOf('top-left');
    return [past[0], shown, next].map((video) => video?.title);
  };
  const ids = titlesOf().map((title) => title?.replace('.mp4', '') ?? '');
  for (const id of [...ids, 'b']) titleChanged.emit({ id, title: `${id}, edited` });
  expect(titlesOf()).toEqual(ids.map((id) => `${id}, edited`));
  const { shown, pinned } = feed.quadrants['top-right'];
  expect([shown?.title, pinned?.video.title]).toEqual(['b, edited', 'b, edited']);
});

test('of five quick skips the last one wins: one video comes, and no other request is left', async () => {
  library.videos = few;
  await play();
  library.hold();
  for (let skips = 0; skips < 5; skips += 1) skip('top-left');
  expect(
    library
      .asksOf('top-left')
      .slice(-5)
      .map((ask) => ask.isAborted()),
  ).toEqual([true, true, true, true, false]);
  library.letGo();
  await arrive();
  screen.show('top-left');
  expect(screen.sources()).toHaveLength(4);
});

test('a video on its way is given up by the next skip, even when its picture comes late', async () => {
  await play();
  const old = summaryOf('top-left').shown?.id;
  skip('top-left');
  await arrive();
  const late = screen.layer('top-left', 'back');
  library.hold();
  skip('top-left');
  late.presentNow();
  expect(summaryOf('top-left').shown?.id).toBe(old);
  expect(late.dataset.layer).toBe('back');
  expect(late.hasAttribute('src')).toBe(false);
});

test('a pick avoids what the others show and what this quadrant showed last', async () => {
  library.videos = few;
  await play();
  const first = summaryOf('top-left').shown?.id;
  skip('top-left');
  const others = shownIds().slice(1);
  expect(library.asks[library.asks.length - 1]?.exclude).toEqual([...others, first]);
});

test('what other quadrants have shown a moment ago is avoided too, unless draws are purely random', async () => {
  library.videos = Array.from({ length: 40 }, (_, number) => `video-${number}`);
  await play();
  const [first, second] = shownIds();
  skip('top-left');
  await arrive();
  screen.show('top-left');
  skip('top-right');
  await arrive();
  expect(library.asks[library.asks.length - 1]?.exclude).toEqual(expect.arrayContaining([first, second]));
  // A server that is killed at once does not know what it was told.
  Object.assign(shownVideos, { untold: [], told: shownVideos.untold });
  skip('top-right');
  await arrive();
  expect(library.asks[library.asks.length - 1]?.exclude).toEqual(expect.arrayContaining([first, second]));
  settings.shuffle = 'random';
  skip('top-right');
  await arrive();
  settings.shuffle = 'once';
  expect(library.asks[library.asks.length - 1]?.exclude).not.toContain(first);
});

test('what came to the screen is told in its order: the four stills with the first tap, then each one once', async () => {
  await openStills();
  expect(shownVideos.untold).toEqual([]);
  startAll();
  await arrive();
  const stills = shownIds();
  expect(shownVideos.untold).toEqual(stills);
  skip('top-left');
  await arrive();
  screen.show('top-left');
  expect(shownVideos.untold).toEqual([...stills, shownIds()[0]]);
});

test('a quadrant remembers its last ten videos, newest first', async () => {
  library.videos = Array.from({ length: 40 }, (_, number) => `video-${number}`);
  await play();
  for (let skips = 0; skips < 12; skips += 1) {
    skip('top-left');
    await arrive();
    screen.show('top-left');
  }
  const { recent, shown } = summaryOf('top-left');
  expect(recent).toHaveLength(10);
  expect(recent[0]).toBe(shown?.id);
  expect(new Set(recent).size).toBe(10);
});

test('the next video comes when one ends', async () => {
  await play();
  const { shown, coming } = summaryOf('bottom-right');
  expect(coming).toBeNull();
  screen.layer('bottom-right', 'front').endNow();
  await arrive();
  screen.show('bottom-right');
  expect([undefined, shown?.id]).not.toContain(summaryOf('bottom-right').shown?.id);
});

test('an end while the next one is on its way does not ask twice', async () => {
  await play();
  library.hold();
  skip('top-left');
  const asked = library.asks.length;
  screen.layer('top-left', 'front').endNow();
  expect(library.asks).toHaveLength(asked);
});

test('a paused video that was sought to its end makes room for another one once it is to play on', async () => {
  await play();
  const { shown } = summaryOf('top-left');
  setPaused('top-left', true);
  // Chromium fires no event at the end of a video that does not play.
  Object.assign(screen.layer('top-left', 'front'), { ended: true });
  await seconds(1);
  expect(summaryOf('top-left')).toMatchObject({ shown: { id: shown?.id }, coming: null });
  setPaused('top-left', false);
  expect(summaryOf('top-left').coming).not.toBeNull();
  screen.show('top-left');
  expect(summaryOf('top-left').shown?.id).not.toBe(shown?.id);
});

test('a video that gives no picture is replaced after 2 s, and not drawn again soon', async () => {
  await play();
  skip('top-left');
  await arrive();
  const broken = summaryOf('top-left').coming?.id;
  screen.layer('top-left', 'back').failNow(4);
  expect(summaryOf('top-left')).toMatchObject({ failure: 'video-error', coming: null });
  const asked = library.asksOf('top-left').length;
  await seconds(1.9);
  expect(library.asksOf('top-left')).toHaveLength(asked);
  await seconds(0.1);
  expect(library.asksOf('top-left').slice(-1)[0]?.exclude).toContain(broken);
  expect(summaryOf('top-left').failure).toBeNull();
});

test('a video that breaks while it plays is replaced after 2 s', async () => {
  await play();
  screen.layer('top-left', 'front').failNow(3);
  expect(summaryOf('top-left').failure).toBe('video-error');
  await seconds(2);
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('a video that breaks while the next one is asked for says nothing: that one is replaced already', async () => {
  await play();
  library.hold();
  skip('top-left');
  screen.layer('top-left', 'front').failNow(3);
  expect(summaryOf('top-left').failure).toBeNull();
  library.letGo();
  await arrive();
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('the next video comes after the switch interval', async () => {
  await play();
  await seconds(119.9);
  expect(comingIds()).toEqual([undefined, undefined, undefined, undefined]);
  await seconds(0.1);
  expect(comingIds().every(Boolean)).toBe(true);
});

test('a video that was skipped to has a full interval', async () => {
  await play();
  await seconds(100);
  skip('top-left');
  await arrive();
  screen.show('top-left');
  await seconds(119.9);
  expect(summaryOf('top-left').coming).toBeNull();
  await seconds(0.1);
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('the switch interval counts playing time only', async () => {
  await play();
  await seconds(60);
  screen.layer('top-left', 'front').starveNow();
  await seconds(100);
  expect(summaryOf('top-left').coming).toBeNull();
  screen.layer('top-left', 'front').pictureNow();
  await seconds(59.9);
  expect(summaryOf('top-left').coming).toBeNull();
  await seconds(0.2);
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('a switch interval that the operator sets holds for videos that play already', async () => {
  await play();
  await seconds(10);
  siteConfig.switchIntervalSeconds = 30;
  await seconds(20);
  expect(comingIds().every(Boolean)).toBe(true);
});

test('a video that stands as a still does not use its interval up', async () => {
  await openStills();
  await seconds(1000);
  expect(library.asks.length).toBeLessThanOrEqual(16);
  expect(comingIds()).toEqual([undefined, undefined, undefined, undefined]);
});

test('a slow next video is not asked for again because the one on screen stutters', async () => {
  await play();
  await seconds(120);
  const coming = summaryOf('top-left').coming?.id;
  screen.layer('top-left', 'front').starveNow();
  await seconds(1);
  screen.layer('top-left', 'front').pictureNow();
  await seconds(60);
  expect(summaryOf('top-left').coming?.id).toBe(coming);
});

test('a hidden tab pauses the four, and showing it again plays them', async () => {
  await play();
  screen.hide(true);
  expect(quadrants.map((quadrant) => playerFacts[quadrant].isPaused)).toEqual([true, true, true, true]);
  screen.hide(false);
  expect(quadrants.map((quadrant) => screen.layer(quadrant, 'front').paused)).toEqual([false, false, false, false]);
});

test('a tab that is shown again before the first tap keeps its stills', async () => {
  await openStills();
  screen.hide(true);
  screen.hide(false);
  expect(screen.layer('top-left', 'front').paused).toBe(true);
});

test('leaving the feed pauses the four, and coming back restores video and position', async () => {
  await play();
  const before = shownIds();
  screen.layer('top-left', 'front').timeNow(17);
  leaveFeed();
  expect(screen.layer('top-left', 'front').paused).toBe(true);
  returnToFeed();
  expect(shownIds()).toEqual(before);
  screen.layer('top-left', 'front').metadataNow();
  expect(screen.layer('top-left', 'front')).toMatchObject({ paused: false, currentTime: 17 });
});

test('nothing is asked while another view is open, and what was missing is asked on return', async () => {
  library.videos = [];
  openFeed();
  await arrive();
  leaveFeed();
  await seconds(60);
  expect(library.asks).toHaveLength(4);
  library.videos = many;
  returnToFeed();
  await arrive();
  expect(comingIds().every(Boolean)).toBe(true);
});

test('a call that was under way when the feed was left is given up', async () => {
  library.hold();
  openFeed();
  leaveFeed();
  library.letGo();
  await arrive();
  expect(comingIds()).toEqual([undefined, undefined, undefined, undefined]);
});

const answerWith = (answer: PickAnswer) => () => {
  library.answer = () => answer;
};

const interruptions: Array<[string, () => void]> = [
  ['was downloading', answerWith({ json: notYet })],
  ['was being asked for', () => library.hold()],
  ['the network kept away', answerWith('away')],
];

test.each(interruptions)('what %s when the feed was left comes after the return', async (_, interrupt) => {
  library.videos = few;
  await play();
  interrupt();
  screen.layer('top-left', 'front').endNow();
  await arrive();
  leaveFeed();
  library.answer = null;
  library.letGo();
  await seconds(60);
  expect(summaryOf('top-left').coming).toBeNull();
  returnToFeed();
  await arrive();
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('a video that was on its way when the feed was left comes to the screen after the return', async () => {
  library.videos = few;
  await play();
  skip('top-left');
  await arrive();
  const coming = summaryOf('top-left').coming?.id;
  const asked = library.asks.length;
  leaveFeed();
  returnToFeed();
  await arrive();
  screen.show('top-left');
  expect(summaryOf('top-left').shown?.id).toBe(coming);
  expect(library.asks).toHaveLength(asked);
  expect(screen.layer('top-left', 'front').paused).toBe(false);
});

test('a reply without a video is told, and asked for again after 5 s', async () => {
  library.answer = () => ({ json: { ...picked('a', 4), url: '' } });
  openFeed();
  await arrive();
  expect(summaryOf('top-left').failure).toBe('no-data');
  await seconds(5);
  expect(library.asksOf('top-left')).toHaveLength(2);
});

test('a server that fails is asked again after 5 s', async () => {
  library.answer = () => ({ status: 500, json: { error: 'internal', message: 'Something went wrong' } });
  openFeed();
  await arrive();
  expect(summaryOf('top-left').failure).toBe('not-loaded');
  library.answer = null;
  await seconds(5);
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('a video that breaks while another view is open is replaced after the return', async () => {
  await play();
  skip('top-left');
  await arrive();
  leaveFeed();
  const asked = library.asks.length;
  screen.layer('top-left', 'back').failNow(4);
  await seconds(60);
  expect(library.asks).toHaveLength(asked);
  returnToFeed();
  await arrive();
  expect(summaryOf('top-left').coming).not.toBeNull();
});

test('a network that comes back while another view is open brings no video yet', async () => {
  library.answer = () => 'away';
  openFeed();
  connection.isReachable = false;
  await arrive();
  leaveFeed();
  connection.isReachable = true;
  await seconds(60);
  expect(library.asks).toHaveLength(4);
});

describe('a server that accepts and never answers', () => {
  beforeEach(() => watchConnection());
  afterEach(() => resetConnection());

  test('a pick is waited for 10 s; then the quadrant says so and asks again by itself', async () => {
    library.hold();
    openFeed();
    await seconds(9.9);
    expect(summaryOf('top-left')).toMatchObject({ isAsking: true, failure: null });
    await seconds(0.1);
    expect(summaryOf('top-left')).toMatchObject({ isAsking: false, failure: 'no-network' });
    library.letGo();
    await seconds(5);
    expect(comingIds().every(Boolean)).toBe(true);
  });

  test('a pick that nobody answered is asked again when the browser comes online', async () => {
    library.hold();
    openFeed();
    await seconds(3);
    library.release();
    screen.online();
    await arrive();
    expect(comingIds().every(Boolean)).toBe(true);
  });

  test('the wait before the next try ends when the network recovers, but that after a broken video', async () => {
    library.answer = () => ({ status: 500, json: { error: 'internal', message: 'Something went wrong' } });
    openFeed();
    await arrive();
    library.answer = null;
    recovered.emit();
    await arrive();
    expect(comingIds().every(Boolean)).toBe(true);
    screen.layer('top-left', 'back').failNow(3);
    recovered.emit();
    expect(summaryOf('top-left').failure).toBe('video-error');
  });

  test('a video whose first bytes never come is a broken one after 15 s, and another follows; it may come later', async () => {
    openFeed();
    await arrive();
    const silent = summaryOf('top-left').coming?.id;
    screen.layer('top-left', 'back').networkState = 2;
    await seconds(14.9);
    expect(summaryOf('top-left')).toMatchObject({ coming: { id: silent }, failure: null });
    await seconds(0.1);
    expect(summaryOf('top-left')).toMatchObject({ coming: null, failure: 'video-error' });
    expect(feed.broken).toEqual([]);
    await seconds(2);
    expect(summaryOf('top-left')).toMatchObject({ failure: null, coming: { id: expect.any(String) } });
  });

  test('a pinned video whose bytes stay away is loaded again, and keeps its pin for three failures', async () => {
    await play();
    const pinned = summaryOf('top-left').shown?.id;
    setPinned('top-left', true);
    screen.layer('top-left', 'front').failNow(2);
    for (const failures of [1, 2]) {
      await seconds(2);
      expect(summaryOf('top-left')).toMatchObject({ isPinned: true, pinnedFailures: failures, coming: { id: pinned } });
      screen.layer('top-left', 'back').networkState = 2;
      await seconds(15);
    }
    expect(summaryOf('top-left')).toMatchObject({ isPinned: false, failure: 'video-error' });
  });
});
