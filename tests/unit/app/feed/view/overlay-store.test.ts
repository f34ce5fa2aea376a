import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { feed } from '#app/features/feed/feed-state.ts';
import { openFeed, resetFeed, startAll } from '#app/features/feed/feed-store.ts';
import { overlayMessage, overlays, watchOverlays } from '#app/features/feed/quadrant/overlays.ts';
import { comingOf } from '#app/features/feed/quadrant/quadrant.ts';
import { skip } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { quadrants } from '#contract/quadrants.ts';
import { countCalls } from '#tests/support/count-calls.ts';
import { FakeLibrary } from '../fake-library.ts';
import { FakeScreen } from '../fake-screen.ts';
import { FeedStage } from '../feed-stage.ts';

let screen: FakeScreen;
let library: FakeLibrary;
let stopWatching: () => void;

beforeEach(() => {
  vi.useFakeTimers();
  screen = new FakeScreen();
  library = new FakeLibrary('a', 'b', 'c', 'd', 'e', 'f', 'g', 'h');
  stopWatching = watchOverlays();
});

afterEach(() => {
  stopWatching();
  resetFeed();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);
const message = () => overlays['top-left'].message;
const banner = () => overlays['top-left'].banner;

async function play(): Promise<void> {
  openFeed();
  await pass(0);
  screen.show(...quadrants);
  startAll();
  await pass(0);
}

test('a quadrant without a picture says at once what it waits for', async () => {
  library.hold();
  openFeed();
  await pass(0);
  expect(message()).toEqual({ kind: 'wait', text: 'Loading video...' });
  library.letGo();
  await pass(0);
  expect(message()).toEqual({ kind: 'wait', text: 'Preparing video...' });
});

test('buffering that lasts less than 400 ms is not mentioned', async () => {
  await play();
  screen.layer('top-left', 'front').starveNow();
  await pass(399);
  expect(message()).toBeNull();
  screen.layer('top-left', 'front').pictureNow();
  await pass(1000);
  expect(message()).toBeNull();
});

test('buffering that lasts longer is said, until it is over', async () => {
  await play();
  screen.layer('top-left', 'front').starveNow();
  await pass(400);
  expect(message()).toEqual({ kind: 'wait', text: 'Buffering...' });
  screen.layer('top-left', 'front').pictureNow();
  await pass(0);
  expect(message()).toBeNull();
});

test('a quick switch says nothing, a slow one says where it stands', async () => {
  await play();
  library.hold();
  skip('top-left');
  await pass(399);
  expect(message()).toBeNull();
  await pass(1);
  expect(message()).toEqual({ kind: 'wait', text: 'Loading video...' });
  library.letGo();
  await pass(0);
  expect(message()).toEqual({ kind: 'wait', text: 'Preparing video...' });
});

test('an error is said at once', async () => {
  await play();
  screen.layer('top-left', 'front').failNow(3);
  await pass(0);
  expect(message()).toEqual({ kind: 'error', text: 'Video error - loading next...' });
});

test('the filename of a video that starts stands for 3 s', async () => {
  await play();
  expect(banner()).toBe(feed.quadrants['top-left'].shown?.title);
  await pass(2_999);
  expect(banner()).not.toBeNull();
  await pass(1);
  expect(banner()).toBeNull();
});

test('a still before the first tap has no banner', async () => {
  openFeed();
  await pass(0);
  screen.show(...quadrants);
  await pass(0);
  expect(banner()).toBeNull();
});

test('the next video has a banner of its own', async () => {
  await play();
  await pass(3_000);
  skip('top-left');
  await pass(0);
  screen.show('top-left');
  await pass(0);
  expect(banner()).toBe(feed.quadrants['top-left'].shown?.title);
});

test('where no frame has come after 250 ms the poster stands, until there is one', async () => {
  openFeed();
  await pass(249);
  expect(overlays['top-left'].poster).toBeNull();
  await pass(1);
  expect(overlays['top-left'].poster).toBe(`/posters/${comingOf(feed.quadrants['top-left'])?.id}`);
  screen.show('top-left');
  await pass(0);
  expect(overlays['top-left'].poster).toBeNull();
  expect(overlays['top-right'].poster).not.toBeNull();
});

test('where a video waits for a decoder and has no frame, its name stands in place of a message', async () => {
  mediaBudget.setCapacity('decoder', 2);
  openFeed();
  await pass(0);
  screen.show('top-left', 'top-right');
  await pass(0);
  const resting = quadrants.map((quadrant) => overlays[quadrant].restingName);
  const names = quadrants.map((quadrant) => comingOf(feed.quadrants[quadrant])?.title ?? null);
  expect(resting).toEqual([null, null, names[2], names[3]]);
  expect(resting[3]).toMatch(/\.mp4$/);
  expect(overlays['bottom-left'].message).toBeNull();
  mediaBudget.setCapacity('decoder', 6);
  screen.show('bottom-left', 'bottom-right');
  await pass(0);
  expect(overlays['bottom-left'].restingName).toBeNull();
});

test('a first frame that comes quickly is there without a poster, and so is every later one', async () => {
  await play();
  await pass(1_000);
  skip('top-left');
  await pass(1_000);
  expect(quadrants.map((quadrant) => overlays[quadrant].poster)).toEqual([null, null, null, null]);
});

test('in WebKit, which draws nothing before it plays, the poster stands until the video plays, and not when it is paused later', async () => {
  vi.stubGlobal('navigator', {
    userAgent: 'Mozilla/5.0 (iPhone) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15',
    maxTouchPoints: 5,
  });
  openFeed();
  await pass(0);
  screen.show(...quadrants);
  await pass(250);
  const posters = () => quadrants.map((quadrant) => overlays[quadrant].poster);
  expect(posters()).toEqual(quadrants.map((quadrant) => `/posters/${feed.quadrants[quadrant].shown?.id}`));

  startAll();
  await pass(0);
  expect(posters()).toEqual([null, null, null, null]);
  screen.layer('top-left', 'front').pause();
  await pass(1_000);
  expect(posters()).toEqual([null, null, null, null]);
});

test('each change of what is said is computed once, and what comes later changes nothing', async () => {
  const stage = new FeedStage();
  await stage.play();
  const calls = await countCalls(async () => {
    skip('top-left');
    await stage.seconds(0);
    stage.screen.layer('top-left', 'back').presentNow();
    await stage.seconds(1);
  });
  expect(calls(overlayMessage.name)).toBe(3);
  stage.end();
});
