import { expect, test } from 'vitest';
import { SentHistory } from '#server/http/sent-bytes/sent-history.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;
/** A multiple of every slot's length. */
const start = 1_800_000_000_000;

function record(history: SentHistory, at: number, bytes: number): void {
  if (history.add(at, bytes)) history.addViewer();
}

test('the last ten seconds slide: what leaves them counts by the share of its second that lies within', () => {
  const history = new SentHistory();
  record(history, start + 500, 1_000);
  record(history, start + 900, 500);
  expect(history.bytesNow(start + 900)).toBe(1_500);
  record(history, start + 7_000, 30);
  expect(history.bytesNow(start + 10_000)).toBe(1_530);
  expect(history.bytesNow(start + 10_250)).toBe(0.75 * 1_500 + 30);
  expect(history.bytesNow(start + 11_000)).toBe(30);
  expect(history.bytesNow(start + 18_000)).toBe(0);
});

test('a slot is told once it is over, with whoever was sent something counting for all of it', () => {
  const history = new SentHistory();
  for (const ms of [1, 5_000, 9_999, 10_000]) record(history, start + ms, 100);
  expect([...history.slots(10 * second, 0, start + 10_000)]).toEqual([
    { startsAt: start, bytes: 300, viewerMs: 10_000 },
  ]);
  expect([...history.slots(10 * second, 0, start + 20_000)]).toEqual([
    { startsAt: start, bytes: 300, viewerMs: 10_000 },
    { startsAt: start + 10_000, bytes: 100, viewerMs: 10_000 },
  ]);
});

test('asking does not count anything twice', () => {
  const history = new SentHistory();
  record(history, start, 100);
  for (const _ of [1, 2, 3]) history.slots(10 * second, 0, start + 15_000);
  record(history, start + 15_000, 100);
  const slots = [...history.slots(minute, 0, start + 20_000)];
  expect(slots).toEqual([{ startsAt: start, bytes: 200, viewerMs: 20_000 }]);
});

test.each([
  [10 * second, hour / 4],
  [minute, hour],
  [5 * minute, 6 * hour],
  [15 * minute, 24 * hour],
])('slots of %i ms are kept for %i ms and no longer, and sum up to what was sent', (slotMs, keptMs) => {
  const history = new SentHistory();
  const end = start + 2 * keptMs;
  for (let at = start; at < end; at += 10 * second) record(history, at, 7);
  const slots = [...history.slots(slotMs, 0, end)];
  expect([slots[0]?.startsAt, slots.at(-1)?.startsAt]).toEqual([end - keptMs - slotMs, end - slotMs]);
  const perSlot = slotMs / (10 * second);
  expect(slots.every(({ bytes, viewerMs }) => bytes === 7 * perSlot && viewerMs === slotMs)).toBe(true);
});

test('slots of a length that is not counted are refused', () => {
  expect(() => new SentHistory().slots(second, 0, start)).toThrow(RangeError);
});
