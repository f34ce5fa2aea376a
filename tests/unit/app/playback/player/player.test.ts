import { beforeEach, describe, expect, test, vi } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { restingFacts } from '#app/playback/player/player-facts.ts';
import { addressOf } from '#app/playback/player/video-element.ts';
import type { FakeMedia } from '../fake-video.ts';
import { FakeHost, FrameTellingVideo, fakeMediaGlobals } from '../fake-video.ts';
import { openPlayer, playerShowing } from '../player-under-test.ts';

let media: FakeMedia;

beforeEach(() => {
  media = fakeMediaGlobals();
  mediaBudget.setCapacity('decoder', 6);
});

test('before the first tap the first picture stands as a still', () => {
  const { facts, layer } = playerShowing(media, { isPlaying: false });
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old'), paused: true });
  expect(facts).toMatchObject({ hasFrame: true, isPaused: true, isPreparing: false });
});

test('a player that is given the place where it stands already moves none of its elements', () => {
  const { player } = openPlayer();
  const host = new FakeHost();
  player.attachTo(host.element);
  player.attachTo(host.element);
  expect(host.videos).toHaveLength(2);
});

test('a tap plays what stands', () => {
  const { player, facts, layer } = playerShowing(media, { isPlaying: false });
  player.play();
  expect(layer('front').paused).toBe(false);
  expect(facts).toMatchObject({ isPaused: false, isBlocked: false });
});

test('a tap before the first picture plays what is on its way', () => {
  const { player, layer } = openPlayer();
  player.prepare({ url: '/first' });
  player.play();
  expect(layer('back').paused).toBe(false);
});

test('the old picture stays until the first frame of the next one is presented', () => {
  const { player, told, layer } = playerShowing(media);
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

test('the old layer lies beneath the new one until that has presented two pictures and two frames are drawn, then it gives its source back', () => {
  const { player, layer } = playerShowing(media);
  player.prepare({ url: '/next' });
  layer('back').showNow();
  media.drawFrames(10);
  layer('front').presentNow();
  layer('front').presentNow();
  media.drawFrames(2);
  expect(layer('back')).toMatchObject({ src: expect.stringContaining('/old'), paused: true });
  media.drawFrames(1);
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('beneath a paused one, which presents nothing more, the old layer goes after half a second of frames', () => {
  const { player, layer } = playerShowing(media, { isPlaying: false });
  player.prepare({ url: '/next' });
  layer('back').showNow();
  media.drawFrames(30);
  expect(layer('back').src).toContain('/old');
  media.drawFrames(2);
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('what is prepared peeks out from behind a picture; what was just left lies beneath it whole', () => {
  const { player, layer } = playerShowing(media);
  expect([layer('front').dataset.peeks, layer('back').dataset.peeks]).toEqual([undefined, '']);
  player.prepare({ url: '/next' });
  layer('back').showNow();
  expect([layer('front').dataset.peeks, layer('back').dataset.peeks]).toEqual([undefined, undefined]);
  media.settle();
  expect(layer('back').dataset.peeks).toBe('');
});

test('of five videos prepared in quick succession only the last one comes to the screen, and no request is left', () => {
  const { player, told, layer } = playerShowing(media);
  for (const number of [1, 2, 3, 4, 5]) {
    player.prepare({ url: `/${number}` });
    layer('back').metadataNow();
  }
  layer('back').pictureNow();
  layer('back').presentNow();
  media.settle();
  expect(told).toEqual(['shown']);
  expect(layer('front').src).toContain('/5');
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('a video so short that it is over when it comes to the screen is told to have ended', () => {
  const { player, told, layer } = playerShowing(media);
  player.prepare({ url: '/blink' });
  const back = layer('back');
  back.metadataNow({ duration: 0.04 });
  back.pictureNow();
  back.endNow();
  back.presentNow();
  expect(told).toEqual(['shown', 'ended']);
});

test('a video that is abandoned on its way never comes to the screen', () => {
  const { player, facts, told, layer } = playerShowing(media);
  player.prepare({ url: '/next' });
  const back = layer('back');
  player.cancel();
  back.presentNow();
  expect(back.hasAttribute('src')).toBe(false);
  expect(layer('front').src).toContain('/old');
  expect(facts).toMatchObject({ hasFrame: true, isPreparing: false });
  expect(told).toEqual([]);
});

test('a still further on is there although the frame of its seek was not reported', () => {
  const { player, facts, layer } = openPlayer();
  player.prepare({ url: '/first', at: 30 });
  const back = layer('back');
  back.metadataNow();
  back.presentNow(0);
  media.settle();
  expect(facts.isPreparing).toBe(true);
  back.pictureNow(30);
  media.drawFrames(10);
  expect(facts.isPreparing).toBe(true);
  media.settle();
  expect(facts).toMatchObject({ isPreparing: false, hasFrame: true });
  expect(layer('front')).toBe(back);
});

test('a video that starts further on is not shown with its very first picture', () => {
  const { player, layer } = playerShowing(media);
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
  const { player, facts, layer } = playerShowing(media, { isPlaying: false });
  layer('front').refusal = new DOMException('no gesture', 'NotAllowedError');
  player.play();
  await Promise.resolve();
  expect(facts.isBlocked).toBe(true);
  layer('front').refusal = null;
  player.play();
  expect(facts.isBlocked).toBe(false);
});

test('a refusal that comes after a pause is none any more', async () => {
  const { player, facts, layer } = playerShowing(media, { isPlaying: false });
  layer('front').refusal = new DOMException('no gesture', 'NotAllowedError');
  player.play();
  player.pause();
  await Promise.resolve();
  expect(facts.isBlocked).toBe(false);
});

test('a play that the next source aborted is no refusal', async () => {
  const { player, facts, layer } = playerShowing(media, { isPlaying: false });
  layer('front').refusal = new DOMException('interrupted by a new load', 'AbortError');
  player.play();
  await Promise.resolve();
  expect(facts.isBlocked).toBe(false);
});

test('a video that loads without images is an error', () => {
  const { player, facts, told, layer } = playerShowing(media);
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
  const { player, facts, told, layer } = playerShowing(media);
  player.prepare({ url: '/broken' });
  layer('back').failNow(code);
  expect(facts.error).toBe(error);
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old'), paused: false });
  expect(told).toEqual(['failed']);
});

test('a video that breaks while it plays is told of, unless the next one is on its way', () => {
  const { player, told, layer } = playerShowing(media);
  player.prepare({ url: '/next' });
  layer('front').failNow(2);
  expect(told).toEqual([]);
  player.cancel();
  layer('front').failNow(2);
  expect(told).toEqual(['failed']);
});

test('running out of data is a fact until it plays again', () => {
  const { facts, layer } = playerShowing(media);
  layer('front').starveNow();
  expect(facts.isWaiting).toBe(true);
  layer('front').pictureNow();
  expect(facts.isWaiting).toBe(false);
});

test('after a seek WebKit says that it is out of data and plays on: time that moves is what counts', () => {
  const { player, facts, layer } = playerShowing(media);
  player.play();
  player.seekTo(10);
  layer('front').starveNow();
  layer('front').timeNow(10.1);
  expect(facts.isWaiting).toBe(true);
  layer('front').timeNow(10.6);
  expect(facts.isWaiting).toBe(false);
  layer('front').starveNow();
  player.seekTo(40);
  layer('front').timeNow(40);
  expect(facts.isWaiting).toBe(true);
});

test('the end of the video on screen is told', () => {
  const { facts, told, layer } = playerShowing(media);
  layer('front').endNow();
  expect(told).toEqual(['ended']);
  expect(facts.isPaused).toBe(true);
});

test('a video that has ended is not started again by play', () => {
  const { player, layer } = playerShowing(media);
  layer('front').endNow();
  player.play();
  expect(layer('front').paused).toBe(true);
});

test('the same video from another address goes on at its second, and no video is said to start', () => {
  const { player, told, layer } = playerShowing(media);
  player.replaceSource('/old-in-hd', { at: 12 });
  const back = layer('back');
  back.metadataNow();
  back.pictureNow();
  back.presentNow();
  expect(layer('front')).toMatchObject({ src: expect.stringContaining('/old-in-hd'), currentTime: 12 });
  expect(told).toEqual([]);
});

test('a looping player loops what comes after, too', () => {
  const { player, layer } = playerShowing(media);
  player.setLooping(true);
  player.prepare({ url: '/next' });
  layer('back').showNow();
  expect(layer('front').loop).toBe(true);
});

test('pausing holds both layers: what comes to the screen then is a still', () => {
  const { player, facts, layer } = playerShowing(media);
  player.prepare({ url: '/next' });
  player.pause();
  layer('back').showNow();
  expect(layer('front').paused).toBe(true);
  expect(facts).toMatchObject({ hasFrame: true, isPaused: true });
});

test('a released player holds no source and knows nothing', () => {
  const { player, facts, videos } = playerShowing(media);
  player.prepare({ url: '/next' });
  player.release();
  expect(videos.some((one) => one.hasAttribute('src'))).toBe(false);
  expect(facts).toEqual(restingFacts);
});

test('without frame callbacks a playing video is shown two animation frames after its time moves', () => {
  media = fakeMediaGlobals({ isOld: true });
  const { player, told, layer } = openPlayer();
  player.play();
  player.prepare({ url: '/first' });
  const back = layer('back');
  back.metadataNow();
  back.pictureNow(0);
  media.settle();
  expect(told).toEqual([]);
  back.timeNow(0.1);
  media.drawFrames(1);
  expect(told).toEqual([]);
  media.drawFrames(1);
  expect(told).toEqual(['shown']);
});

test('without frame callbacks the old layer goes when the new one has moved on for a tenth of a second', () => {
  media = fakeMediaGlobals({ isOld: true });
  const { player, layer } = openPlayer();
  player.play();
  for (const url of ['/old', '/next']) {
    player.prepare({ url });
    layer('back').metadataNow();
    layer('back').pictureNow(0);
    layer('back').timeNow(0.1);
    media.drawFrames(2);
  }
  media.drawFrames(5);
  expect(layer('back').src).toContain('/old');
  layer('front').timeNow(0.2);
  media.drawFrames(3);
  expect(layer('back').hasAttribute('src')).toBe(false);
});

test('without frame callbacks a still is shown two animation frames after its data', () => {
  media = fakeMediaGlobals({ isOld: true });
  const { player, facts, layer } = openPlayer();
  player.prepare({ url: '/first' });
  layer('back').metadataNow();
  layer('back').pictureNow();
  media.settle();
  expect(facts).toMatchObject({ hasFrame: true, isPaused: true });
});

test('without frame callbacks a superseded video is never shown', () => {
  media = fakeMediaGlobals({ isOld: true });
  const { player, told, layer } = openPlayer();
  player.prepare({ url: '/first' });
  layer('back').metadataNow();
  layer('back').pictureNow();
  player.prepare({ url: '/second' });
  media.settle();
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
    const { player, told } = openPlayer(first);
    player.prepare({ url: '/first' });
    expect(first.dropped).toEqual([]);
    first.showNow();
    expect(told).toEqual(['shown']);
    expect(first.dataset.layer).toBe('front');
  });

  test('whose picture stands already is shown two frames later', () => {
    const first = underWay();
    first.showNow();
    const { player, told } = openPlayer(first);
    player.prepare({ url: '/first' });
    media.settle();
    expect(told).toEqual(['shown']);
  });

  test('that has failed already is a failure, once whoever asked has gone on', async () => {
    const first = underWay();
    first.error = { code: 4 };
    const { player, told, facts } = openPlayer(first);
    player.prepare({ url: '/first' });
    expect(told).toEqual([]);
    await vi.waitFor(() => expect(told).toEqual(['failed']));
    expect(facts.error).toBe('unsupported');
  });

  test('is given the source that the engine asks for, when that is another one', () => {
    const first = underWay();
    const { player, told } = openPlayer(first);
    player.prepare({ url: '/other' });
    expect(first.dropped).toEqual([addressOf('/first')]);
    first.showNow();
    expect(first.src).toBe(addressOf('/other'));
    expect(told).toEqual(['shown']);
  });

  test('gives its source back when nothing is ever asked for', () => {
    const first = underWay();
    openPlayer(first).player.release();
    expect(first.hasAttribute('src')).toBe(false);
  });

  test('that plays already stops and gives its source back when the page is out of sight by then', async () => {
    const first = underWay();
    first.showNow();
    await first.play();
    openPlayer(first).player.setHidden(true);
    expect([first.paused, first.hasAttribute('src')]).toEqual([true, false]);
  });

  test('gives its source back where the device has no decoder for it', () => {
    mediaBudget.setCapacity('decoder', 1);
    playerShowing(media);
    const first = underWay();
    openPlayer(first).player.prepare({ url: '/first' });
    expect(first.hasAttribute('src')).toBe(false);
  });
});

test('a player that is cleared shows nothing at once, and what is on its way comes all the same', () => {
  const { player, facts, told, layer } = playerShowing(media);
  player.prepare({ url: '/next' });
  player.clear();
  expect(layer('front').hasAttribute('src')).toBe(false);
  expect(facts.hasFrame).toBe(false);
  layer('back').showNow();
  expect(layer('front').src).toContain('/next');
  expect(layer('front').paused).toBe(false);
  expect(facts.hasFrame).toBe(true);
  expect(told).toEqual(['shown']);
});
