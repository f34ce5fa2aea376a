import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  invitation,
  loadInvitation,
  registrationForm,
  resetInvitation,
  resetRegistration,
  retryInvitation,
} from '#app/features/auth/registration-form.tsx';
import { clearTokens } from '#app/platform/http/token-store.ts';
import { navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import { resetSession } from '#app/state/session.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import type { FakeBrowser } from '../state/fake-browser.ts';
import { fakeBrowser } from '../state/fake-browser.ts';
import { letIn, profileOf } from '../state/people.ts';

let network: FakeNetwork;
let browser: FakeBrowser;

beforeEach(() => {
  browser = fakeBrowser();
  network = fakeNetwork();
  openDialog('register');
  navigation.invitation = 'secret';
  browser.sessionStorage.setItem('fourfold.invitation', 'secret');
});

afterEach(() => {
  resetInvitation();
  resetRegistration();
  resetNavigation();
  resetSession();
  clearTokens();
  vi.unstubAllGlobals();
});

const sent = () => JSON.parse(String(network.fetch.mock.calls[0]?.[1].body)) as unknown;
const offer = { tier: 'pro', expires_at: '2026-11-29T12:00:00.000Z' };

test('the server is asked what it gives, in a body and not in an address', async () => {
  network.answer({ json: offer });
  await loadInvitation();
  expect([network.fetch.mock.calls[0]?.[0], sent()]).toEqual(['/auth/invitation', { invitation: 'secret' }]);
  expect(invitation).toEqual({ offer, refusal: null, isRetryable: false });
});

test('one that is good no longer is forgotten, and its sentence stays', async () => {
  network.answer({ status: 403, json: { error: 'invitation_invalid', message: 'This invitation was used already.' } });
  await loadInvitation();
  expect(invitation).toEqual({ offer: null, refusal: 'This invitation was used already.', isRetryable: false });
  expect([navigation.invitation, browser.sessionStorage.length]).toEqual([null, 0]);
  await retryInvitation();
  expect(network.fetch).toHaveBeenCalledTimes(1);
});

test('without a network it is kept, and asked for again', async () => {
  network.answer('away', { json: offer });
  await loadInvitation();
  expect(invitation).toMatchObject({ refusal: 'Connection error. Please try again.', isRetryable: true });
  expect(navigation.invitation).toBe('secret');
  await retryInvitation();
  expect(invitation).toEqual({ offer, refusal: null, isRetryable: false });
});

const values = { username: 'mara', email: 'mara@example.com', password: 'north pier at dawn' };

function fillIn(): void {
  for (const [field, value] of Object.entries({ ...values, confirmation: values.password }))
    registrationForm.change(field as 'username', value);
}

test('registration sends it, and forgets it with success', async () => {
  network.answer(letIn(), profileOf());
  fillIn();
  await registrationForm.submit();
  expect(sent()).toEqual({ ...values, invitation: 'secret' });
  expect([navigation.dialog, navigation.invitation, browser.sessionStorage.length]).toEqual([null, null, 0]);
});

test('one that is revoked while the form is filled in is forgotten: where anybody may, the next press makes an account', async () => {
  const message = 'This invitation was revoked. Please ask for another one.';
  network.answer({ json: offer }, { status: 403, json: { error: 'invitation_invalid', message } });
  await loadInvitation();
  fillIn();
  await registrationForm.submit();
  expect(invitation).toEqual({ offer: null, refusal: message, isRetryable: false });
  expect([registrationForm.state.refusal, navigation.invitation]).toEqual([message, null]);
  network.answer(letIn(), profileOf());
  await registrationForm.submit();
  expect(JSON.parse(String(network.fetch.mock.calls[2]?.[1].body))).toEqual(values);
});
