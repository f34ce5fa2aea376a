import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { registrationForm, resetRegistration, setupCodeField } from '#app/features/auth/registration-form.tsx';
import { clearTokens } from '#app/platform/http/token-store.ts';
import { navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeBrowser } from '../state/fake-browser.ts';
import { letIn, profileOf } from '../state/people.ts';

let network: FakeNetwork;

beforeEach(() => {
  fakeBrowser();
  network = fakeNetwork();
  openDialog('register');
});

afterEach(() => {
  resetRegistration();
  resetNavigation();
  resetSession();
  clearTokens();
  vi.unstubAllGlobals();
});

function fill(values: Partial<typeof registrationForm.state.values> = {}): void {
  const all = {
    username: ' mara ',
    email: ' mara@example.com ',
    password: 'north pier at dawn',
    confirmation: 'north pier at dawn',
    ...values,
  };
  for (const [field, value] of Object.entries(all)) registrationForm.change(field as 'username', value);
}

const sent = (call = 0) => JSON.parse(String(network.fetch.mock.calls[call]?.[1].body)) as unknown;
const refusal = (field: string, message: string, status = 400, error = 'validation_failed') => ({
  status,
  json: { error, message, details: [{ field, message }] },
});

test('an empty form says at each field what is missing, and nothing is sent', async () => {
  await registrationForm.submit();
  expect(registrationForm.state.problems).toEqual({
    username: 'Username is required',
    email: 'Email is required',
    password: 'Password is required',
    confirmation: 'Please confirm your password',
  });
  expect(network.fetch).not.toHaveBeenCalled();
});

test('a confirmation that differs is told', async () => {
  fill({ confirmation: 'north pier at dusk' });
  await registrationForm.submit();
  expect(registrationForm.state.problems).toEqual({ confirmation: 'Passwords do not match' });
});

test('what is sent is trimmed, without an empty display name; then the dialog closes', async () => {
  network.answer(letIn(), profileOf());
  fill({ display_name: '  ' });
  await registrationForm.submit();
  expect(sent()).toEqual({ username: 'mara', email: 'mara@example.com', password: 'north pier at dawn' });
  expect([session.user?.username, navigation.dialog]).toEqual(['mara', null]);
});

test('a name that is taken is told at its field', async () => {
  network.answer(refusal('username', 'This username is taken', 409, 'conflict'));
  fill();
  await registrationForm.submit();
  expect([registrationForm.state.problems, registrationForm.state.refusal]).toEqual([
    { username: 'This username is taken' },
    null,
  ]);
});

test('the set-up code is asked for when the server asks for it, and goes along', async () => {
  const words = 'The first account is made with the set-up code that the terminal of the server shows';
  network.answer(refusal('setup_code', words), letIn(), profileOf());
  fill();
  expect(setupCodeField.isShown).toBe(false);
  await registrationForm.submit();
  expect([setupCodeField.isShown, registrationForm.state.problems.setup_code]).toEqual([true, words]);
  registrationForm.change('setup_code', ' ssgx-hqwg ');
  await registrationForm.submit();
  expect(sent(1)).toMatchObject({ setup_code: 'ssgx-hqwg' });
  expect(navigation.dialog).toBeNull();
});

test('a site that makes no accounts says so', async () => {
  network.answer({
    status: 403,
    json: { error: 'registration_closed', message: 'New accounts cannot be created here.' },
  });
  fill();
  await registrationForm.submit();
  expect([registrationForm.state.refusal, registrationForm.state.isBusy]).toEqual([
    'New accounts cannot be created here.',
    false,
  ]);
});
