import { expect, test } from 'vitest';
import type { Remedy, Vitals } from '#app/playback/health/stall-detector.ts';
import { Pulse } from '#app/playback/health/stall-detector.ts';

type Look = Vitals | null;

/** What is done about a player that looks like this, one look a second. */
function remediesFor(looks: readonly Look[]): Remedy[] {
  const pulse = new Pulse();
  return looks.map((vitals) => pulse.look(vitals)).filter((remedy) => remedy !== null);
}

const still = (count: number, { url = '/a', seconds = 7 } = {}): Look[] => Array.from({ length: count }, () => ({ url, seconds, frames: 100 }));
const moving = (count: number, from = 0): Look[] => Array.from({ length: count }, (_, at) => ({ url: '/a', seconds: from + at, frames: 25 * (from + at) }));

test('one that moves is left alone', () => {
  expect(remediesFor(moving(60))).toEqual([]);
});

test('one that stands still for three seconds is nudged', () => {
  expect(remediesFor(still(3))).toEqual([]);
  expect(remediesFor(still(4))).toEqual(['nudge']);
});

test('one that goes on standing still is loaded again, then given up, and that is the end of it', () => {
  expect(remediesFor(still(60))).toEqual(['nudge', 'reload', 'give-up']);
});

test('one whose time goes on without a picture is nudged after twelve seconds: slow pictures are none the worse', () => {
  const withoutPictures = (count: number): Look[] => Array.from({ length: count }, (_, seconds) => ({ url: '/a', seconds, frames: 3 }));
  expect(remediesFor(withoutPictures(12))).toEqual([]);
  expect(remediesFor(withoutPictures(13))).toEqual(['nudge']);
});

test('where nobody counts pictures the time decides', () => {
  const uncounted = moving(60).map((vitals) => vitals && { ...vitals, frames: null });
  expect(remediesFor(uncounted)).toEqual([]);
});

test('one that has recovered is nudged again before it is loaded again', () => {
  expect(remediesFor([...still(4), ...moving(8, 8), ...still(4, { seconds: 20 })])).toEqual(['nudge', 'nudge']);
});

test('one that moved for a moment only is loaded again', () => {
  expect(remediesFor([...still(4), ...moving(2, 8), ...still(4, { seconds: 20 })])).toEqual(['nudge', 'reload']);
});

test('one that stops for its remedy gets the next one', () => {
  expect(remediesFor([...still(4), null, null, ...still(4), null, ...still(4)])).toEqual(['nudge', 'reload', 'give-up']);
});

test('one that should not move is no patient, and another video is another patient', () => {
  expect(remediesFor([...still(2), null, ...still(2), null, ...still(3)])).toEqual([]);
  expect(remediesFor([...still(4), ...still(4, { url: '/b' })])).toEqual(['nudge', 'nudge']);
});
