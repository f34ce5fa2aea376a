import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { mediaBudget } from '#app/playback/budget/device-budget.ts';
import { latestQuality, qualityOf, startSampler } from '#app/playback/health/quality-sampler.ts';
import { openPlayers, playerOf, releasePlayers } from '#app/playback/player/player-store.ts';
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

/** Shows a video in the first quadrant. */
function show(url: string): FrameTellingVideo {
  playerOf('top-left').play();
  playerOf('top-left').prepare({ url });
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
