import { expect, test } from 'vitest';
import { Budget, FullDisk } from '#server/features/encodings/budget.ts';
import type { Log } from '#server/log.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const gigabyte = 1e9;

test('encodings may take a tenth of what is free without them, and fifty gigabytes at most', async () => {
  let space: { free: number; total: number } | null = { free: 90 * gigabyte, total: 900 * gigabyte };
  const budget = new Budget({ configuredBytes: undefined, diskSpace: { read: async () => space }, folder: '/' });
  await budget.refresh(10 * gigabyte);
  expect(budget.bytes).toBe(10 * gigabyte);
  space = { free: 8_000 * gigabyte, total: 9_000 * gigabyte };
  await budget.refresh(0);
  expect(budget.bytes).toBe(50 * gigabyte);
  expect(await budget.writableBytes()).toBe(8_000 * gigabyte - 1024 ** 3);
  space = null;
  await budget.refresh(0);
  expect([budget.bytes, await budget.writableBytes()]).toEqual([50 * gigabyte, Number.POSITIVE_INFINITY]);
});

test('what the operator says goes before what is free', async () => {
  const read = async () => ({ free: gigabyte, total: gigabyte });
  const budget = new Budget({ configuredBytes: 200 * gigabyte, diskSpace: { read }, folder: '/' });
  await budget.refresh(0);
  expect([budget.bytes, budget.isOff]).toEqual([200 * gigabyte, false]);
  expect(new Budget({ configuredBytes: 0, diskSpace: { read }, folder: '/' }).isOff).toBe(true);
});

test('a full disk is tried again after a minute, then after twice as long each time, and is told of once', () => {
  const clock = settableClock();
  const said: string[] = [];
  const say = (sentence: string) => void said.push(sentence);
  const disk = new FullDisk(clock, { warn: say, info: say } as unknown as Log);
  expect(disk.waitMs).toBe(0);
  const delays = Array.from({ length: 8 }, () => disk.note() / 60_000);
  expect(delays).toEqual([1, 2, 4, 8, 16, 32, 60, 60]);
  clock.pass(59 * 60_000);
  expect(disk.waitMs).toBe(60_000);
  disk.forget();
  disk.forget();
  expect([disk.waitMs, said.length, disk.note()]).toEqual([0, 2, 60_000]);
});
