import { expect, test } from 'vitest';
import { SentHistory } from '#server/http/connections/sent-history.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** A multiple of every slot's length. */
const start = 1_800_000_000_000;

/** The first of a slot counts a viewer, whatever comes after it in the slot corrects what was said. */
function record(history: SentHistory, at: number, kbps: number): void {
  history.add(at, kbps, at % (10 * second) < 5 * second ? 1 : 0);
}

test('a slot is told once it is over, with each viewer once', () => {
  const history = new SentHistory();
  for (const ms of [1, 5_000, 9_999, 10_000]) record(history, start + ms, 100);
  expect([...history.slots(10 * second, 0, start + 10_000)]).toEqual([{ startsAt: start, kbps: 300, viewers: 1 }]);
  expect([...history.slots(10 * second, 0, start + 20_000)]).toEqual([
    { startsAt: start, kbps: 300, viewers: 1 },
    { startsAt: start + 10_000, kbps: 100, viewers: 1 },
  ]);
});

test('asking does not count anything twice', () => {
  const history = new SentHistory();
  record(history, start, 100);
  for (const _ of [1, 2, 3]) history.slots(10 * second, 0, start + 11_000);
  record(history, start + 11_000, 100);
  const slots = [...history.slots(minute, 0, start + 20_000)];
  expect(slots).toEqual([{ startsAt: start, kbps: 200, viewers: 2 }]);
});

test.each([
  [10 * second, hour / 4],
  [minute, hour],
  [5 * minute, 6 * hour],
  [15 * minute, 24 * hour],
])('slots of %i ms are kept for %i ms and no longer, and sum up', (slotMs, keptMs) => {
  const history = new SentHistory();
  const end = start + 2 * keptMs;
  for (let at = start; at < end; at += 10 * second) record(history, at, 7);
  const slots = [...history.slots(slotMs, 0, end)];
  expect([slots[0]?.startsAt, slots.at(-1)?.startsAt]).toEqual([end - keptMs - slotMs, end - slotMs]);
  const perSlot = slotMs / (10 * second);
  expect(slots.every(({ kbps, viewers }) => kbps === 7 * perSlot && viewers === perSlot)).toBe(true);
});

test('slots of a length that is not counted are refused', () => {
  expect(() => new SentHistory().slots(second, 0, start)).toThrow(RangeError);
});
