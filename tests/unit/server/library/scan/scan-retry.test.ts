import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { ScanRetry } from '#server/features/library/scan/scan-run.ts';

let requests: number;
let away: readonly string[];
let looks: number;
let retry: ScanRetry;

beforeEach(() => {
  vi.useFakeTimers();
  [requests, looks, away] = [0, 0, []];
  retry = new ScanRetry({
    request: () => {
      requests += 1;
    },
    findAway: async () => {
      looks += 1;
      return away;
    },
  });
});

afterEach(() => {
  retry.cancel();
  vi.useRealTimers();
});

const pass = (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

test('a scan that read everything is not repeated, one that failed is after half a minute', async () => {
  retry.plan({ unread: 0, missingFolders: [] });
  await pass(3_600);
  expect(requests).toBe(0);
  retry.plan(null);
  await pass(30);
  expect(requests).toBe(1);
});

test('a folder that stays unreadable lets the library be scanned ever more rarely', async () => {
  const delays: number[] = [];
  for (let scan = 0; scan < 8; scan += 1) {
    retry.plan({ unread: 1, missingFolders: [] });
    const before = requests;
    let seconds = 0;
    for (; requests === before; seconds += 30) await pass(30);
    delays.push(seconds);
  }
  expect(delays).toEqual([30, 60, 120, 240, 480, 900, 900, 900]);
  retry.plan({ unread: 0, missingFolders: [] });
  retry.plan({ unread: 1, missingFolders: [] });
  await pass(30);
  expect(requests).toBe(9);
});

test('a missing folder is looked for every half minute, and scanned once it is back', async () => {
  away = ['/mnt/a', '/mnt/b'];
  retry.plan({ unread: 0, missingFolders: ['/mnt/a', '/mnt/b'] });
  await pass(300);
  expect([looks, requests]).toEqual([10, 0]);
  away = ['/mnt/b'];
  await pass(30);
  expect([looks, requests]).toEqual([11, 1]);
  await pass(300);
  expect(requests).toBe(1);
});

test('a store that does not answer is no folder, and is listed again after half a minute', async () => {
  retry.plan({ unread: 0, missingFolders: ['s3://videos'] });
  await pass(30);
  expect(requests).toBe(1);
});

test('a store that stays away lets the disks be scanned ever more rarely, beside a missing folder', async () => {
  away = ['/mnt/a'];
  const delays: number[] = [];
  for (let scan = 0; scan < 4; scan += 1) {
    retry.plan({ unread: 0, missingFolders: ['s3://videos', '/mnt/a'] });
    const before = requests;
    let seconds = 0;
    for (; requests === before; seconds += 30) await pass(30);
    delays.push(seconds);
  }
  expect(delays).toEqual([30, 60, 120, 240]);
});

test('a scan that begins meanwhile ends the look for a folder', async () => {
  const answer = Promise.withResolvers<readonly string[]>();
  const slow = new ScanRetry({
    request: () => {
      requests += 1;
    },
    findAway: () => answer.promise,
  });
  slow.plan({ unread: 0, missingFolders: ['/mnt/a'] });
  await pass(30);
  slow.cancel();
  answer.resolve([]);
  await pass(300);
  expect(requests).toBe(0);
});
