import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { rememberMe, resetSignIn, signInForm } from '#app/features/auth/sign-in-form.tsx';
import { clearTokens, refreshToken } from '#app/platform/http/token-store.ts';
import { navigation, openDialog, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { failures } from '#contract/failures.ts';
import type { FakeNetwork } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeBrowser } from '../state/fake-browser.ts';
import { letIn, profileOf } from '../state/people.ts';

let network: FakeNetwork;

beforeEach(() => {
  fakeBrowser();
  network = fakeNetwork();
  openDialog('sign-in');
});

afterEach(() => {
  resetSignIn();
  resetNavigation();
  resetSession();
  clearTokens();
  vi.unstubAllGlobals();
});

async function submit(identifier: string, password: string): Promise<void> {
  signInForm.change('identifier', identifier);
  signInForm.change('password', password);
  await signInForm.submit();
}

const sent = () => JSON.parse(String(network.fetch.mock.calls[0]?.[1].body)) as unknown;

test('a form that the rules refuse says so at its fields, and nothing is sent', async () => {
  await submit('  ', '');
  expect(signInForm.state.problems).toEqual({
    identifier: 'Username or email is required',
    password: 'Password is required',
  });
  expect(network.fetch).not.toHaveBeenCalled();
  signInForm.change('password', 'p');
  expect(signInForm.state.problems).toEqual({ identifier: 'Username or email is required' });
});

test('whoever knows the password is in, and the dialog closes', async () => {
  network.answer(letIn(), profileOf());
  rememberMe(true);
  await submit(' mara ', ' with blanks ');
  expect(sent()).toEqual({ identifier: 'mara', password: ' with blanks ', rememberMe: true });
  expect([session.user?.username, refreshToken(), navigation.dialog]).toEqual(['mara', 'refresh-1', null]);
});

test('a dialog that waited for the sign-in stays open', async () => {
  openDialog('device');
  network.answer(letIn(), profileOf());
  await submit('mara', 'north pier at dawn');
  expect(navigation.dialog).toBe('device');
});

test.each([
  [
    'a wrong password',
    { status: 401, json: { error: 'invalid_credentials', message: 'Invalid username or password' } },
    'Invalid username or password',
  ],
  [
    'too many tries',
    { status: 429, json: { error: 'rate_limited', message: 'Too many tries. Please wait a little.' } },
    'Too many tries. Please wait a little.',
  ],
  ['no network', 'away' as const, failures.connection],
])('%s is told in the form, which stays', async (_, answer, words) => {
  network.answer(answer);
  await submit('mara', 'wrong');
  expect([
    signInForm.state.refusal,
    signInForm.state.isBusy,
    signInForm.state.values.identifier,
    navigation.dialog,
  ]).toEqual([words, false, 'mara', 'sign-in']);
  expect(network.fetch).toHaveBeenCalledTimes(1);
});

test('what the server says of a field stands at the field', async () => {
  network.answer({
    status: 400,
    json: {
      error: 'validation_failed',
      message: 'x',
      details: [{ field: 'password', message: 'Password must be at most 1024 bytes' }],
    },
  });
  await submit('mara', 'p');
  expect([signInForm.state.problems.password, signInForm.state.refusal]).toEqual([
    'Password must be at most 1024 bytes',
    null,
  ]);
});

test('one press at a time counts', async () => {
  network.answer(letIn(), profileOf());
  signInForm.change('identifier', 'mara');
  signInForm.change('password', 'p');
  await Promise.all([signInForm.submit(), signInForm.submit()]);
  expect(network.fetch.mock.calls.filter(([address]) => address === '/auth/login')).toHaveLength(1);
});

test('a dialog that was closed forgets what was typed, and lets nobody in any more', async () => {
  network.fetch.mockImplementationOnce(
    (_, { signal }) =>
      new Promise((_resolve, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
  );
  const trying = submit('mara', 'p');
  resetSignIn();
  await trying;
  expect([session.user, signInForm.state.values.password, signInForm.state.isBusy]).toEqual([null, '', false]);
});
