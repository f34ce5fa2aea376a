import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  endOneSession,
  identities,
  loadIdentities,
  loadSessions,
  providerRowsOf,
  resetIdentities,
  resetSessions,
  sessions,
  unlink,
} from '#app/features/profile/sign-ins-store.ts';
import { session as current, resetSession } from '#app/state/session.ts';
import type { FakeNetwork } from '../../platform/fake-network.ts';
import { fakeNetwork } from '../../platform/fake-network.ts';
import { fakeBrowser } from '../../state/fake-browser.ts';
import { person } from '../../state/people.ts';

const session = (id: string, current = false) => ({
  id,
  current,
  device: 'Firefox on Linux',
  created_at: '',
  last_used_at: '',
});
const two = { json: { sessions: [session('one', true), session('two')] } };
const guild = { provider: 'guild', email: 'olga@example.com', linked_at: '' };

let network: FakeNetwork;

beforeEach(() => {
  fakeBrowser();
  network = fakeNetwork();
});

afterEach(() => {
  resetSessions();
  resetIdentities();
  vi.unstubAllGlobals();
});

const listed = () => sessions.list?.map(({ id }) => id);

test('a device that is signed out leaves the list, also when it was gone already', async () => {
  network.answer(two, { status: 204 });
  await loadSessions();
  await endOneSession('two');
  expect([listed(), sessions.refusal, sessions.ending]).toEqual([['one'], null, []]);
  network.answer(two, { status: 404, json: { error: 'not_found', message: 'Not found' } });
  await loadSessions();
  await endOneSession('two');
  expect([listed(), sessions.refusal]).toEqual([['one'], null]);
});

test('a device that could not be signed out stays, and the list says why', async () => {
  network.answer(two);
  await loadSessions();
  await endOneSession('two');
  expect([listed(), sessions.refusal, sessions.ending]).toEqual([
    ['one', 'two'],
    'Connection error. Please try again.',
    [],
  ]);
});

test('a list that arrives after its owner has left belongs to nobody', async () => {
  network.answer(two);
  const loading = loadSessions();
  resetSessions();
  await loading;
  expect([sessions.list, sessions.hasFailed]).toEqual([null, false]);
});

test('lists that cannot be read have failed, unless there is one of before', async () => {
  await loadSessions();
  await loadIdentities();
  expect([sessions.hasFailed, identities.hasFailed]).toEqual([true, true]);
  network.answer(two);
  await loadSessions();
  await loadSessions();
  expect([listed()?.length, sessions.hasFailed]).toEqual([2, false]);
});

test('the last way in stays, in the words of the server', async () => {
  const message = 'This is your only way to sign in. Set a password first.';
  network.answer({ status: 409, json: { error: 'conflict', message } }, { json: { identities: [guild] } });
  await unlink('guild');
  expect([identities.refusal, identities.linked?.length, identities.unlinking]).toEqual([message, 1, null]);
});

test('there is a row for what is offered and for what is linked, once', () => {
  const offered = [
    { name: 'guild', display_name: 'Guild', login_url: '' },
    { name: 'github', display_name: 'GitHub', login_url: '' },
  ];
  const rows = providerRowsOf(offered, [guild, { ...guild, provider: 'gone' }]);
  expect(rows.map(({ label, linked }) => [label, linked !== null])).toEqual([
    ['Guild', true],
    ['GitHub', false],
    ['gone', true],
  ]);
});

test('a provider that was unlinked in another tab counts as unlinked', async () => {
  network.answer({ status: 404, json: { error: 'not_found', message: 'Not found' } }, { json: { identities: [] } });
  await unlink('guild');
  expect([identities.linked, identities.refusal, identities.unlinking]).toEqual([[], null, null]);
});

test('a refusal is not told to somebody who has signed in since', async () => {
  Object.assign(current, { phase: 'known', user: person() });
  network.answer(two);
  await loadSessions();
  const [ending, unlinking] = [endOneSession('two'), unlink('guild')];
  Object.assign(current, { user: person('basic', { id: 'user-2' }) });
  await Promise.all([ending, unlinking]);
  expect([sessions.refusal, identities.refusal]).toEqual([null, null]);
  resetSession();
});
