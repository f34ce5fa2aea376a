import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createPathDebouncer } from '#server/features/library/scan/library-watch.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open(maxPlaces = 100) {
  const rested: Record<string, string[]>[] = [];
  let floods = 0;
  const places = createPathDebouncer({
    elapsed: () => Date.now(),
    onRest: (found) => rested.push(Object.fromEntries(found)),
    onFlood: () => {
      floods += 1;
    },
    quietMs: 300,
    maxPlaces,
  });
  return { places, rested, floods: () => floods };
}

test('a place is looked at once it rests, and only once', () => {
  const { places, rested } = open();
  places.note(1, 'a.mp4');
  places.note(1, 'a.mp4');
  vi.advanceTimersByTime(250);
  expect(rested).toEqual([]);
  vi.advanceTimersByTime(1_000);
  expect(rested).toEqual([{ 1: ['a.mp4'] }]);
});

test('a place that is written to again and again waits, and holds up no other', () => {
  const { places, rested } = open();
  places.note(2, 'still.mp4');
  for (let round = 0; round < 20; round += 1) {
    places.note(1, 'growing.mp4');
    vi.advanceTimersByTime(100);
  }
  expect(rested).toEqual([{ 2: ['still.mp4'] }]);
  vi.advanceTimersByTime(500);
  expect(rested).toEqual([{ 2: ['still.mp4'] }, { 1: ['growing.mp4'] }]);
});

test('of more places than are worth looking at one by one it is said that there are many', () => {
  const { places, rested, floods } = open(10);
  for (let index = 0; index < 20; index += 1) places.note(1, `${index}.mp4`);
  vi.advanceTimersByTime(1_000);
  expect([rested, floods()]).toEqual([[], 1]);
  places.note(1, 'after.mp4');
  vi.advanceTimersByTime(1_000);
  expect([rested, floods()]).toEqual([[{ 1: ['after.mp4'] }], 1]);
});

test('nothing is looked at after the end', () => {
  const { places, rested } = open();
  places.note(1, 'a.mp4');
  places.close();
  vi.advanceTimersByTime(1_000);
  expect(rested).toEqual([]);
});
