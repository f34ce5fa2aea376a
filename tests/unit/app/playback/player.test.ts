import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { PlayerFacts } from '#app/playback/player.ts';
import { Player, restingFacts } from '#app/playback/player.ts';
import { addressOf } from '#app/playback/stream-address.ts';
import { FakeVideo, FrameTellingVideo, fakeMediaGlobals } from './fake-video.ts';

const made: FakeVideo[] = [];
const engine = vi.hoisted(() => ({ isOld: false }));

vi.mock('#app/playback/layer.ts', async (original) => ({
  ...(await original<object>()),
  createLayer: () => {
    const video = engine.isOld ? new FakeVideo() : new FrameTellingVideo();
    made.push(video);
    return video;
  },
}));

const told: string[] = [];
let facts: PlayerFacts;
let drawFrames: (count: number) => void;

beforeEach(() => {
  engine.isOld = false;
  made.length = 0;
  told.length = 0;
  facts = { ...restingFacts };
  ({ drawFrames } = fakeMediaGlobals());
});

afterEach(() => vi.unstubAllGlobals());

function openPlayer(first?: FakeVideo): Player {
  return new Player(
    {
      changed: (changed) => Object.assign(facts, changed),
      shown: () => told.push('shown'),
      ended: () => told.push('ended'),
      failed: () => told.push('failed'),
    },
    first as HTMLVideoElement | undefined,
  );
}

const layer = (role: 'front' | 'back') => made.find((one) => one.dataset.layer === role) as FrameTellingVideo;

/** A player that shows `/old`, playing or as a still. */
function playerShowing({ isPlaying = true } = {}): Player {
  const player = openPlayer();
  if (isPlaying) player.play();
  player.prepare({ url: '/old' });
  layer('back').showNow();
  drawFrames(2);
  told.length = 0;
  return player;
}

test('before the first tap the first picture stands as a still', () => {
  playerShowing({ isPlaying: false });
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old'), paused: true });
  expect(facts).toMatchObject({ hasFrame: true, isPaused: true, isPreparing: false });
});

test('a tap plays what stands', () => {
  const player = playerShowing({ isPlaying: false });
  player.play();
  expect(layer('front').paused).toBe(false);
  expect(facts).toMatchObject({ isPaused: false, isBlocked: false });
});

test('a tap before the first picture plays what is on its way', () => {
  const player = openPlayer();
  player.prepare({ url: '/first' });
  player.play();
  expect(layer('back').paused).toBe(false);
});

test('the old picture stays until the first frame of the next one is presented', () => {
  const player = playerShowing();
  player.prepare({ url: '/next' });
  layer('back').metadataNow();
  layer('back').pictureNow();
  expect(layer('front').src).toContain('/old');
  expect(layer('front').paused).toBe(false);
  layer('back').presentNow();
  expect(layer('front').src).toContain('/next');
  expect(layer('front').paused).toBe(false);
  expect(told).toEqual(['shown']);
});

test('the old layer lies beneath the new one for two frames, then gives its source back', () => {
  const player = playerShowing();
  player.prepare({ url: '/next' });
  layer('back').showNow();
  drawFrames(1);
  expect(layer('back')).toMatchObject({ src: expect.stringContaining('/old'), paused: true });
  drawFrames(1);
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('of five videos prepared in quick succession only the last one comes to the screen, and no request is left', () => {
  const player = playerShowing();
  for (const number of [1, 2, 3, 4, 5]) {
    player.prepare({ url: `/${number}` });
    layer('back').metadataNow();
  }
  layer('back').pictureNow();
  layer('back').presentNow();
  drawFrames(2);
  expect(told).toEqual(['shown']);
  expect(layer('front').src).toContain('/5');
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('a skip right after a swap keeps what it prepares', () => {
  const player = playerShowing();
  player.prepare({ url: '/next' });
  layer('back').showNow();
  player.prepare({ url: '/after' });
  drawFrames(2);
  expect(layer('back').src).toContain('/after');
});

test('a video so short that it is over when it comes to the screen is told to have ended', () => {
  const player = playerShowing();
  player.prepare({ url: '/blink' });
  const back = layer('back');
  back.metadataNow({ duration: 0.04 });
  back.pictureNow();
  back.endNow();
  back.presentNow();
  expect(told).toEqual(['shown', 'ended']);
});

test('a video that is abandoned on its way never comes to the screen', () => {
  const player = playerShowing();
  player.prepare({ url: '/next' });
  const back = layer('back');
  player.abandon();
  back.presentNow();
  expect(back.hasAttribute('src')).toBe(false);
  expect(layer('front').src).toContain('/old');
  expect(facts).toMatchObject({ hasFrame: true, isPreparing: false });
  expect(told).toEqual([]);
});

test('a video that starts further on is not shown with its very first picture', () => {
  const player = playerShowing();
  player.prepare({ url: '/next', at: 30 });
  const back = layer('back');
  back.metadataNow();
  expect(back.currentTime).toBe(30);
  back.presentNow(0);
  expect(layer('front').src).toContain('/old');
  back.pictureNow();
  back.presentNow(29.97);
  expect(layer('front').src).toContain('/next');
});

test('a refusal to play without a tap is a fact, and goes with the tap', async () => {
  const player = playerShowing({ isPlaying: false });
  layer('front').refusal = new DOMException('no gesture', 'NotAllowedError');
  player.play();
  await Promise.resolve();
  expect(facts.isBlocked).toBe(true);
  layer('front').refusal = null;
  player.play();
  expect(facts.isBlocked).toBe(false);
});

test('a refusal that comes after a pause is none any more', async () => {
  const player = playerShowing({ isPlaying: false });
  layer('front').refusal = new DOMException('no gesture', 'NotAllowedError');
  player.play();
  player.pause();
  await Promise.resolve();
  expect(facts.isBlocked).toBe(false);
});

test('a play that the next source aborted is no refusal', async () => {
  const player = playerShowing({ isPlaying: false });
  layer('front').refusal = new DOMException('interrupted by a new load', 'AbortError');
  player.play();
  await Promise.resolve();
  expect(facts.isBlocked).toBe(false);
});

test('a video that loads without images is an error', () => {
  const player = playerShowing();
  player.prepare({ url: '/hevc' });
  layer('back').metadataNow({ width: 0 });
  expect(facts).toMatchObject({ error: 'no-picture', isPreparing: false, hasFrame: true });
  expect(told).toEqual(['failed']);
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test.each([
  [2, 'network'],
  [3, 'decode'],
  [4, 'unsupported'],
])('a source that fails with code %i leaves the old picture playing and tells: %s', (code, error) => {
  const player = playerShowing();
  player.prepare({ url: '/broken' });
  layer('back').failNow(code);
  expect(facts.error).toBe(error);
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old'), paused: false });
  expect(told).toEqual(['failed']);
});

test('a video that breaks while it plays is told of, unless the next one is on its way', () => {
  const player = playerShowing();
  player.prepare({ url: '/next' });
  layer('front').failNow(2);
  expect(told).toEqual([]);
  player.abandon();
  layer('front').failNow(2);
  expect(told).toEqual(['failed']);
});

test('running out of data is a fact until it plays again', () => {
  playerShowing();
  layer('front').starveNow();
  expect(facts.isWaiting).toBe(true);
  layer('front').pictureNow();
  expect(facts.isWaiting).toBe(false);
});

test('the end of the video on screen is told', () => {
  playerShowing();
  layer('front').endNow();
  expect(told).toEqual(['ended']);
  expect(facts.isPaused).toBe(true);
});

test('a video that has ended is not started again by play', () => {
  const player = playerShowing();
  layer('front').endNow();
  player.play();
  expect(layer('front').paused).toBe(true);
});

test('the same video from another address goes on at its second, and no video is said to start', () => {
  const player = playerShowing();
  player.replaceSource('/old-in-hd', { at: 12 });
  const back = layer('back');
  back.metadataNow();
  back.pictureNow();
  back.presentNow();
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old-in-hd'), currentTime: 12 });
  expect(told).toEqual([]);
});

test('a looping player loops what comes after, too', () => {
  const player = playerShowing();
  player.setLooping(true);
  player.prepare({ url: '/next' });
  layer('back').showNow();
  expect(layer('front').loop).toBe(true);
});

test('pausing holds both layers: what comes to the screen then is a still', () => {
  const player = playerShowing();
  player.prepare({ url: '/next' });
  player.pause();
  layer('back').showNow();
  expect(layer('front').paused).toBe(true);
  expect(facts).toMatchObject({ hasFrame: true, isPaused: true });
});

test('a released player holds no source and knows nothing', () => {
  const player = playerShowing();
  player.prepare({ url: '/next' });
  player.release();
  expect(made.some((one) => one.hasAttribute('src'))).toBe(false);
  expect(facts).toEqual(restingFacts);
});

test('without frame callbacks a playing video is shown two animation frames after its time moves', () => {
  engine.isOld = true;
  const player = openPlayer();
  player.play();
  player.prepare({ url: '/first' });
  const back = layer('back');
  back.metadataNow();
  back.pictureNow(0);
  drawFrames(2);
  expect(told).toEqual([]);
  back.timeNow(0.1);
  drawFrames(1);
  expect(told).toEqual([]);
  drawFrames(1);
  expect(told).toEqual(['shown']);
});

test('without frame callbacks a still is shown two animation frames after its data', () => {
  engine.isOld = true;
  openPlayer().prepare({ url: '/first' });
  layer('back').metadataNow();
  layer('back').pictureNow();
  drawFrames(2);
  expect(facts).toMatchObject({ hasFrame: true, isPaused: true });
});

test('without frame callbacks a superseded video is never shown', () => {
  engine.isOld = true;
  const player = openPlayer();
  player.prepare({ url: '/first' });
  layer('back').metadataNow();
  layer('back').pictureNow();
  player.prepare({ url: '/second' });
  drawFrames(2);
  expect(told).toEqual([]);
});

describe('an element whose source was under way before the player was there', () => {
  const underWay = () => {
    const video = new FrameTellingVideo();
    video.src = addressOf('/first');
    return video;
  };

  test('goes on loading and comes to the screen with its first picture', () => {
    const first = underWay();
    openPlayer(first).prepare({ url: '/first' });
    expect(first.dropped).toEqual([]);
    first.showNow();
    expect(told).toEqual(['shown']);
    expect(first.dataset.layer).toBe('front');
  });

  test('whose picture stands already is shown two frames later', () => {
    const first = underWay();
    first.showNow();
    openPlayer(first).prepare({ url: '/first' });
    drawFrames(2);
    expect(told).toEqual(['shown']);
  });

  test('that has failed already is a failure', () => {
    const first = underWay();
    first.error = { code: 4 };
    openPlayer(first).prepare({ url: '/first' });
    expect(told).toEqual(['failed']);
    expect(facts.error).toBe('unsupported');
  });

  test('is given the source that the engine asks for, when that is another one', () => {
    const first = underWay();
    openPlayer(first).prepare({ url: '/other' });
    expect(first.dropped).toEqual([addressOf('/first')]);
    first.showNow();
    expect(first.src).toBe(addressOf('/other'));
    expect(told).toEqual(['shown']);
  });
});
