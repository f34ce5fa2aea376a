import { expect, test, vi } from 'vitest';

// The zone of a process holds from its next date on; in a thread it would change nothing.
vi.hoisted(() => vi.stubEnv('TZ', 'Europe/Vienna'));

import { venueTimes } from '#app/state/venue-setup.ts';

const hour = 3_600;
const clock = (hours: number, minutes = 0) => hours * 60 + minutes;

/** The clock goes from 2 to 3 on 29 March 2026, and on 25 October back from 3 to 2. */
const utc = (month: number, day: number, hours: number, minutes = 0) =>
  new Date(Date.UTC(2026, month - 1, day, hours, minutes));

test('the zone of these tests has a day of 23 and one of 25 hours', () => {
  const lengthOf = (month: number, day: number) =>
    (new Date(2026, month - 1, day + 1).getTime() - new Date(2026, month - 1, day).getTime()) / 1_000 / hour;
  expect([lengthOf(3, 28), lengthOf(3, 29), lengthOf(10, 25)]).toEqual([24, 23, 25]);
});

const contain = { opens: clock(20), closes: clock(4) };
const start = { opens: clock(2, 30), closes: clock(3, 10) };
const end = { opens: clock(3, 10), closes: clock(2, 30) };
const within = { opens: clock(2, 15), closes: clock(2, 45) };
const beyond = { opens: clock(2, 45), closes: clock(2, 15) };
const days = { opens: clock(8), closes: clock(22) };

test.each([
  [
    'a night in March is an hour shorter',
    contain,
    utc(3, 28, 22),
    { isOpen: true, closesIn: 4 * hour, opensIn: 20 * hour },
  ],
  [
    'a night in October is an hour longer',
    contain,
    utc(10, 24, 21),
    { isOpen: true, closesIn: 6 * hour, opensIn: 22 * hour },
  ],
  ['a day after the short night', days, utc(3, 28, 23), { isOpen: false, closesIn: 0, opensIn: 7 * hour }],
  ['a day after the long night', days, utc(10, 24, 22), { isOpen: false, closesIn: 0, opensIn: 9 * hour }],
  [
    'hours that start in the missing hour are closed before it',
    start,
    utc(3, 28, 12),
    { isOpen: false, closesIn: 0, opensIn: 13 * hour },
  ],
  ['and begin when the clock jumps', start, utc(3, 29, 1), { isOpen: true, closesIn: hour / 6, opensIn: 23.5 * hour }],
  [
    'hours that end in the missing hour are open before it',
    end,
    utc(3, 28, 12),
    { isOpen: true, closesIn: 13 * hour, opensIn: 13 * hour + hour / 6 },
  ],
  ['and end when the clock jumps', end, utc(3, 29, 1), { isOpen: false, closesIn: 0, opensIn: hour / 6 }],
  [
    'hours within the missing hour are closed before it',
    within,
    utc(3, 28, 12),
    { isOpen: false, closesIn: 0, opensIn: 13 * hour },
  ],
  ['and after it', within, utc(3, 29, 1), { isOpen: false, closesIn: 0, opensIn: 23.25 * hour }],
  ['a pause within the missing hour is none', beyond, utc(3, 29, 0, 59), { isOpen: true, closesIn: 60, opensIn: 60 }],
  ['also not after it', beyond, utc(3, 29, 1), { isOpen: true, closesIn: 23.25 * hour, opensIn: 23.75 * hour }],
  [
    'hours that start in the doubled hour begin the first time',
    start,
    utc(10, 25, 0, 30),
    { isOpen: true, closesIn: 1.5 * hour + hour / 6, opensIn: 25 * hour },
  ],
  [
    'and do not end when the clock goes back',
    start,
    utc(10, 25, 1),
    { isOpen: true, closesIn: hour + hour / 6, opensIn: 24.5 * hour },
  ],
  [
    'hours that end in the doubled hour end the first time',
    end,
    utc(10, 25, 0, 30),
    { isOpen: false, closesIn: 0, opensIn: 1.5 * hour + hour / 6 },
  ],
  [
    'and do not begin again when the clock goes back',
    end,
    utc(10, 25, 1),
    { isOpen: false, closesIn: 0, opensIn: hour + hour / 6 },
  ],
])('%s', (_, hours, time, times) => {
  expect(venueTimes(hours, time)).toEqual(times);
});

test.each(Object.entries({ contain, start, end, within, beyond, days }))(
  'around the changes of the clock, hours that lie there (%s) last until the time that was told',
  (_, hours) => {
    for (const first of [utc(3, 28, 0), utc(10, 24, 0)]) {
      let before = venueTimes(hours, first);
      for (let minute = 1; minute <= 3 * 24 * 60; minute += 1) {
        const times = venueTimes(hours, new Date(first.getTime() + minute * 60_000));
        const told = before.isOpen ? before.closesIn : before.opensIn;
        if (times.isOpen !== before.isOpen) expect(told).toBe(60);
        before = times;
      }
    }
  },
);

test('a clock that is put forward or back gives what the hours say at the new time', () => {
  for (const time of [utc(3, 29, 12), utc(3, 28, 12), utc(3, 29, 1), utc(10, 25, 1), utc(1, 1, 12)])
    expect(venueTimes(days, time).isOpen).toBe(time.getHours() >= 8 && time.getHours() < 22);
});
