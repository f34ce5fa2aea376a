import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { QualitySample } from '#app/playback/health/quality-sampler.ts';
import { NetworkSpeed } from '#app/playback/health/quality-sampler.ts';
import { readLearned, storeLearned } from '#app/playback/learned-device.ts';
import { slowBelowKbps } from '#app/playback/media-budget.ts';
import { quadrants } from '#contract/quadrants.ts';
import { fakeStorage } from '../../platform/fake-storage.ts';

const piece = 2 * 1024 * 1024;
const pieceMegabits = (piece * 8) / 1_000_000;

let speed: NetworkSpeed;
let storage: Storage;

beforeEach(() => {
  vi.useFakeTimers();
  storage = fakeStorage();
  vi.stubGlobal('window', { localStorage: storage });
  speed = new NetworkSpeed();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** One piece; seconds since the page began. */
const transfer = (from: number, to: number, transferSize = piece) =>
  speed.add({ transferSize, responseStart: from * 1_000, responseEnd: to * 1_000 });

/** Seconds in which every video has so much ahead. */
function pass(seconds: number, bufferLevelSeconds: number): void {
  for (let second = 0; second < seconds; second += 1) speed.learn([{ bufferLevelSeconds } as QualitySample]);
}

const megabits = () => (readLearned('kbps') ?? Number.NaN) / 1_000;

test('transfers one after another give what each gave, whatever lay between them', () => {
  transfer(0, 1);
  transfer(5, 6);
  transfer(20, 21);
  pass(1, 10);
  expect(megabits()).toBeCloseTo(pieceMegabits, 1);
});

test('transfers side by side share their time', () => {
  for (const end of [4, 4, 4, 4]) transfer(0, end);
  pass(4, 0.2);
  expect(megabits()).toBeGreaterThan(pieceMegabits * 0.8);
  expect(megabits()).toBeLessThan(pieceMegabits * 1.2);
});

test('a network that gives less than the videos need is known as slow', () => {
  pass(2, 0);
  transfer(0, 16);
  pass(1, 0);
  expect(readLearned('kbps')).toBe(Math.round((piece * 8) / 16_000));
  expect(readLearned('kbps')).toBeLessThan(slowBelowKbps);
});

test('videos that lack nothing say nothing of how slow it is: they come as fast as they are played', () => {
  transfer(0, 30);
  pass(10, 12);
  expect(readLearned('kbps')).toBeNull();
  speed = new NetworkSpeed();
  transfer(40, 40.5);
  pass(1, 12);
  const fast = readLearned('kbps');
  expect(fast).toBeGreaterThan(slowBelowKbps);
  transfer(50, 80);
  transfer(80, 120);
  pass(10, 12);
  expect(readLearned('kbps')).toBe(fast);
});

test('a second without data, as every video begins with, is no lack', () => {
  transfer(0, 0.5);
  pass(1, 12);
  const fast = readLearned('kbps');
  for (let visit = 0; visit < 5; visit += 1) {
    transfer(10 + visit * 20, 29 + visit * 20);
    pass(2, 0.5);
    pass(5, 12);
  }
  expect(readLearned('kbps')).toBe(fast);
});

test('what was slow and is fast again is learned', () => {
  storeLearned('kbps', 500);
  speed = new NetworkSpeed();
  transfer(0, 2);
  pass(1, 12);
  expect(megabits()).toBeCloseTo(pieceMegabits / 2, 1);
});

test('what is short, from a cache or without times counts for nothing', () => {
  transfer(0, 5, 1_000);
  transfer(0, 5, 0);
  transfer(0, 0);
  speed.add({ transferSize: piece } as PerformanceResourceTiming);
  pass(10, 0);
  expect(readLearned('kbps')).toBeNull();
});

test('it is written once a visit, and again only when it has changed', () => {
  const write = vi.spyOn(storage, 'setItem');
  for (let second = 0; second < 60; second += 1) {
    transfer(second, second + 0.5);
    pass(1, second % 2);
  }
  expect(write).toHaveBeenCalledTimes(1);
});

describe('of transfers under way, while videos lack data,', () => {
  /** Seconds in which each of four videos of 700 kbit/s gets so many seconds of itself. */
  function arrive(seconds: number, gained: number, { level = 0, kbps = 700 as number | null } = {}): void {
    for (let second = 0; second < seconds; second += 1) {
      missing -= gained;
      const facts = { videoId: 'v', bufferLevelSeconds: level, missingSeconds: missing, kbps };
      speed.learn(quadrants.map((quadrant) => ({ quadrant, ...facts }) as QualitySample));
    }
  }
  let missing = 1_000;

  test('what arrives tells of a slow network before any of them ends', () => {
    arrive(15, 0.1);
    expect(readLearned('kbps')).toBeNull();
    arrive(1, 0.1);
    expect(readLearned('kbps')).toBe(280);
  });

  test('and of one that was fast before, for more than the next that ends', () => {
    for (let second = 0; second < 10; second += 1) transfer(second, second + 0.5);
    arrive(1, 1, { level: 12 });
    expect(megabits()).toBeGreaterThan(10);
    arrive(20, 0.1);
    expect(readLearned('kbps')).toBe(280);
    transfer(10, 70);
    arrive(1, 0.1);
    expect(megabits()).toBeLessThan(0.3);
  });

  test.each([
    ['where nothing arrives', () => arrive(60, 0)],
    ['where a bitrate is not known', () => arrive(60, 0.1, { kbps: null })],
    ['while no video lacks data', () => arrive(60, 0.1, { level: 12 })],
    [
      'where the lack is over within the time',
      () => {
        for (let time = 0; time < 10; time += 1) {
          arrive(10, 0.1);
          arrive(1, 0.1, { level: 12 });
        }
      },
    ],
    ['of a fast network', () => arrive(60, 5)],
  ])('nothing is learned %s', (_, pass) => {
    pass();
    expect(readLearned('kbps')).toBeNull();
  });
});
