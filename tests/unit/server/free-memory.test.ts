import { readFileSync } from 'node:fs';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FreeMemory, openMallocTrim } from '#server/free-memory.ts';

test('what is free goes back to the system again and again, until it is stopped', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const trim = vi.fn(async () => {});
  const memory = new FreeMemory(trim);
  memory.start();
  await vi.advanceTimersByTimeAsync(90_000);
  expect(trim).toHaveBeenCalledTimes(3);
  memory.stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(trim).toHaveBeenCalledTimes(3);
});

test('a C library that cannot give memory back is let be', () => {
  const memory = new FreeMemory(null);
  expect(() => memory.start()).not.toThrow();
  memory.stop();
});

test('the C library of this system is asked', async () => {
  const trim = await openMallocTrim();
  const isGnu = readFileSync('/proc/self/maps', 'utf8').includes('/libc.so.6');
  expect(trim === null).toBe(!isGnu);
  await trim?.();
});
