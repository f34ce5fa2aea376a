import { afterEach, expect, test, vi } from 'vitest';
import type { DiskBytes } from '#server/storage/disk-space.ts';
import { DiskSpace } from '#server/storage/disk-space.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

afterEach(() => void vi.useRealTimers());

const never = new Promise<DiskBytes>(() => {});

test('a folder has the bytes of its disk, and one that is not there has none', async () => {
  const space = new DiskSpace();
  const { free, total } = (await space.read(temporaryFolder())) ?? { free: 0, total: 0 };
  expect([free > 0, total >= free, Number.isSafeInteger(total)]).toEqual([true, true, true]);
  expect(await space.read('/none')).toBeNull();
});

test('a disk that does not answer is waited for once, and asked again when it has answered', async () => {
  vi.useFakeTimers();
  const answers = [Promise.withResolvers<DiskBytes>(), Promise.withResolvers<DiskBytes>()];
  let asked = 0;
  const space = new DiskSpace(() => answers[asked++]!.promise);
  const first = space.read('/share');
  const beside = space.read('/share');
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await first, await beside, await space.read('/share'), asked]).toEqual([null, null, null, 1]);
  answers[0]!.resolve({ free: 1, total: 2 });
  await vi.advanceTimersByTimeAsync(0);
  answers[1]!.resolve({ free: 3, total: 4 });
  // Sockets of earlier tests in this process may have timers of their own.
  const others = vi.getTimerCount();
  expect(await space.read('/share')).toEqual({ free: 3, total: 4 });
  expect(vi.getTimerCount()).toBe(others);
});

test('beyond two disks that hang none is asked, so that files can still be read', async () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  const space = new DiskSpace((folder) => {
    asked.push(folder);
    return never;
  });
  const both = Promise.all([space.read('/a'), space.read('/b')]);
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await both, await space.read('/c'), asked]).toEqual([[null, null], null, ['/a', '/b']]);
});

test('at most two disks are asked at a time, so that dead ones leave threads for files', async () => {
  vi.useFakeTimers();
  const asked: string[] = [];
  const space = new DiskSpace((folder) => {
    asked.push(folder);
    return never;
  });
  const all = Promise.all(['/a', '/b', '/c', '/d', '/e'].map((folder) => space.read(folder)));
  await vi.advanceTimersByTimeAsync(1_000);
  expect([await all, asked]).toEqual([
    [null, null, null, null, null],
    ['/a', '/b'],
  ]);
});

test('a disk that waits for its turn is asked when another one has answered', async () => {
  vi.useFakeTimers();
  const answers = new Map<string, (bytes: DiskBytes) => void>();
  const space = new DiskSpace((folder) => new Promise((resolve) => answers.set(folder, resolve)));
  const all = ['/dead', '/a', '/b', '/c'].map((folder) => space.read(folder));
  for (const [place, folder] of ['/a', '/b', '/c'].entries()) {
    expect([...answers.keys()]).toEqual(['/dead', '/a', '/b', '/c'].slice(0, place + 2));
    answers.get(folder)?.({ free: place, total: 4 });
    await vi.advanceTimersByTimeAsync(0);
  }
  await vi.advanceTimersByTimeAsync(1_000);
  expect(await Promise.all(all)).toEqual([null, ...[0, 1, 2].map((free) => ({ free, total: 4 }))]);
});
