import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { expect, onTestFinished, test, vi } from 'vitest';
import { FreeMemory, tuneMalloc } from '#server/free-memory.ts';

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

const isGnu = readFileSync('/proc/self/maps', 'utf8').includes('/libc.so.6');

test('the C library of this system is asked', async () => {
  const trim = await tuneMalloc();
  expect(trim === null).toBe(!isGnu);
  await trim?.();
});

test.skipIf(!isGnu)('large blocks are mapped, however large one was that was freed', async () => {
  // The heap of a process that has run other tests may have room for them.
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', mapBlock]);
  expect(stdout.trim()).toBe('mapped');
});

/** glibc keeps a block's size before it; its second bit says that the block is mapped. */
const mapBlock = `
  import koffi from 'koffi';
  import { tuneMalloc } from '#server/free-memory.ts';
  await tuneMalloc();
  const library = koffi.load(null);
  const allocate = library.func('void *malloc(size_t bytes)');
  library.func('void free(void *block)')(allocate(30 * 1024 * 1024));
  const size = koffi.decode(allocate(24 * 1024 * 1024), -8, 'uint64_t');
  console.log(size & 2 ? 'mapped' : 'in a heap');
`;
