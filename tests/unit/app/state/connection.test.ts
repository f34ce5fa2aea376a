import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { call } from '#app/platform/http/call.ts';
import { recovered } from '#app/platform/link.ts';
import { connection, resetConnection, watchConnection } from '#app/state/connection.ts';
import { readConfig } from '#contract/endpoints.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';

const healthy = { json: { status: 'ok' } };
const hears = new Map<string, () => void>();

let network: FakeNetwork;

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal('window', {
    addEventListener: (type: string, hear: () => void) => hears.set(type, hear),
    removeEventListener: (type: string) => hears.delete(type),
  });
  network = fakeNetwork();
  watchConnection();
});

afterEach(() => {
  resetConnection();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const callOnce = () => call(readConfig).catch(() => null);

test('a call that finds nobody tells that the server is out of reach', async () => {
  network.answer('away');
  await callOnce();
  expect(connection.isReachable).toBe(false);
});

test('any call that is answered brings it back', async () => {
  network.answer('away', { status: 404, json: { error: 'not_found' } });
  await callOnce();
  await callOnce();
  expect(connection.isReachable).toBe(true);
});

test('a quiet retry brings it back', async () => {
  network.answer('away', healthy);
  await callOnce();
  await vi.advanceTimersByTimeAsync(2_000);
  expect(connection.isReachable).toBe(true);
  expect(network.fetch.mock.lastCall?.[0]).toBe('/healthz');
});

test('retries grow rarer while the server stays away, and end when it is back', async () => {
  await callOnce();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(network.fetch.mock.calls.length).toBeGreaterThan(4);
  expect(network.fetch.mock.calls.length).toBeLessThan(10);
  network.answer(healthy);
  await vi.advanceTimersByTimeAsync(60_000);
  const { length } = network.fetch.mock.calls;
  await vi.advanceTimersByTimeAsync(60_000);
  expect(network.fetch.mock.calls).toHaveLength(length);
});

test("the browser's word for offline is only a reason to ask", async () => {
  network.answer(healthy);
  hears.get('offline')?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(connection.isReachable).toBe(true);
});

test('the browser coming online asks at once', async () => {
  network.answer('away', healthy);
  await callOnce();
  hears.get('online')?.();
  await vi.advanceTimersByTimeAsync(0);
  expect(connection.isReachable).toBe(true);
});

test('a server that is silent for 5 s is out of reach', async () => {
  network.fetch.mockImplementation(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  hears.get('offline')?.();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(connection.isReachable).toBe(false);
});

test('a call that nobody answers is a reason to ask, and an answer says that the network has recovered', async () => {
  let recoveries = 0;
  const stop = recovered.listen(() => {
    recoveries += 1;
  });
  network.answer('silent', healthy);
  void callOnce();
  await vi.advanceTimersByTimeAsync(15_000);
  expect([connection.isReachable, recoveries]).toEqual([true, 1]);
  expect(network.fetch.mock.lastCall?.[0]).toBe('/healthz');
  network.answer(healthy);
  await callOnce();
  expect(recoveries).toBe(1);
  stop();
});

test('several calls that nobody answers ask once', async () => {
  network.answer('silent', 'silent', 'silent', 'silent', 'silent');
  for (let calls = 0; calls < 4; calls += 1) void callOnce();
  await vi.advanceTimersByTimeAsync(15_000);
  expect(network.fetch).toHaveBeenCalledTimes(5);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(connection.isReachable).toBe(false);
});

test('the browser coming online has what is unanswered asked again at once', async () => {
  network.answer('silent', healthy, healthy);
  const answered = callOnce();
  await vi.advanceTimersByTimeAsync(3_000);
  hears.get('online')?.();
  expect(await answered).toEqual(healthy.json);
});
