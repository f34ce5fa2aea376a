import { expect, test } from 'vitest';
import { lastBackupTime, nextBackupTime } from '#server/backup/backup-repository.ts';
import { isNightlyName, isNightlyPartial, manualName, nightlyName } from '#server/backup/disk.ts';

/** Local time, whatever zone the tests run in. */
const local = (day: number, hour: number, minute = 0) => new Date(2026, 10, day, hour, minute).getTime();

test.each([
  [local(22, 3, 59), 4, local(21, 4), local(22, 4)],
  [local(22, 4), 4, local(22, 4), local(23, 4)],
  [local(22, 23), 4, local(22, 4), local(23, 4)],
  [local(22, 23), 23, local(22, 23), local(23, 23)],
  [local(22, 12), 0, local(22, 0), local(23, 0)],
  [local(1, 0), 4, new Date(2026, 9, 31, 4).getTime(), local(1, 4)],
])('at %i the last backup at %i o’clock was due at %i, and the next is at %i', (now, hour, last, next) => {
  expect([lastBackupTime(now, hour), nextBackupTime(now, hour)]).toEqual([last, next]);
});

test('what is made at night has a name of its own, which sorts by time', () => {
  const [first, second] = [nightlyName(Date.UTC(2026, 10, 9, 4)), nightlyName(Date.UTC(2026, 10, 10, 4))];
  expect(first).toBe('fourfold-nightly-2026-11-09T04-00-00Z.tar.gz');
  expect([second, first].sort()).toEqual([first, second]);
  expect([first, manualName(0), `${first}.old`, `x${first}`].map(isNightlyName)).toEqual([true, false, false, false]);
  expect([`${first}.12.partial`, first, `${manualName(0)}.12.partial`].map(isNightlyPartial)).toEqual([
    true,
    false,
    false,
  ]);
});
