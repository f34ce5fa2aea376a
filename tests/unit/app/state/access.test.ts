import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { call } from '#app/platform/http/call.ts';
import { access, resetAccess, startAccess } from '#app/state/access.ts';
import { connection, resetConnection, watchConnection } from '#app/state/connection.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { readStatus } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeWindow } from './fake-window.ts';

const config = (seconds: number) => ({
  json: {
    video_settings: { switch_interval_seconds: seconds },
    features: { billing: 'open', registration: true },
    analytics: null,
  },
});
const gateClosed = { status: 401, json: { error: 'site_password_required' } };
const sessionEnded = { status: 401, json: { error: 'unauthorized' } };

let network: FakeNetwork;

beforeEach(() => {
  vi.useFakeTimers();
  fakeWindow();
  network = fakeNetwork();
});

afterEach(() => {
  resetAccess();
  resetSiteConfig();
  resetNavigation();
  connection.isReachable = true;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test('the app opens with what the operator set', async () => {
  network.answer(config(45));
  const started = startAccess();
  expect(access.phase).toBe('checking');
  await started;
  expect([access.phase, siteConfig.switchIntervalSeconds]).toEqual(['open', 45]);
});

test('a 401 on the config call shows the password page', async () => {
  network.answer(gateClosed);
  await startAccess();
  expect(access.phase).toBe('refused');
});

test.each([
  ['no network', 'away' as const],
  ['a broken server', { status: 500, json: { error: 'internal' } }],
  ["a captive portal's page", { text: '<html></html>' }],
  ['JSON that is not ours', { json: { hello: 'world' } }],
])('any other failure is ignored, and the defaults apply: %s', async (_, answer) => {
  network.answer(answer);
  await startAccess();
  expect([access.phase, siteConfig.switchIntervalSeconds]).toEqual(['open', limits.switchIntervalSeconds]);
});

test('without the server, what this device last knew of the site applies, and nothing that is not understood', async () => {
  const stored = new Map<string, string>();
  const localStorage = {
    getItem: (name: string) => stored.get(name) ?? null,
    setItem: (name: string, value: string) => void stored.set(name, value),
  };
  Object.assign(window, { localStorage });
  const own = { billing: 'closed', registration: false, tag_editing: 'everyone', watched: false };
  network.answer({ json: { ...config(45).json, features: own } });
  await startAccess();
  const known = { ...siteConfig };
  expect(known).toMatchObject({ remembersWatched: false, isBillingOpen: false, switchIntervalSeconds: 45 });
  resetAccess();
  resetSiteConfig();
  network.answer('away');
  await startAccess();
  expect({ ...siteConfig }).toEqual(known);

  for (const [name, value] of stored) stored.set(name, value.replace('45', '"45"'));
  resetAccess();
  resetSiteConfig();
  network.answer('away');
  await startAccess();
  expect({ ...siteConfig }).toEqual({ ...known, switchIntervalSeconds: limits.switchIntervalSeconds });
  for (const [name] of stored) stored.set(name, '{');
  resetAccess();
  resetSiteConfig();
  network.answer('away');
  await startAccess();
  expect(siteConfig.remembersWatched).toBe(true);
});

test('a server that is silent for 5 s does not keep the app closed', async () => {
  network.fetch.mockImplementation(
    (_, { signal }) =>
      new Promise((_resolve, reject) => {
        signal?.addEventListener('abort', () => reject(signal.reason));
      }),
  );
  void startAccess();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(access.phase).toBe('checking');
  await vi.advanceTimersByTimeAsync(1);
  expect(access.phase).toBe('open');
});

test('a later 401 shows the password page when the gate was closed meanwhile', async () => {
  network.answer(config(120), gateClosed, gateClosed);
  await startAccess();
  await call(readStatus).catch(() => null);
  await vi.advanceTimersByTimeAsync(0);
  expect([access.phase, navigation.dialog]).toEqual(['refused', null]);
});

test('a later 401 opens the sign-in dialog when it was the session that ended', async () => {
  network.answer(config(120), sessionEnded, config(120));
  await startAccess();
  await call(readStatus).catch(() => null);
  await vi.advanceTimersByTimeAsync(0);
  expect([access.phase, navigation.dialog]).toEqual(['open', 'sign-in']);
});

test('four calls refused at once ask for the configuration once', async () => {
  network.answer(config(120), sessionEnded, sessionEnded, sessionEnded, sessionEnded, config(120));
  await startAccess();
  await Promise.all([1, 2, 3, 4].map(() => call(readStatus).catch(() => null)));
  await vi.advanceTimersByTimeAsync(0);
  expect(network.fetch).toHaveBeenCalledTimes(6);
});

test('a configuration that could not be read is read when the server is back', async () => {
  network.answer('away', config(30));
  connection.isReachable = false;
  await startAccess();
  connection.isReachable = true;
  await vi.advanceTimersByTimeAsync(0);
  expect(siteConfig.switchIntervalSeconds).toBe(30);
});

test('a configuration that was silent at the start is read once the server answers, although nobody had found it away', async () => {
  watchConnection();
  network.answer('silent', { json: { status: 'ok' } }, config(30));
  void startAccess();
  await vi.advanceTimersByTimeAsync(5_000);
  const expectRead = () => expect([siteConfig.switchIntervalSeconds, connection.isReachable]).toEqual([30, true]);
  // The clock of the test stands still meanwhile.
  await vi.waitFor(expectRead, { interval: 0 });
  resetConnection();
});
