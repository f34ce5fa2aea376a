import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  loadPlans,
  openPlans,
  plans,
  resetPlans,
  signInFirst,
  upgradeTo,
} from '#app/features/profile/plans-dialog.tsx';
import { clearTokens, storeTokens } from '#app/platform/http/token-store.ts';
import { connection } from '#app/state/connection.ts';
import { closeDialog, navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import { limits } from '#contract/limits.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeBrowser } from '../state/fake-browser.ts';
import { person, profileOf, tokens } from '../state/people.ts';

const list = {
  json: {
    plans: [{ tier: 'pro', name: 'Pro', price: 9, duration: 'month', description: '', features: [], popular: true }],
  },
};

let network: FakeNetwork;

beforeEach(() => {
  vi.useFakeTimers();
  fakeBrowser();
  network = fakeNetwork();
  openDialog('plans');
});

afterEach(() => {
  resetPlans();
  resetNavigation();
  resetSession();
  clearTokens();
  connection.isReachable = true;
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const signedIn = (tier: Tier = 'basic') => {
  storeTokens(tokens());
  session.user = person(tier);
};

const upgraded = (tier: Tier) => ({ json: { success: true, user: person(tier), features: person(tier).features } });

test('an upgrade holds at once, and the dialog closes a second and a half later', async () => {
  signedIn();
  network.answer(upgraded('pro'), profileOf('pro'));
  await upgradeTo('pro');
  expect([session.user?.effective_tier, session.features?.hd_streaming, plans.upgradedTo]).toEqual([
    'pro',
    true,
    'pro',
  ]);
  await vi.advanceTimersByTimeAsync(limits.upgradeClosesAfterMs - 1);
  expect(navigation.dialog).toBe('plans');
  await vi.advanceTimersByTimeAsync(1);
  expect(navigation.dialog).toBeNull();
});

test('the profile is read again after an upgrade', async () => {
  signedIn();
  network.answer(upgraded('pro'), profileOf('lifetime'));
  await upgradeTo('pro');
  await vi.advanceTimersByTimeAsync(0);
  expect(session.user?.effective_tier).toBe('lifetime');
});

test('two presses are one upgrade', async () => {
  signedIn();
  network.answer(upgraded('pro'), profileOf('pro'));
  await Promise.all([upgradeTo('pro'), upgradeTo('pro')]);
  expect(network.fetch.mock.calls.filter(([address]) => address.endsWith('/upgrade'))).toHaveLength(1);
});

test('a dialog that was closed by hand and opened again stays open', async () => {
  signedIn();
  const leave = openPlans();
  network.answer(list, upgraded('pro'), profileOf('pro'));
  await upgradeTo('pro');
  leave();
  closeDialog();
  openDialog('plans');
  await vi.advanceTimersByTimeAsync(limits.upgradeClosesAfterMs);
  expect([navigation.dialog, plans.upgradedTo]).toEqual(['plans', null]);
});

test('signed out, nothing is asked of the server, and the sentence says what to do', async () => {
  await upgradeTo('pro');
  expect(plans.refusal).toBe('Please sign in to upgrade your subscription');
  expect(network.fetch).not.toHaveBeenCalled();
});

test.each([
  [
    "the server's words",
    { status: 403, json: { error: 'forbidden', message: 'Plans cannot be changed here. Contact Admin' } },
  ],
  ['Upgrade failed', 'away' as const],
])('a refused upgrade says so: %s', async (_, answer) => {
  signedIn();
  network.answer(answer);
  await upgradeTo('pro');
  const expected = answer === 'away' ? 'Upgrade failed' : 'Plans cannot be changed here. Contact Admin';
  expect([plans.refusal, plans.upgradingTo, plans.upgradedTo]).toEqual([expected, null, null]);
});

test('whoever signs in on the way sees the plans again', async () => {
  signInFirst();
  expect(navigation.dialog).toBe('sign-in');
  openDialog('register');
  await vi.advanceTimersByTimeAsync(0);
  session.user = person();
  closeDialog();
  await vi.advanceTimersByTimeAsync(0);
  expect(navigation.dialog).toBe('plans');
});

test('whoever does not sign in is left where they were', async () => {
  signInFirst();
  closeDialog();
  await vi.advanceTimersByTimeAsync(0);
  expect(navigation.dialog).toBeNull();
});

test('a list that cannot be read has failed, unless there is one of before', async () => {
  await loadPlans();
  expect([plans.list, plans.hasFailed]).toEqual([null, true]);
  network.answer(list);
  await loadPlans();
  expect([plans.list?.length, plans.hasFailed]).toEqual([1, false]);
  await loadPlans();
  expect([plans.list?.length, plans.hasFailed]).toEqual([1, false]);
});

test('an upgrade that fails after its dialog was closed is told over the view, and not at the next opening', async () => {
  signedIn();
  const leave = openPlans();
  network.answer('away', 'away');
  const upgrading = upgradeTo('pro');
  leave();
  closeDialog();
  await upgrading;
  expect([plans.refusal, lateFailure.sentence]).toEqual([null, 'Upgrade failed']);
  lateFailure.sentence = null;
});

test('an upgrade that is answered late is not told to somebody who has signed in since', async () => {
  signedIn();
  network.answer(upgraded('pro'), 'silent');
  const upgrading = upgradeTo('pro');
  Object.assign(session, { phase: 'known', user: person('basic', { id: 'user-2' }) });
  await upgrading;
  expect([plans.upgradedTo, session.user?.effective_tier]).toEqual([null, 'basic']);
});
