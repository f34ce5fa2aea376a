import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deviceCode, startDeviceCode } from '#app/features/auth/device-code-panel.tsx';
import { clearTokens } from '#app/platform/http/token-store.ts';
import { navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeBrowser } from '../state/fake-browser.ts';
import { letIn, profileOf } from '../state/people.ts';

const request = (userCode = 'BCDF-GHJK') => ({
  json: {
    device_code: `device-${userCode}`,
    user_code: userCode,
    verification_url: 'http://fourfold.lan:4400/',
    expires_in: 300,
    interval: 5,
  },
});
const answered = (error: string) => ({ status: 400, json: { error, message: error } });

let network: FakeNetwork;
let stop = () => {};

beforeEach(() => {
  vi.useFakeTimers();
  fakeBrowser();
  network = fakeNetwork();
  openDialog('sign-in');
});

afterEach(() => {
  stop();
  resetNavigation();
  resetSession();
  clearTokens();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function follow(): Promise<void> {
  stop = startDeviceCode();
  await vi.advanceTimersByTimeAsync(0);
}

const polls = () => network.fetch.mock.calls.filter(([address]) => address === '/auth/device/token').length;

test('a TV shows the code, and an address that carries it', async () => {
  network.answer(request());
  await follow();
  expect(deviceCode.shown).toEqual({
    userCode: 'BCDF-GHJK',
    site: { name: 'fourfold.lan:4400', address: 'http://fourfold.lan:4400/?device=BCDF-GHJK' },
  });
});

test('it asks every five seconds, and is signed in once the code was entered elsewhere', async () => {
  network.answer(request(), answered('authorization_pending'), letIn(1, 'pro'), profileOf('pro'));
  await follow();
  await vi.advanceTimersByTimeAsync(4_999);
  expect(polls()).toBe(0);
  await vi.advanceTimersByTimeAsync(1);
  expect([polls(), session.user]).toEqual([1, null]);
  await vi.advanceTimersByTimeAsync(5_000);
  // What follows the answer takes turns of its own, which no clock of a test moves.
  await vi.waitFor(() => expect([session.user?.effective_tier, navigation.dialog]).toEqual(['pro', null]), {
    interval: 5,
  });
  expect(polls()).toBe(2);
});

test('told to slow down, it asks every ten seconds', async () => {
  network.answer(request(), answered('slow_down'), answered('authorization_pending'));
  await follow();
  await vi.advanceTimersByTimeAsync(5_000 + 9_999);
  expect(polls()).toBe(1);
  await vi.advanceTimersByTimeAsync(1);
  expect(polls()).toBe(2);
});

test('a code that has run out is followed by a new one', async () => {
  network.answer(request(), answered('expired_token'), request('XWVT-SRQP'));
  await follow();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(deviceCode.shown?.userCode).toBe('XWVT-SRQP');
});

test('without a network it says so and tries again; a code that stands is kept', async () => {
  network.answer('away', request(), 'away', letIn(), profileOf());
  await follow();
  expect(deviceCode).toEqual({ shown: null, hasFailed: true });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(deviceCode.shown?.userCode).toBe('BCDF-GHJK');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(deviceCode.shown?.userCode).toBe('BCDF-GHJK');
  await vi.advanceTimersByTimeAsync(5_000);
  expect(session.user?.username).toBe('mara');
});

test('nothing is asked any more once the dialog is closed', async () => {
  network.answer(request());
  await follow();
  stop();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([polls(), deviceCode.shown]).toEqual([0, null]);
});

test('a code that comes after the dialog was closed is not shown, and not asked for beside the next', async () => {
  let answer = (_: Response) => {};
  network.fetch.mockImplementationOnce(() => new Promise((resolve) => (answer = resolve)));
  await follow();
  stop();
  network.answer(request('XWVT-SRQP'));
  await follow();
  answer(new Response(JSON.stringify(request().json)));
  await vi.advanceTimersByTimeAsync(0);
  expect(deviceCode.shown?.userCode).toBe('XWVT-SRQP');
  network.answer(answered('authorization_pending'), answered('authorization_pending'));
  await vi.advanceTimersByTimeAsync(5_000);
  expect(polls()).toBe(1);
});
