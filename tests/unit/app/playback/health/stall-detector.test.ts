import { expect, test } from 'vitest';
import type { Progress, RecoveryStep } from '#app/playback/health/stall-detector.ts';
import { StallDetector } from '#app/playback/health/stall-detector.ts';

type Check = Progress | null;

/** What is tried on a player with this progress, one check a second. */
function stepsFor(checks: readonly Check[]): RecoveryStep[] {
  const detector = new StallDetector();
  return checks.map((progress) => detector.check(progress)).filter((step) => step !== null);
}

const still = (count: number, { url = '/a', seconds = 7 } = {}): Check[] =>
  Array.from({ length: count }, () => ({ url, seconds, frames: 100 }));
const moving = (count: number, from = 0): Check[] =>
  Array.from({ length: count }, (_, at) => ({ url: '/a', seconds: from + at, frames: 25 * (from + at) }));

test('one that moves is left alone', () => {
  expect(stepsFor(moving(60))).toEqual([]);
});

test('one that stands still for three seconds is nudged', () => {
  expect(stepsFor(still(3))).toEqual([]);
  expect(stepsFor(still(4))).toEqual(['nudge']);
});

test('one that goes on standing still is loaded again, then given up, and that is the end of it', () => {
  expect(stepsFor(still(60))).toEqual(['nudge', 'reload', 'give-up']);
});

test('one whose time goes on without a frame is nudged after twelve seconds: slow frame rates are left alone', () => {
  const withoutFrames = (count: number): Check[] =>
    Array.from({ length: count }, (_, seconds) => ({ url: '/a', seconds, frames: 3 }));
  expect(stepsFor(withoutFrames(12))).toEqual([]);
  expect(stepsFor(withoutFrames(13))).toEqual(['nudge']);
});

test('where frames are not counted the time decides', () => {
  const uncounted = moving(60).map((progress) => progress && { ...progress, frames: null });
  expect(stepsFor(uncounted)).toEqual([]);
});

test('one that has recovered is nudged again before it is loaded again', () => {
  expect(stepsFor([...still(4), ...moving(8, 8), ...still(4, { seconds: 20 })])).toEqual(['nudge', 'nudge']);
});

test('one that moved for a moment only is loaded again', () => {
  expect(stepsFor([...still(4), ...moving(2, 8), ...still(4, { seconds: 20 })])).toEqual(['nudge', 'reload']);
});

test('one that stops for its recovery step gets the next one', () => {
  expect(stepsFor([...still(4), null, null, ...still(4), null, ...still(4)])).toEqual(['nudge', 'reload', 'give-up']);
});

test('one that should not move needs no step, and another video begins with the first one', () => {
  expect(stepsFor([...still(2), null, ...still(2), null, ...still(3)])).toEqual([]);
  expect(stepsFor([...still(4), ...still(4, { url: '/b' })])).toEqual(['nudge', 'nudge']);
});
