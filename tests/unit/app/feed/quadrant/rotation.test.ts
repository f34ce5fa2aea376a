import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { showControls } from '#app/features/feed/controls/controls-store.ts';
import { openFeed, startAll } from '#app/features/feed/feed-store.ts';
import { startRotation } from '#app/features/feed/monitors.ts';
import { setPinned } from '#app/features/feed/quadrant/quadrant-machine.ts';
import { mediaBudget } from '#app/playback/media-budget.ts';
import { playerFacts } from '#app/playback/player/player.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FeedStage } from '../feed-stage.ts';

const { rotateSeconds } = limits;
let stage: FeedStage;
let stop: () => void;
let isMotionReduced: boolean;

beforeEach(() => {
  stage = new FeedStage();
  isMotionReduced = false;
  Object.assign(window, { matchMedia: () => ({ matches: isMotionReduced }) });
  mediaBudget.setCapacity('decoder', 2);
  stop = startRotation();
});

afterEach(() => {
  stop();
  stage.end();
  mediaBudget.setCapacity('decoder', 6);
});

/** Each element that has a source draws a frame, second by second. */
async function pass(seconds: number): Promise<void> {
  for (let second = 0; second < seconds; second += 1) {
    for (const quadrant of quadrants)
      for (const role of ['front', 'back'] as const) {
        const video = stage.screen.layer(quadrant, role);
        if (video.hasAttribute('src') && video.readyState < 2) video.showNow();
      }
    stage.screen.settle();
    await stage.seconds(1);
  }
}

async function play(): Promise<void> {
  openFeed();
  await stage.arrive();
  startAll();
  await pass(2);
}

const moving = (): Quadrant[] =>
  quadrants.filter((quadrant) => !playerFacts[quadrant].isResting && !playerFacts[quadrant].isPaused);

test('with two decoders each quadrant moves within four turns, two at a time', async () => {
  await play();
  const seen = new Set(moving());
  expect(seen.size).toBe(2);
  for (let turn = 0; turn < quadrants.length; turn += 1) {
    await pass(rotateSeconds);
    expect(moving().length).toBeLessThanOrEqual(2);
    for (const quadrant of moving()) seen.add(quadrant);
  }
  expect([...seen].sort()).toEqual([...quadrants].sort());
});

test('a pinned quadrant and one with its controls on screen keep their decoders', async () => {
  await play();
  const [first, second] = moving();
  setPinned(first as Quadrant, true);
  for (let turn = 0; turn < 3 * rotateSeconds; turn += 1) {
    showControls(second as Quadrant, 'pointer');
    await pass(1);
    expect(moving()).toEqual([first, second]);
  }
});

test.each(quadrants)(
  '%s moves at once when the viewer turns to it, and a pinned one keeps its decoder',
  async (wanted) => {
    await play();
    const [pinned] = moving().filter((quadrant) => quadrant !== wanted);
    setPinned(pinned as Quadrant, true);
    showControls(wanted, 'key');
    await stage.arrive();
    await pass(1);
    expect(moving().sort()).toEqual([pinned, wanted].sort());
  },
);

test('nothing takes turns where less motion is wanted, or where all four move', async () => {
  isMotionReduced = true;
  await play();
  const before = moving();
  await pass(2 * rotateSeconds);
  expect(moving()).toEqual(before);
  isMotionReduced = false;
  mediaBudget.setCapacity('decoder', 4);
  await pass(2);
  expect(moving()).toEqual(quadrants);
  await pass(2 * rotateSeconds);
  expect(moving()).toEqual(quadrants);
});

test('nothing takes turns by itself where the viewer saves data', async () => {
  await play();
  const before = moving();
  vi.stubGlobal('navigator', { ...navigator, connection: { saveData: true } });
  await pass(3 * rotateSeconds);
  expect(moving()).toEqual(before);
});
