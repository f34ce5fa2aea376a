import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { ReplayEnd } from '#device/outbox-replay.ts';
import { ReplaySchedule } from '#device/outbox-replay.ts';

let ends: Array<ReplayEnd | Error>;
let runs: number[];
let schedule: ReplaySchedule;

beforeEach(() => {
  vi.useFakeTimers();
  vi.setSystemTime(0);
  ends = [];
  runs = [];
  schedule = new ReplaySchedule(
    async () => {
      runs.push(Date.now() / 1000);
      const end = ends.shift() ?? { kind: 'drained' };
      if (end instanceof Error) throw end;
      return end;
    },
    () => 0,
  );
});

afterEach(() => {
  schedule.stop();
  vi.useRealTimers();
});

const later = (askedMs: number | null = null, hasProgressed = false): ReplayEnd => ({
  kind: 'later',
  askedMs,
  hasProgressed,
});
const wait = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1000);

test('what cannot be sent is tried again after 1, 2, 4 seconds and so on, up to a minute', async () => {
  ends = Array.from({ length: 9 }, () => later());
  void schedule.start();
  await wait(400);
  expect(runs).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 243]);
});

test('a change that went through begins the waits anew', async () => {
  ends = [later(), later(), later(null, true)];
  void schedule.start();
  await wait(60);
  expect(runs).toEqual([0, 1, 3, 4]);
});

test('a device that cannot read what it has stored is tried again', async () => {
  ends = [new Error('broken')];
  void schedule.start();
  await wait(60);
  expect(runs).toEqual([0, 1]);
});

test('the network that is back ends a wait, but none that the server has asked for', async () => {
  ends = [later(), later(30_000)];
  void schedule.start();
  await wait(0.5);
  schedule.hurry();
  await wait(1);
  schedule.hurry();
  await wait(60);
  expect(runs).toEqual([0, 0.5, 30.5]);
});

test('somebody who asks for it is not kept waiting', async () => {
  ends = [later(30_000)];
  void schedule.start();
  await wait(1);
  expect(await schedule.start()).toEqual({ kind: 'drained' });
  await wait(60);
  expect(runs).toEqual([0, 1]);
});

test('without a sign-in it waits for one', async () => {
  ends = [{ kind: 'not-signed-in' }];
  void schedule.start();
  await wait(60);
  schedule.hurry();
  await wait(60);
  expect(runs).toEqual([0]);
  void schedule.start();
  await wait(0);
  expect(runs).toEqual([0, 120]);
});

test('a tab that sends is looked after every half minute: it may be asleep', async () => {
  ends = [{ kind: 'taken' }, { kind: 'taken' }];
  void schedule.start();
  await wait(100);
  expect(runs).toEqual([0, 30, 60]);
});

test('what comes while it sends is sent too', async () => {
  void schedule.start();
  schedule.hurry();
  schedule.hurry();
  await wait(60);
  expect(runs).toEqual([0, 0]);
});

test('somebody who signs in while the changes of another are stopped is not kept waiting', async () => {
  ends = [{ kind: 'not-signed-in' }];
  void schedule.start();
  schedule.stop();
  schedule.hurry();
  await wait(1);
  expect(runs).toEqual([0, 0]);
});
