import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import {
  cancelVisit,
  finishStoredVisit,
  loadProviders,
  providers,
  resetProviders,
  visitProvider,
} from '#app/state/providers.ts';
import { savedFiltersKey } from '#app/state/saved-filters.ts';
import { failures } from '#contract/failures.ts';
import { fakeNetwork } from '../../platform/fake-network.ts';
import type { FakeBrowser } from '../fake-browser.ts';
import { fakeBrowser } from '../fake-browser.ts';
import { tokens } from '../people.ts';

const google = { name: 'google', display_name: 'Google', login_url: '/auth/oauth/google/login' };
const success = { type: 'OAUTH_SUCCESS', tokens: tokens() };

let browser: FakeBrowser;
let popup: { closed: boolean; close: ReturnType<typeof vi.fn>; location: { replace: ReturnType<typeof vi.fn> } };
let open: ReturnType<typeof vi.fn>;

beforeEach(() => {
  vi.useFakeTimers();
  browser = fakeBrowser();
  popup = { closed: false, close: vi.fn(), location: { replace: vi.fn() } };
  open = vi.fn(() => popup);
  Object.assign(window, { open });
  vi.stubGlobal('document', { documentElement: { dataset: { form: 'desktop' } } });
  vi.stubGlobal('navigator', { userAgent: 'Chrome/140', maxTouchPoints: 0 });
});

afterEach(() => {
  resetProviders();
  resetNavigation();
  clearTokens();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const post = (data: unknown) =>
  window.dispatchEvent(Object.assign(new Event('message'), { data, origin: 'http://localhost', source: popup }));

test('success keeps the tokens, clears the filters and loads the page anew, whose dialog goes with it', () => {
  browser.storage.setItem(savedFiltersKey, '{}');
  visitProvider(google);
  expect([open.mock.calls[0]?.[0], providers.waitingFor]).toEqual(['/auth/oauth/google/login?display=popup', 'google']);
  post(success);
  expect([refreshToken(), browser.storage.getItem(savedFiltersKey)]).toEqual(['refresh-1', null]);
  expect(browser.reload).toHaveBeenCalledTimes(1);
});

test('the code of a TV goes along when its dialog waited for the sign-in', () => {
  openDialog('device');
  navigation.deviceCode = 'BCDF-GHJK';
  visitProvider(google);
  post(success);
  expect(browser.leaveFor).toHaveBeenCalledWith('/?device=BCDF-GHJK');
});

test('a person who is signed in links an account with a ticket, never a token in an address, and the page stays', async () => {
  const network = fakeNetwork();
  storeTokens(tokens());
  const onSuccess = vi.fn();
  network.answer({ json: { ticket: 'ti/cket' } });
  visitProvider(google, { isLinking: true, onSuccess });
  expect([open.mock.calls[0]?.[0], popup.location.replace.mock.calls.length]).toEqual(['about:blank', 0]);
  await vi.advanceTimersByTimeAsync(0);
  const [address, options] = network.fetch.mock.calls[0] ?? [];
  expect([options?.method, address, new Headers(options?.headers).get('Authorization')]).toEqual([
    'POST',
    '/auth/oauth/google/link-ticket',
    'Bearer access-1',
  ]);
  expect(popup.location.replace).toHaveBeenCalledWith('/auth/oauth/google/login?link=1&ticket=ti%2Fcket&display=popup');
  post(success);
  expect([onSuccess.mock.calls.length, browser.reload.mock.calls.length, providers.waitingFor]).toEqual([1, 0, null]);
});

test('where no window can be had, the page leaves with a ticket', async () => {
  const network = fakeNetwork();
  open.mockReturnValue(null);
  network.answer({ json: { ticket: 't1' } });
  visitProvider(google, { isLinking: true });
  await vi.advanceTimersByTimeAsync(0);
  expect(browser.leaveFor).toHaveBeenCalledWith('/auth/oauth/google/login?link=1&ticket=t1&display=page');
});

test('without a ticket the window closes, and it is told why', async () => {
  const network = fakeNetwork();
  network.answer({ status: 429, json: { error: 'rate_limited', message: 'Too many tries. Please wait a little.' } });
  visitProvider(google, { isLinking: true });
  await vi.advanceTimersByTimeAsync(0);
  expect([popup.close.mock.calls.length, popup.location.replace.mock.calls.length]).toEqual([1, 0]);
  expect([providers.failure, providers.waitingFor]).toEqual(['Too many tries. Please wait a little.', null]);
});

test.each([
  ['oauth_failed', failures.providerSignIn],
  ['something new', failures.providerSignIn],
  ['access_denied', failures.providerDenied],
  ['account_exists', failures.providerAccountExists],
  ['email_unverified', failures.providerEmailUnverified],
])('the failure %s closes the window and is told', (error, words) => {
  visitProvider(google);
  post({ type: 'OAUTH_ERROR', error });
  expect([providers.failure, providers.waitingFor, popup.close.mock.calls.length]).toEqual([words, null, 1]);
  visitProvider(google);
  expect(providers.failure).toBeNull();
});

test('a window closed by hand ends the waiting within a second', () => {
  visitProvider(google);
  popup.closed = true;
  vi.advanceTimersByTime(1_000);
  expect([providers.waitingFor, providers.failure]).toEqual([null, null]);
});

test('a dialog that closes closes the window with it', () => {
  visitProvider(google);
  cancelVisit();
  post(success);
  expect([popup.close.mock.calls.length, refreshToken()]).toEqual([1, null]);
});

test.each([
  ['on a TV', () => vi.stubGlobal('document', { documentElement: { dataset: { form: 'tv' } } })],
  [
    'on the home screen of iOS',
    () => vi.stubGlobal('navigator', { userAgent: 'iPhone', maxTouchPoints: 5, standalone: true }),
  ],
  ['where windows are blocked', () => open.mockReturnValue(null)],
])('the page itself goes to the provider %s', (_, arrange) => {
  arrange();
  visitProvider(google);
  expect(browser.leaveFor).toHaveBeenCalledWith('/auth/oauth/google/login?display=page');
  expect(providers.waitingFor).toBeNull();
});

test('tokens that a visit without a window has left are taken once', () => {
  browser.sessionStorage.setItem('fourfold.sign-in', JSON.stringify(success));
  finishStoredVisit();
  expect([refreshToken(), browser.reload.mock.calls.length]).toEqual(['refresh-1', 1]);
  finishStoredVisit();
  expect(browser.reload).toHaveBeenCalledTimes(1);
});

test.each([
  ['the sign-in dialog', false, 'feed', 'sign-in'],
  ['Profile, where somebody signed in began to link', true, 'profile', null],
])('a failure that a visit without a window has left is told in %s', (_, isSignedIn, view, dialog) => {
  if (isSignedIn) storeTokens(tokens());
  browser.sessionStorage.setItem('fourfold.sign-in', '{"type":"OAUTH_ERROR","error":"access_denied"}');
  finishStoredVisit();
  expect([providers.failure, navigation.view, navigation.dialog]).toEqual([failures.providerDenied, view, dialog]);
});

test('a failure that a visit with an invitation has left is told where the invitation is', () => {
  openDialog('register');
  navigation.invitation = 'secret';
  browser.sessionStorage.setItem('fourfold.sign-in', '{"type":"OAUTH_ERROR","error":"access_denied"}');
  finishStoredVisit();
  expect([providers.failure, navigation.dialog, navigation.invitation]).toEqual([
    failures.providerDenied,
    'register',
    'secret',
  ]);
});

test('success forgets the invitation that it used', () => {
  openDialog('register');
  navigation.invitation = 'secret';
  browser.sessionStorage.setItem('fourfold.invitation', 'secret');
  visitProvider(google);
  post(success);
  expect([navigation.invitation, browser.sessionStorage.length]).toEqual([null, 0]);
});

test('garbage that was left is nothing', () => {
  browser.sessionStorage.setItem('fourfold.sign-in', '{');
  finishStoredVisit();
  expect([refreshToken(), providers.failure, browser.sessionStorage.getItem('fourfold.sign-in')]).toEqual([
    null,
    null,
    null,
  ]);
});

test('a list that cannot be read is empty', async () => {
  const network = fakeNetwork();
  network.answer({ json: { providers: [google] } }, { status: 500, json: {} });
  await loadProviders();
  expect(providers.list).toEqual([google]);
  await loadProviders();
  expect(providers.list).toEqual([]);
});
