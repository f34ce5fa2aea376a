import { expect, test } from 'vitest';
import { venueTimes } from '#app/state/venue-setup.ts';

const hour = 3_600;
const at = (hours: number, minutes = 0) => new Date(2026, 4, 12, hours, minutes);
const day = { opens: 8 * 60, closes: 22 * 60 };
const night = { opens: 20 * 60, closes: 3 * 60 + 30 };

test.each([
  ['without hours', null],
  ['with equal ones', { opens: 600, closes: 600 }],
])('%s a venue is open day and night', (_, hours) => {
  expect(venueTimes(hours, at(3))).toEqual({ isOpen: true, closesIn: null, opensIn: null });
});

test.each([
  ['before it opens', day, at(7), { isOpen: false, closesIn: 0, opensIn: hour }],
  ['when it opens', day, at(8), { isOpen: true, closesIn: 14 * hour, opensIn: 24 * hour }],
  ['before it closes', day, at(21, 59), { isOpen: true, closesIn: 60, opensIn: 60 + 10 * hour }],
  ['when it closes', day, at(22), { isOpen: false, closesIn: 0, opensIn: 10 * hour }],
  ['before midnight', night, at(23), { isOpen: true, closesIn: 4.5 * hour, opensIn: 21 * hour }],
  ['after midnight', night, at(1), { isOpen: true, closesIn: 2.5 * hour, opensIn: 19 * hour }],
  ['in the morning', night, at(3, 30), { isOpen: false, closesIn: 0, opensIn: 16.5 * hour }],
])('%s', (_, hours, time, times) => {
  expect(venueTimes(hours, time)).toEqual(times);
});

test('at any time of a year the clock on the wall decides', () => {
  for (let minute = 0; minute < 366 * 24 * 60; minute += 7) {
    const time = new Date(at(0).getTime() + minute * 60_000);
    const shown = time.getHours() * 60 + time.getMinutes();
    const { isOpen, closesIn, opensIn } = venueTimes(night, time);
    expect(isOpen).toBe(shown >= night.opens || shown < night.closes);
    const next = new Date(time.getTime() + Number(isOpen ? closesIn : opensIn) * 1_000);
    expect(venueTimes(night, next).isOpen).toBe(!isOpen);
  }
});
