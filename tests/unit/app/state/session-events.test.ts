import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { call } from '#app/platform/http/call.ts';
import { clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { resetAccess, startAccess } from '#app/state/access.ts';
import { connection } from '#app/state/connection.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { applyFilter, quadrantFilters } from '#app/state/quadrant-filters.ts';
import { resetSession, session } from '#app/state/session.ts';
import { resetSiteConfig, siteConfig } from '#app/state/site-config.ts';
import { subscribeSessionEvents } from '#app/state/start-session.ts';
import { listSessions, readStatus } from '#contract/endpoints.ts';
import type { FakeNetwork, FakeReply } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import type { FakeBrowser } from './fake-browser.ts';
import { fakeBrowser } from './fake-browser.ts';
import { tokenOf } from './outbox/fake-api.ts';
import { nobody, profileOf, tokens, tokenUntil } from './people.ts';

const config = (seconds: number, revision = '1.1.1'): FakeReply => ({
  json: {
    video_settings: { switch_interval_seconds: seconds },
    features: { billing: 'open', registration: true },
    analytics: null,
  },
  revision,
});
const status = (revision: string): FakeReply => ({ json: {}, revision });
const ended = { status: 401, json: { error: 'unauthorized', message: 'Please sign in.' } };

let browser: FakeBrowser;
let network: FakeNetwork;
let stop = () => {};

beforeEach(async () => {
  vi.useFakeTimers();
  browser = fakeBrowser();
  network = fakeNetwork();
  network.answer(config(120));
  await startAccess();
});

afterEach(() => {
  stop();
  clearTokens();
  resetAccess();
  resetNavigation();
  resetSession();
  resetSiteConfig();
  connection.isReachable = true;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = () => vi.advanceTimersByTimeAsync(0);
const count = (address: string) => network.fetch.mock.calls.filter(([asked]) => asked === address).length;

async function followAs(profile: FakeReply): Promise<void> {
  network.answer(profile);
  stop = subscribeSessionEvents();
  await settle();
}

async function followSignedIn(): Promise<void> {
  storeTokens(tokens());
  await followAs(profileOf('basic', '3.1.1'));
}

test('a tier that changed on the server holds from the next answer on, and nobody signs in again', async () => {
  await followSignedIn();
  network.answer(status('4.1.1'), profileOf('pro', '4.1.1'));
  await call(readStatus);
  await settle();
  expect([session.user?.effective_tier, session.features?.hd_streaming]).toEqual(['pro', true]);
  expect(count('/users/profile')).toBe(2);
});

test('answers that count the same change nothing', async () => {
  await followSignedIn();
  network.answer(status('3.1.1'), status('3.2.1'));
  await call(readStatus);
  await call(readStatus);
  await settle();
  expect(count('/users/profile')).toBe(1);
});

test('a configuration that changed on the server is read again', async () => {
  await followAs(nobody);
  network.answer(status('1.1.1'), status('1.1.2'), config(45, '1.1.2'));
  await call(readStatus);
  await call(readStatus);
  await settle();
  expect(siteConfig.switchIntervalSeconds).toBe(45);
});

test('signing out in one tab signs out in all', async () => {
  await followSignedIn();
  network.answer(nobody);
  browser.writeElsewhere('fourfold.refresh-token', null);
  await settle();
  expect([session.user, navigation.dialog]).toEqual([null, null]);
});

test('a page to which Back leads shows nothing of whoever has signed out elsewhere meanwhile', async () => {
  await followSignedIn();
  network.answer(nobody);
  browser.storage.removeItem('fourfold.refresh-token');
  window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted: true }));
  await settle();
  expect(session.user).toBeNull();
});

test('signing in in one tab signs in in all', async () => {
  await followAs(nobody);
  network.answer(profileOf('pro'));
  browser.storage.setItem('fourfold.access-token', 'access-9');
  browser.writeElsewhere('fourfold.refresh-token', 'refresh-9');
  await settle();
  expect(session.user?.effective_tier).toBe('pro');
});

test('whoever was here is forgotten at once when another tab has signed in somebody else', async () => {
  await followSignedIn();
  applyFilter('top-left', { tagIds: ['coast'], mode: 'OR' });
  let answer = () => {};
  network.fetch.mockImplementationOnce(async () => {
    await new Promise<void>((resolve) => (answer = resolve));
    return new Response(JSON.stringify(profileOf('pro').json));
  });
  browser.storage.removeItem('fourfold.filters');
  browser.storage.setItem('fourfold.access-token', tokenOf('user-2'));
  browser.writeElsewhere('fourfold.refresh-token', 'refresh-9');
  await settle();
  expect([session.phase, session.user, quadrantFilters['top-left'].tagIds]).toEqual(['loading', null, []]);
  answer();
  await settle();
  expect([session.phase, session.user?.effective_tier]).toEqual(['known', 'pro']);
});

test('tokens that another tab has renewed for the same person change nothing until the answer', async () => {
  await followSignedIn();
  network.answer('silent');
  browser.storage.setItem('fourfold.access-token', tokenOf('user-1'));
  browser.writeElsewhere('fourfold.refresh-token', 'refresh-2');
  await settle();
  expect(session.user?.id).toBe('user-1');
});

test('where the clock of the device is fast, tokens that another tab has renewed are not renewed once more', async () => {
  await followSignedIn();
  network.answer(profileOf('pro'));
  browser.storage.setItem('fourfold.access-token', tokenUntil(Date.now() / 1000 - 60));
  browser.writeElsewhere('fourfold.refresh-token', 'refresh-2');
  await settle();
  expect([count('/auth/refresh'), session.user?.effective_tier]).toEqual([0, 'pro']);
});

test('a session that was ended elsewhere is over: the sign-in dialog says so', async () => {
  await followSignedIn();
  network.answer(ended, ended, config(120), nobody, config(120));
  await call(listSessions).catch(() => null);
  await settle();
  expect([session.user, refreshToken(), navigation.dialog]).toEqual([null, null, 'session-ended']);
});

test('a session that was ended elsewhere is noticed by an answer that needs no account', async () => {
  await followSignedIn();
  network.answer(status('2.1.1'), nobody, ended, config(120), nobody);
  await call(readStatus);
  await settle();
  expect([session.user, navigation.dialog]).toEqual([null, 'session-ended']);
});

test('a visitor who was never signed in is asked to sign in, not told that a session ended', async () => {
  await followAs(nobody);
  network.answer(ended, config(120));
  await call(listSessions).catch(() => null);
  await settle();
  expect(navigation.dialog).toBe('sign-in');
});

test('whoever could not be asked for without a network is asked for when it is back', async () => {
  storeTokens(tokens());
  connection.isReachable = false;
  network.answer('away');
  stop = subscribeSessionEvents();
  await settle();
  expect(session.phase).toBe('failed');
  network.answer(profileOf('pro'));
  connection.isReachable = true;
  await settle();
  expect([session.phase, session.user?.effective_tier]).toEqual(['known', 'pro']);
});

describe('a page that is left', () => {
  const webKit = 'Mozilla/5.0 (Macintosh) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Safari/605.1.15';

  test.each([
    ['keeps nobody from the database in WebKit, if it may come back', webKit, true, 1],
    ['is over', webKit, false, 0],
    ['does what it began elsewhere', 'Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0', true, 0],
  ])('%s', async (_, userAgent, persisted, pauses) => {
    vi.resetModules();
    vi.stubGlobal('navigator', { userAgent });
    const { startSession } = await import('#app/state/start-session.ts');
    const { deviceDatabase } = await import('#device/device-database.ts');
    const resume = vi.fn();
    const pause = vi.spyOn(deviceDatabase, 'pause').mockReturnValue(resume);
    network.answer(nobody);
    startSession();
    window.dispatchEvent(Object.assign(new Event('pagehide'), { persisted }));
    expect([pause.mock.calls.length, resume.mock.calls.length]).toEqual([pauses, 0]);
    window.dispatchEvent(Object.assign(new Event('pageshow'), { persisted }));
    expect(resume).toHaveBeenCalledTimes(pauses);
  });
});
