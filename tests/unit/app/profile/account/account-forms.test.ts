import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  accountNotice,
  clearForms,
  clearNotice,
  deletionForm,
  displayNameForm,
  emailForm,
  openedForm,
  openForm,
  passwordForm,
  removeAvatar,
  signingOutForm,
} from '#app/features/profile/account-forms.ts';
import { resetIdentities } from '#app/features/profile/sign-ins-store.ts';
import { clearTokens, refreshToken, storeTokens } from '#app/platform/http/token-store.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import { limits } from '#contract/limits.ts';
import type { FakeNetwork } from '../../platform/fake-network.ts';
import { fakeNetwork } from '../../platform/fake-network.ts';
import { fakeBrowser } from '../../state/fake-browser.ts';
import { nobody, person, tokens } from '../../state/people.ts';

let network: FakeNetwork;

beforeEach(() => {
  vi.useFakeTimers();
  fakeBrowser();
  network = fakeNetwork();
  storeTokens(tokens());
  session.user = person('basic', { display_name: 'Mara' });
});

afterEach(() => {
  clearNotice();
  clearForms();
  resetIdentities();
  resetNavigation();
  resetSession();
  clearTokens();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const sent = () =>
  network.fetch.mock.calls.map(([address, { method, body }]) => [method, address, body && JSON.parse(String(body))]);
const reply = (facts: Parameters<typeof person>[1]) => ({
  json: { user: person('basic', facts), features: person().features },
});

test('a form opens with what there is, and a change closes it and is told of for three seconds', async () => {
  openForm('display-name');
  expect([navigation.dialog, openedForm.name, displayNameForm.state.values.display_name]).toEqual([
    'account',
    'display-name',
    'Mara',
  ]);
  displayNameForm.change('display_name', ' Mara L ');
  network.answer(reply({ display_name: 'Mara L' }));
  await displayNameForm.submit();
  expect(sent()).toEqual([['PUT', '/users/profile', { display_name: 'Mara L' }]]);
  expect([navigation.dialog, session.user?.display_name, accountNotice.notice?.sentence]).toEqual([
    null,
    'Mara L',
    'Display name changed.',
  ]);
  await vi.advanceTimersByTimeAsync(limits.successMessageSeconds * 1000);
  expect(accountNotice.notice).toBeNull();
});

test('a change that is answered after its form was closed leaves the next form open', async () => {
  openForm('display-name');
  displayNameForm.change('display_name', 'Mara L');
  network.answer(reply({ display_name: 'Mara L' }));
  const changed = displayNameForm.submit();
  openForm('password');
  passwordForm.change('current_password', 'north pier at dawn');
  await changed;
  expect([session.user?.display_name, accountNotice.notice?.sentence]).toEqual(['Mara L', 'Display name changed.']);
  expect([navigation.dialog, passwordForm.state.values.current_password]).toEqual(['account', 'north pier at dawn']);
});

test('an address that is taken comes back to its field', async () => {
  openForm('email');
  emailForm.change('email', 'ivo@example.com');
  emailForm.change('current_password', 'north pier at dawn');
  network.answer({
    status: 409,
    json: { error: 'conflict', message: 'Taken', details: [{ field: 'email', message: 'This email is taken' }] },
  });
  await emailForm.submit();
  expect([emailForm.state.problems.email, navigation.dialog]).toEqual(['This email is taken', 'account']);
});

test('a new password is checked as at registration, and confirmed', async () => {
  openForm('password');
  passwordForm.change('new_password', 'short');
  passwordForm.change('confirmation', 'other');
  await passwordForm.submit();
  expect(passwordForm.state.problems).toEqual({
    current_password: 'Password is required',
    new_password: 'Password must be at least 8 characters',
    confirmation: 'Passwords do not match',
  });
  expect(network.fetch).not.toHaveBeenCalled();
});

test.each([
  [
    'password',
    passwordForm,
    { new_password: 'north pier at dawn', confirmation: 'north pier at dawn' },
    { new_password: 'north pier at dawn' },
  ],
  ['address', emailForm, { email: 'mara@example.org' }, { email: 'mara@example.org' }],
  ['end', deletionForm, {}, {}],
] as const)('whoever has no password sends none for another %s', async (_, form, values, body) => {
  session.user = person('basic', { has_password: false });
  for (const [field, value] of Object.entries(values)) form.change(field as never, value);
  network.answer({ json: { user: session.user, features: session.user.features } });
  await form.submit();
  expect(sent()[0]?.[2]).toEqual(body);
});

test('another address takes the present password along', async () => {
  openForm('email');
  emailForm.change('email', 'mara@example.org');
  await emailForm.submit();
  expect([emailForm.state.problems.current_password, network.fetch.mock.calls.length]).toEqual([
    'Password is required',
    0,
  ]);
  emailForm.change('current_password', 'north pier at dawn');
  network.answer(reply({ email: 'mara@example.org' }));
  await emailForm.submit();
  expect(sent()).toEqual([
    ['PUT', '/users/profile', { email: 'mara@example.org', current_password: 'north pier at dawn' }],
  ]);
  expect(session.user?.email).toBe('mara@example.org');
});

test('a new password that is the own name is refused here already', async () => {
  passwordForm.change('current_password', 'north pier at dawn');
  passwordForm.change('new_password', 'Mara2026');
  passwordForm.change('confirmation', 'Mara2026');
  await passwordForm.submit();
  expect(passwordForm.state.problems).toEqual({ new_password: 'Password must not be your username or email' });
});

test.each([
  ['deleted', deletionForm],
  ['signed out everywhere', signingOutForm],
])('whoever is %s is signed out here', async (_, form) => {
  openForm('deletion');
  deletionForm.change('password', 'north pier at dawn');
  network.answer({ status: 204 }, nobody);
  await form.submit();
  expect([session.user, refreshToken(), navigation.dialog]).toEqual([null, null, null]);
});

test('a wrong password deletes nothing', async () => {
  openForm('deletion');
  deletionForm.change('password', 'south pier');
  network.answer({
    status: 400,
    json: {
      error: 'validation_failed',
      message: 'The password is wrong',
      details: [{ field: 'password', message: 'The password is wrong' }],
    },
  });
  await deletionForm.submit();
  expect([deletionForm.state.problems.password, session.user?.username]).toEqual(['The password is wrong', 'mara']);
});

test('a closed form keeps no password', () => {
  passwordForm.change('current_password', 'north pier at dawn');
  clearForms();
  expect(passwordForm.state.values.current_password).toBe('');
});

test('a picture that could not be removed says so', async () => {
  await removeAvatar();
  expect(accountNotice.notice).toEqual({ kind: 'danger', sentence: 'Connection error. Please try again.' });
});

/** Submits a form whose answer comes once the test gives it. */
function submitHeld(form: Pick<typeof signingOutForm, 'submit'>, answer: () => Promise<Response>) {
  let release = () => {};
  const held = new Promise<void>((resolve) => (release = resolve));
  network.fetch.mockImplementationOnce(() => held.then(answer));
  const done = form.submit();
  return async () => {
    release();
    await done;
  };
}
const emptyAnswer = async () => new Response(null, { status: 204 });

test.each([
  ['deletion', deletionForm],
  ['sign-out everywhere', signingOutForm],
])('a %s that is answered late signs out nobody who has signed in since', async (_, form) => {
  openForm('deletion');
  deletionForm.change('password', 'north pier at dawn');
  const answer = submitHeld(form, emptyAnswer);
  const olga = person('basic', { id: 'user-2', username: 'olga' });
  storeTokens(tokens(2));
  Object.assign(session, { phase: 'known', user: olga });
  await answer();
  expect([session.user?.username, refreshToken(), network.fetch.mock.calls.length]).toEqual(['olga', 'refresh-2', 1]);
});

test('a change that is answered late is told to nobody who has signed in since', async () => {
  openForm('password');
  passwordForm.change('current_password', 'north pier at dawn');
  passwordForm.change('new_password', 'south pier at dusk');
  passwordForm.change('confirmation', 'south pier at dusk');
  const answer = submitHeld(passwordForm, emptyAnswer);
  Object.assign(session, { phase: 'known', user: person('basic', { id: 'user-2' }) });
  await answer();
  expect(accountNotice.notice).toBeNull();
});

test('a change that fails after its form was closed is told over the view', async () => {
  openForm('display-name');
  displayNameForm.change('display_name', 'Mara L');
  const answer = submitHeld(displayNameForm, async () => {
    throw new TypeError('Failed to fetch');
  });
  clearForms();
  await answer();
  expect(lateFailure.sentence).toBe('Failed to change the account: Waiting for network');
  lateFailure.sentence = null;
});
