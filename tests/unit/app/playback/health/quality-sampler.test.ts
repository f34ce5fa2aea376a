import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { latestQuality, qualityOf, startSampler } from '#app/playback/health/quality-sampler.ts';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { openPlayers, playerOf, releasePlayers } from '#app/playback/player/player.ts';
import { limits } from '#contract/limits.ts';
import { findAlarms } from '#contract/rules/health.ts';
import type { FakeMedia, FrameTellingVideo } from '../fake-video.ts';
import { fakeMediaGlobals } from '../fake-video.ts';

let media: FakeMedia;
let stop: () => void;
let tellTransfers: (entries: object[]) => void;

beforeEach(() => {
  vi.useFakeTimers();
  media = fakeMediaGlobals();
  mediaBudget.setCapacity('decoder', 6);
  vi.stubGlobal(
    'PerformanceObserver',
    class {
      constructor(hear: (list: object) => void) {
        tellTransfers = (entries) => hear({ getEntries: () => entries });
      }
      observe(): void {}
      disconnect(): void {}
    },
  );
  openPlayers(() => {});
  stop = startSampler();
});

afterEach(() => {
  stop();
  releasePlayers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Shows a video in the first quadrant. Its id is its address. */
function show(url: string): FrameTellingVideo {
  playerOf('top-left').play();
  playerOf('top-left').prepare({ url, videoId: url });
  return arrive(url);
}

/** What the first quadrant prepares comes to its screen. */
function arrive(url: string): FrameTellingVideo {
  const video = media.videos.find(({ src }) => src.includes(url)) as FrameTellingVideo;
  video.showNow();
  media.settle();
  return video;
}

test('each second has its own frames, stalls and bytes', () => {
  const video = show('/a');
  Object.assign(video, { totalFrames: 25, droppedFrames: 1, loadedSeconds: 9 });
  video.timeNow(1);
  tellTransfers([
    { initiatorType: 'video', transferSize: 1_000_000 },
    { initiatorType: 'img', transferSize: 5_000_000 },
  ]);
  vi.advanceTimersByTime(1_000);
  expect(latestQuality('top-left')).toMatchObject({
    totalFrames: 25,
    droppedFrames: 1,
    stalls: 0,
    bufferedAheadSeconds: 8,
    width: 960,
    height: 540,
    bandwidthMbps: 8,
  });
  Object.assign(video, { totalFrames: 45, droppedFrames: 4 });
  video.starveNow();
  vi.advanceTimersByTime(1_000);
  expect(latestQuality('top-left')).toMatchObject({
    totalFrames: 20,
    droppedFrames: 3,
    stalls: 1,
    bandwidthMbps: null,
  });
});

test('another video counts from its own beginning', () => {
  Object.assign(show('/a'), { totalFrames: 500, droppedFrames: 40 });
  vi.advanceTimersByTime(1_000);
  Object.assign(show('/b'), { totalFrames: 12, droppedFrames: 2 });
  vi.advanceTimersByTime(1_000);
  expect(latestQuality('top-left')).toMatchObject({ totalFrames: 12, droppedFrames: 2 });
});

test('the last two minutes are kept, and nothing while nobody looks', () => {
  show('/a');
  vi.advanceTimersByTime(200_000);
  expect(qualityOf('top-left')).toHaveLength(120);
  const newest = latestQuality('top-left')?.at ?? 0;
  expect(qualityOf('top-left')[0]?.at).toBe(newest - 119_000);
  Object.assign(document, { hidden: true });
  vi.advanceTimersByTime(60_000);
  expect(latestQuality('top-left')?.at).toBe(newest);
});

test('a jump to where no data is yet is no stall', () => {
  const video = show('/a');
  playerOf('top-left').seekTo(40);
  video.starveNow();
  vi.advanceTimersByTime(1_000);
  expect(latestQuality('top-left')?.stalls).toBe(0);
});

/** A second later. */
function next() {
  vi.advanceTimersByTime(1_000);
  return latestQuality('top-left');
}

describe('frames', () => {
  test('are none twice and none lost when another video comes within a second', () => {
    const first = show('/a');
    Object.assign(first, { totalFrames: 30, droppedFrames: 1 });
    next();
    Object.assign(first, { totalFrames: 40, droppedFrames: 3 });
    Object.assign(show('/b'), { totalFrames: 60, droppedFrames: 5 });
    expect(next(), 'ten more of the first, and all of the second').toMatchObject({
      videoId: '/b',
      totalFrames: 70,
      droppedFrames: 7,
    });
  });

  test('go on where the same video is loaded again', () => {
    Object.assign(show('/a'), { totalFrames: 500, droppedFrames: 40 });
    next();
    playerOf('top-left').recover('reload');
    const again = arrive('/a');
    Object.assign(again, { totalFrames: 12, droppedFrames: 2 });
    expect(next()).toMatchObject({ videoId: '/a', totalFrames: 12, droppedFrames: 2 });
  });

  test('of an element that gave its source up count once', () => {
    Object.assign(show('/a'), { totalFrames: 500, droppedFrames: 40 });
    next();
    playerOf('top-left').suspend();
    next();
    expect(qualityOf('top-left')).toHaveLength(1);
    playerOf('top-left').resume();
    Object.assign(arrive('/a'), { totalFrames: 25, droppedFrames: 0 });
    expect(next()).toMatchObject({ totalFrames: 25, droppedFrames: 0 });
  });

  test('of players that were opened anew begin from nothing', () => {
    const before = show('/a');
    Object.assign(before, { totalFrames: 500, droppedFrames: 40 });
    before.starveNow();
    next();
    releasePlayers();
    media.videos.length = 0;
    openPlayers(() => {});
    Object.assign(show('/b'), { totalFrames: 25, droppedFrames: 1 });
    expect(next()).toMatchObject({ totalFrames: 25, droppedFrames: 1, stalls: 0 });
  });

  test('that an engine counts anew by itself are never fewer than none', () => {
    const video = show('/a');
    Object.assign(video, { totalFrames: 500, droppedFrames: 40 });
    next();
    Object.assign(video, { totalFrames: 3, droppedFrames: 0 });
    expect(next()).toMatchObject({ totalFrames: 0, droppedFrames: 0 });
    Object.assign(video, { totalFrames: 28, droppedFrames: 1 });
    expect(next()).toMatchObject({ totalFrames: 25, droppedFrames: 1 });
  });

  test('that were dropped are never more than all', () => {
    const video = show('/a');
    Object.assign(video, { totalFrames: 25, droppedFrames: 0 });
    next();
    Object.assign(video, { totalFrames: 26, droppedFrames: 4 });
    expect(next()).toMatchObject({ totalFrames: 4, droppedFrames: 4 });
  });
});

describe('a quadrant', () => {
  test('that is paused, covered or empty gives no sample', () => {
    show('/a');
    next();
    playerOf('top-left').pause();
    vi.advanceTimersByTime(10_000);
    expect(qualityOf('top-left')).toHaveLength(1);
    expect(qualityOf('top-right')).toEqual([]);
    playerOf('top-left').play();
    next();
    expect(qualityOf('top-left')).toHaveLength(2);
  });

  test('whose video is loaded again, since no bytes came, lacks data meanwhile', () => {
    const video = show('/a');
    next();
    Object.assign(video, { networkState: 2 });
    video.starveNow();
    vi.advanceTimersByTime(limits.firstBytesTimeoutSeconds * 1_000);
    expect(video.dropped, 'it was loaded anew').toHaveLength(1);
    expect(next()).toMatchObject({ videoId: '/a', bufferLevelSeconds: 0 });
  });

  test('that has to wait for a decoder gives none', () => {
    show('/a');
    next();
    mediaBudget.setCapacity('decoder', 0);
    vi.advanceTimersByTime(5_000);
    expect(qualityOf('top-left')).toHaveLength(1);
  });

  test('whose video is at its end gives none', () => {
    show('/a').endNow();
    expect(next()).toBeNull();
  });

  test('that lost its video is told once, with what broke off', () => {
    const video = show('/a');
    next();
    video.starveNow();
    video.failNow(2);
    expect(next()).toMatchObject({
      videoId: '/a',
      failures: 1,
      stalls: 1,
      bufferLevelSeconds: limits.lowBufferSeconds,
    });
    vi.advanceTimersByTime(10_000);
    expect(qualityOf('top-left')).toHaveLength(2);
  });

  test('says which video gave no frame at all, though another one is on screen', () => {
    show('/a');
    next();
    playerOf('top-left').prepare({ url: '/broken', videoId: '/broken' });
    (media.videos.find(({ src }) => src.includes('/broken')) as FrameTellingVideo).failNow(3);
    expect(next()).toMatchObject({ videoId: '/broken', failures: 1 });
    expect(next()).toMatchObject({ videoId: '/a', failures: 0 });
  });

  test('does not count what was only prepared', () => {
    show('/a');
    next();
    playerOf('top-left').prepareNext({ url: '/broken', videoId: '/broken' });
    (media.videos.find(({ src }) => src.includes('/broken')) as FrameTellingVideo).failNow(3);
    expect(next()).toMatchObject({ videoId: '/a', failures: 0 });
  });

  test('counts a rendition that takes the place of another one, once it does', () => {
    show('/a');
    playerOf('top-left').replaceSource('/a-540', { at: 0 });
    expect(next()).toMatchObject({ videoId: '/a', qualityAdjustments: 0 });
    arrive('/a-540');
    expect(next()).toMatchObject({ videoId: '/a', qualityAdjustments: 1 });
    expect(next()).toMatchObject({ qualityAdjustments: 0 });
  });
});

describe('the buffer level', () => {
  const level = () => next()?.bufferLevelSeconds as number;
  const alarms = (bufferLevel: number) =>
    findAlarms({ 'top-left': { averageBufferLevel: bufferLevel, averageDroppedFrameRate: 0, stallEvents: 0 } }, null);

  test('is what is buffered ahead, and an alarm below two seconds', () => {
    const video = show('/a');
    video.loadedSeconds = 9;
    video.timeNow(4);
    expect(level()).toBe(5);
    video.timeNow(7.5);
    expect(level()).toBe(1.5);
    expect(alarms(level())).toHaveLength(1);
  });

  test('raises no alarm where all the rest of a video is there', () => {
    const video = show('/a');
    video.loadedSeconds = 60;
    video.timeNow(59.2);
    expect(alarms(level())).toEqual([]);
    video.loadedSeconds = 59.7;
    expect(alarms(level()), 'its last frame stands before the end of the file').toEqual([]);
    video.timeNow(10);
    expect(level()).toBeCloseTo(49.7);
  });

  test('is low where the end is near and is not there', () => {
    const video = show('/a');
    video.loadedSeconds = 58;
    video.timeNow(57.5);
    expect(alarms(level())).toHaveLength(1);
  });

  test('of a video without an end is what is buffered ahead', () => {
    const video = show('/a');
    Object.assign(video, { duration: Number.POSITIVE_INFINITY, loadedSeconds: 9 });
    video.timeNow(8);
    expect(level()).toBe(1);
  });
});
