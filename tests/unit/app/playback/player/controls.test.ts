import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { mediaBudget } from '#app/playback/media-budget.ts';
import type { FakeMedia } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';
import { openPlayer, playerShowing } from '../player-under-test.ts';

let media: FakeMedia;

beforeEach(() => {
  media = fakeMediaGlobals();
  mediaBudget.setCapacity('decoder', 6);
});

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_4 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Mobile/15E148 Safari/604.1';

test('a speed holds for the video on screen and for the next ones', () => {
  const { player, facts, layer } = playerShowing(media);
  player.setSpeed(1.5);
  expect(facts.speed).toBe(1.5);
  for (const of of ['front', 'back'] as const)
    expect(layer(of)).toMatchObject({ playbackRate: 1.5, defaultPlaybackRate: 1.5 });
});

describe('seeking', () => {
  test.each([
    ['forward', 20, 15, 35],
    ['back', 20, -15, 5],
    ['back beyond the start', 5, -15, 0],
    ['forward beyond the end', 50, 15, 60],
  ])('goes %s', (_, from, by, to) => {
    const { player, layer } = playerShowing(media);
    layer('front').timeNow(from);
    player.seekTo(player.position + by);
    expect(layer('front').currentTime).toBe(to);
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY])('is ignored while the duration is %d', (duration) => {
    const { player, facts, layer } = openPlayer();
    player.prepare({ url: '/live' });
    const back = layer('back');
    back.metadataNow({ duration });
    back.pictureNow();
    back.presentNow();
    player.seekTo(10);
    expect(back.currentTime).toBe(0);
    expect(facts.durationSeconds).toBeNull();
  });

  test('from the end goes on playing', () => {
    const { player, layer } = playerShowing(media);
    layer('front').endNow();
    player.seekTo(player.position - 15);
    expect(layer('front')).toMatchObject({ currentTime: 45, paused: false });
  });

  test('the length of the video on screen is a fact', () => {
    const { facts, layer, player } = playerShowing(media);
    expect(facts.durationSeconds).toBe(60);
    player.prepareNext({ url: '/next' });
    layer('back').metadataNow({ duration: 200 });
    expect(facts.durationSeconds).toBe(60);
    layer('back').pictureNow();
    layer('back').presentNow();
    player.showNext();
    expect(facts.durationSeconds).toBe(200);
  });
});

describe('time', () => {
  test('is told four times a second at most, and at once after a seek and a swap', () => {
    vi.useFakeTimers();
    const hear = vi.fn();
    const { player, layer } = playerShowing(media);
    player.onTime(hear);
    vi.advanceTimersByTime(1_000);
    for (let tick = 0; tick < 20; tick += 1) {
      layer('front').timeNow(tick / 20);
      vi.advanceTimersByTime(50);
    }
    expect(hear).toHaveBeenCalledTimes(4);
    player.seekTo(30);
    expect(hear).toHaveBeenCalledTimes(5);
    player.prepare({ url: '/next' });
    layer('back').showNow();
    expect(hear).toHaveBeenCalledTimes(6);
    vi.useRealTimers();
  });

  test('is not told of what nobody sees, nor to who has stopped listening', () => {
    const hear = vi.fn();
    const { player, layer } = playerShowing(media);
    const stop = player.onTime(hear);
    player.prepareNext({ url: '/next' });
    layer('back').showNow();
    expect(hear).not.toHaveBeenCalled();
    stop();
    player.seekTo(5);
    expect(hear).not.toHaveBeenCalled();
  });

  test('what is buffered ahead is counted from the second on screen', () => {
    const { player, layer } = playerShowing(media);
    layer('front').loadedSeconds = 9;
    layer('front').timeNow(4);
    expect(player.metrics().bufferedAheadSeconds).toBe(5);
    layer('front').timeNow(9);
    expect(player.metrics().bufferedAheadSeconds).toBe(0);
  });
});

describe('sound', () => {
  test('a player is silent until it is asked for, and then over all its videos', () => {
    const { player, facts, layer } = playerShowing(media);
    expect(facts.isMuted).toBe(true);
    player.setMuted(false);
    player.setVolume(0.4);
    expect(facts).toMatchObject({ isMuted: false, volume: 0.4 });
    player.prepare({ url: '/next' });
    expect(layer('back').muted).toBe(true);
    layer('back').showNow();
    expect(layer('front')).toMatchObject({ muted: false, volume: 0.4 });
    expect(facts).toMatchObject({ isMuted: false, volume: 0.4 });
    player.setMuted(true);
    expect(facts.isMuted).toBe(true);
  });

  test('the old video falls silent when the next one takes its place', () => {
    const { player, layer } = playerShowing(media);
    player.setMuted(false);
    player.prepare({ url: '/next' });
    layer('back').showNow();
    expect(layer('back')).toMatchObject({ paused: true, muted: true });
  });

  test.each([
    [1.3, 1],
    [-0.2, 0],
  ])('a volume of %d is one of %d', (asked, heard) => {
    const { player, layer } = playerShowing(media);
    player.setVolume(asked);
    expect(layer('front').volume).toBe(heard);
  });

  test('at a desk all four may sound', () => {
    const four = ['/a', '/b', '/c', '/d'].map((url) => playerShowing(media, { url }));
    for (const { player } of four) player.setMuted(false);
    expect(four.map(({ facts }) => facts.isMuted)).toEqual([false, false, false, false]);
  });

  test.each([
    ['on iOS', () => vi.stubGlobal('navigator', { userAgent: iPhone, maxTouchPoints: 5 })],
    ['on a TV', () => Object.assign(document.documentElement.dataset, { form: 'tv' })],
  ])('%s the one that was asked for last sounds alone', (_, become) => {
    become();
    const [first, second] = ['/a', '/b'].map((url) => playerShowing(media, { url }));
    first?.player.setMuted(false);
    second?.player.setMuted(false);
    expect([first?.facts.isMuted, second?.facts.isMuted]).toEqual([true, false]);
    second?.player.setMuted(true);
    expect(first?.facts.isMuted).toBe(true);
  });

  test('a browser that refuses to play with sound plays without', async () => {
    const { player, facts, layer } = playerShowing(media, { isPlaying: false });
    player.setMuted(false);
    layer('front').refusal = new DOMException('no gesture', 'NotAllowedError');
    player.play();
    layer('front').refusal = null;
    await Promise.resolve();
    expect(facts).toMatchObject({ isMuted: true, isPaused: false, isBlocked: false });
  });

  test('a video that the browser stops because it sounds plays on in silence', () => {
    const { player, facts, layer } = playerShowing(media);
    player.setMuted(false);
    player.prepare({ url: '/next' });
    layer('back').showNow();
    layer('front').pauseUnbidden();
    expect(facts).toMatchObject({ isMuted: true, isPaused: false });
  });

  test('a pause from outside, long after, is none of the sound', () => {
    vi.useFakeTimers();
    const { player, facts, layer } = playerShowing(media);
    player.setMuted(false);
    vi.advanceTimersByTime(60_000);
    layer('front').pauseUnbidden();
    expect(facts).toMatchObject({ isMuted: false, isPaused: true });
    vi.useRealTimers();
  });

  test('a video with sound that the device pauses long after keeps its sound, and asks for a tap', () => {
    vi.useFakeTimers();
    const { player, facts, layer } = playerShowing(media);
    player.setMuted(false);
    vi.advanceTimersByTime(60_000);
    layer('front').pauseUnbidden();
    expect(facts).toMatchObject({ isMuted: false, isPaused: true, isBlocked: true });
    player.play();
    expect(facts).toMatchObject({ isMuted: false, isPaused: false, isBlocked: false });
    vi.useRealTimers();
  });
});

describe('a video that the device pauses by itself', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  test('goes on at once when it is muted', () => {
    const { facts, layer } = playerShowing(media);
    layer('front').pauseUnbidden();
    expect(facts).toMatchObject({ isPaused: false, isBlocked: false });
    vi.advanceTimersByTime(60_000);
    layer('front').pauseUnbidden();
    expect(facts).toMatchObject({ isPaused: false, isBlocked: false });
  });

  test('asks for a tap when it is paused again at once, or may not go on', async () => {
    const { player, facts, layer } = playerShowing(media);
    layer('front').pauseUnbidden();
    layer('front').pauseUnbidden();
    expect(facts).toMatchObject({ isPaused: true, isBlocked: true });
    player.play();
    expect(facts).toMatchObject({ isPaused: false, isBlocked: false });
    vi.advanceTimersByTime(60_000);
    layer('front').refusal = new DOMException('no gesture', 'NotAllowedError');
    layer('front').pauseUnbidden();
    await vi.advanceTimersByTimeAsync(0);
    expect(facts).toMatchObject({ isPaused: true, isBlocked: true });
  });

  test('stays paused when the viewer has paused it, and at its end', () => {
    const { player, facts, layer, told } = playerShowing(media);
    layer('front').endNow();
    expect([told, facts.isBlocked]).toEqual([['ended'], false]);
    player.pause();
    layer('front').pauseUnbidden();
    expect(facts).toMatchObject({ isPaused: true, isBlocked: false });
  });
});
