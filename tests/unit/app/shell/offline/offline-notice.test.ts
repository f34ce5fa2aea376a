import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { connection, offlineNotice, watchOfflineNotice } from '#app/state/connection.ts';

let stop: () => void;

const reach = async (isReachable: boolean) => {
  connection.isReachable = isReachable;
  await vi.advanceTimersByTimeAsync(0);
};

beforeEach(() => {
  vi.useFakeTimers();
  stop = watchOfflineNotice();
});

afterEach(async () => {
  stop();
  connection.isReachable = true;
  vi.useRealTimers();
});

test('the words stand for 6 s and shrink to the icon', async () => {
  await reach(false);
  expect(offlineNotice.face).toBe('sentence');
  await vi.advanceTimersByTimeAsync(5_999);
  expect(offlineNotice.face).toBe('sentence');
  await vi.advanceTimersByTimeAsync(1);
  expect(offlineNotice.face).toBe('tile');
});

test('the pill leaves when the server is back, and does not come again by itself', async () => {
  await reach(false);
  await reach(true);
  expect(offlineNotice.face).toBe('hidden');
  await vi.advanceTimersByTimeAsync(10_000);
  expect(offlineNotice.face).toBe('hidden');
});
