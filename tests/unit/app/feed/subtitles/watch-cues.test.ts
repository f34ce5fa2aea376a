import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { watchCues } from '#app/features/feed/subtitles/cues.ts';
import { createSignal } from '#app/platform/signal.ts';

const cues = [
  { start: 1, end: 2, text: 'one' },
  { start: 2, end: 3, text: 'two' },
];

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function watch(position = 0) {
  const time = createSignal();
  const player = { position, onTime: (hear: () => void) => time.listen(hear) };
  const shown: string[] = [];
  const stop = watchCues(player, cues, (now) => shown.push(now.map(({ text }) => text).join()));
  const moveTo = (seconds: number) => {
    player.position = seconds;
    time.emit();
  };
  return { player, shown, stop, moveTo };
}

test('each cue is reported once, also after a jump and at the end of a loop', () => {
  const { shown, moveTo } = watch();
  for (const seconds of [0.5, 1, 1.25, 1.5, 2.5, 1.5, 3, 0, 1]) moveTo(seconds);
  expect(shown).toEqual(['one', 'two', 'one', '', 'one']);
});

test('a video that begins inside a cue shows it at once', () => {
  expect(watch(1.5).shown).toEqual(['one']);
});

test('a change between two signals of the player comes at its time', () => {
  const { player, shown, moveTo } = watch();
  moveTo(1.8);
  player.position = 2.01;
  vi.advanceTimersByTime(210);
  expect(shown).toEqual(['one', 'two']);
});

test('a paused video sets one timer, not one after another', () => {
  const { moveTo } = watch();
  moveTo(1.8);
  vi.advanceTimersByTime(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('nothing is reported after it was stopped', () => {
  const { shown, moveTo, stop } = watch();
  moveTo(0.9);
  stop();
  moveTo(1.5);
  vi.advanceTimersByTime(1_000);
  expect(shown).toEqual([]);
});
