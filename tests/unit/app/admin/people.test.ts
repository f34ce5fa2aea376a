import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { deletePerson, endSessionsOf, people, personPage } from '#app/features/admin/people/people-store.ts';
import {
  detailsForm,
  leavePerson,
  newPasswordForm,
  openPerson,
  planForm,
  resetPeople,
} from '#app/features/admin/people/person-forms.ts';
import { clearTokens } from '#app/platform/http/token-store.ts';
import { resetSession, session } from '#app/state/session.ts';
import { lateFailure } from '#app/ui/messages.tsx';
import { savedStore } from '#device/saved/saved-store.ts';
import { savedRow } from '../../device/saved/saved-row.ts';
import type { FakeNetwork, FakeReply } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeBrowser } from '../state/fake-browser.ts';
import { nobody, person } from '../state/people.ts';

let network: FakeNetwork;
let close = () => {};

const mara = person('basic');
const olga = person('admin', { id: 'user-2', username: 'olga', email: 'olga@example.com' });
const lastAdmin: FakeReply = {
  status: 409,
  json: { error: 'conflict', message: 'This is the last administrator. Make somebody else one first.' },
};

beforeEach(async () => {
  vi.useFakeTimers({ now: new Date(2026, 10, 22, 12) });
  fakeBrowser();
  network = fakeNetwork();
  network.answer(pageOf(mara, olga));
  close = people.open();
  await vi.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  close();
  resetPeople();
  resetSession();
  clearTokens();
  vi.restoreAllMocks();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function pageOf(...users: object[]): FakeReply {
  return { json: { users, total: users.length, total_pages: 1, page: 1, limit: 20 } };
}

const sent = (call: number) => {
  const [address, { method, body }] = network.fetch.mock.calls[call] ?? ['', {}];
  return [method, address, body === undefined ? null : JSON.parse(String(body))];
};
const row = (id: string) => people.state.items.find((one) => one.id === id);

test('people are searched by words and filtered by tier', async () => {
  network.answer(pageOf(), pageOf(olga));
  people.typeSearch(' olg ');
  people.applySearch();
  people.filter({ tier: 'admin' });
  await vi.advanceTimersByTimeAsync(0);
  expect(sent(0)[1]).toBe('/users/admin?page=1');
  expect(sent(2)[1]).toBe('/users/admin?page=1&search=olg&tier=admin');
});

test('a plan with a last day ends with that day, and is seen at once on the page and in the list', async () => {
  openPerson('user-1');
  expect(planForm.state.values).toEqual({ tier: 'basic', end: 'never', expires_at: '' });
  planForm.change('tier', 'pro');
  planForm.change('end', 'day');
  planForm.change('expires_at', '2026-12-31');
  const end = new Date(2026, 11, 31, 23, 59, 59, 999).toISOString();
  network.answer({ json: { user: { ...mara, subscription_tier: 'pro', subscription_expires_at: end } } }, 'silent');
  const changed = planForm.submit();
  expect([row('user-1'), personPage.user]).toEqual([
    expect.objectContaining({ effective_tier: 'pro', subscription_expires_at: end }),
    expect.objectContaining({ effective_tier: 'pro', subscription_expires_at: end }),
  ]);
  await changed;
  expect(sent(1)).toEqual(['PUT', '/users/admin/user-1/subscription', { tier: 'pro', expires_at: end }]);
  expect(personPage.notice).toMatchObject({ card: 'plan', kind: 'ok', sentence: 'Plan changed.' });
  await vi.advanceTimersByTimeAsync(3_000);
  expect(personPage.notice).toBeNull();
});

test.each([
  ['30', new Date(2026, 11, 22, 23, 59, 59, 999).toISOString()],
  ['never', null],
])('a plan that ends after %s days', async (end, expiresAt) => {
  openPerson('user-1');
  planForm.change('tier', 'lifetime');
  planForm.change('end', end);
  network.answer({ json: { user: mara } }, 'silent');
  await planForm.submit();
  expect(sent(1)[2]).toEqual({ tier: 'lifetime', expires_at: expiresAt });
});

test('the free plan has no end, whatever was chosen before', async () => {
  openPerson('user-1');
  planForm.change('end', 'day');
  network.answer({ json: { user: mara } }, 'silent');
  await planForm.submit();
  expect(sent(1)[2]).toEqual({ tier: 'basic', expires_at: null });
});

test.each([
  ['', 'Choose the last day'],
  ['2026-13-40', 'Choose the last day'],
  ['2026-11-21', 'This day has passed'],
])('"%s" is no last day', async (day, sentence) => {
  openPerson('user-1');
  planForm.change('tier', 'pro');
  planForm.change('end', 'day');
  planForm.change('expires_at', day);
  await planForm.submit();
  expect([planForm.state.problems, network.fetch.mock.calls.length]).toEqual([{ expires_at: sentence }, 1]);
});

test('the last administrator stays one: the page and the list go back, and the sentence stands at the plan', async () => {
  openPerson('user-2');
  planForm.change('tier', 'pro');
  network.answer(lastAdmin);
  const refused = planForm.submit();
  expect(row('user-2')?.effective_tier).toBe('pro');
  await refused;
  expect([row('user-2')?.effective_tier, personPage.user?.effective_tier]).toEqual(['admin', 'admin']);
  expect(planForm.state.problems).toEqual({ tier: 'This is the last administrator. Make somebody else one first.' });
});

test('name and address change at once; only what was changed is sent', async () => {
  openPerson('user-1');
  detailsForm.change('display_name', ' Mara Lindqvist ');
  network.answer({ json: { user: { ...mara, display_name: 'Mara Lindqvist' } } }, 'silent');
  const saved = detailsForm.submit();
  expect(row('user-1')?.display_name).toBe('Mara Lindqvist');
  await saved;
  expect(sent(1)).toEqual(['PUT', '/users/admin/user-1', { display_name: 'Mara Lindqvist' }]);

  detailsForm.change('email', 'olga@example.com');
  const taken = { field: 'email', message: 'This email is taken' };
  network.answer({ status: 409, json: { error: 'conflict', message: taken.message, details: [taken] } });
  await detailsForm.submit();
  expect([detailsForm.state.problems, personPage.user?.email]).toEqual([
    { email: 'This email is taken' },
    'mara@example.com',
  ]);
  expect(sent(3)).toEqual(['PUT', '/users/admin/user-1', { email: 'olga@example.com' }]);

  detailsForm.change('email', 'mara@example.com');
  detailsForm.change('display_name', '');
  network.answer({ json: { user: mara } }, 'silent');
  await detailsForm.submit();
  expect(sent(5)[2]).toEqual({ display_name: null });
});

test('a new password follows the rule, is sent, and is not kept', async () => {
  openPerson('user-1');
  newPasswordForm.change('new_password', 'short');
  await newPasswordForm.submit();
  expect(newPasswordForm.state.problems).toEqual({ new_password: 'Password must be at least 8 characters' });
  newPasswordForm.change('new_password', 'mara1234');
  await newPasswordForm.submit();
  expect(newPasswordForm.state.problems).toEqual({ new_password: 'Password must not be your username or email' });
  newPasswordForm.change('new_password', 'north pier at dawn');
  network.answer({ json: { user: mara } }, 'silent');
  await newPasswordForm.submit();
  expect(sent(1)).toEqual(['PUT', '/users/admin/user-1', { new_password: 'north pier at dawn' }]);
  expect([newPasswordForm.state.values.new_password, personPage.notice?.sentence]).toEqual([
    '',
    'Password set. They are signed out everywhere.',
  ]);
});

test.each([
  ['a plan', () => planForm.submit(), { json: { user: mara } }],
  ['a name', () => detailsForm.submit(), { json: { user: mara } }],
  ['ended sessions', () => endSessionsOf(mara), { status: 204 }],
  ['a refused deletion', () => deletePerson(mara), lastAdmin],
])("the late answer to %s is not told of on another person's page", async (_, act, reply) => {
  openPerson('user-1');
  network.answer(reply, 'silent');
  const acted = act();
  openPerson('user-2');
  await acted;
  expect([personPage.user?.id, personPage.notice]).toEqual(['user-2', null]);
});

test('what was typed is gone with the page', () => {
  openPerson('user-1');
  newPasswordForm.change('new_password', 'north pier at dawn');
  resetPeople();
  expect([personPage.user, newPasswordForm.state.values.new_password]).toEqual([null, '']);
});

test('all sessions of somebody end', async () => {
  openPerson('user-1');
  network.answer({ status: 204 });
  await endSessionsOf(mara);
  expect(sent(1)).toEqual(['DELETE', '/users/admin/user-1/sessions', null]);
  expect(personPage.notice).toMatchObject({ card: 'account', sentence: 'All sessions ended.' });
});

test("ending one's own sessions signs out here", async () => {
  Object.assign(session, { phase: 'known', user: olga });
  openPerson('user-2');
  network.answer({ status: 204 }, nobody);
  await endSessionsOf(olga);
  expect(session.user).toBeNull();
});

test('saved videos leave the device of an administrator who ends their own sessions', async () => {
  Object.assign(session, { phase: 'known', user: olga });
  openPerson('user-2');
  vi.spyOn(savedStore, 'list').mockResolvedValue([savedRow({ userId: 'user-2' })]);
  const remove = vi.spyOn(savedStore, 'remove').mockResolvedValue();
  network.answer({ status: 204 }, nobody);
  await endSessionsOf(olga);
  expect(remove).toHaveBeenCalledWith(['s1']);
});

test('a deleted account leaves the list at once, and its page with the answer', async () => {
  openPerson('user-1');
  network.answer({ status: 204 }, pageOf(olga));
  const deleted = deletePerson(mara);
  expect([row('user-1'), personPage.user?.id]).toEqual([undefined, 'user-1']);
  await deleted;
  expect([row('user-1'), personPage.user]).toEqual([undefined, null]);
});

test.each<[string, FakeReply | 'away', string]>([
  ['the last administrator', lastAdmin, 'This is the last administrator. Make somebody else one first.'],
  ['nobody, without a network', 'away', 'Connection error. Please try again.'],
])('%s is deleted: the row comes back with the sentence', async (_, reply, sentence) => {
  openPerson('user-2');
  network.answer(reply);
  await deletePerson(olga);
  expect([row('user-2')?.id, personPage.user?.id]).toEqual(['user-2', 'user-2']);
  expect(personPage.notice).toEqual({ card: 'account', kind: 'danger', sentence });
});

test('an account that another administrator has deleted already is gone', async () => {
  openPerson('user-1');
  network.answer({ status: 404, json: { error: 'not_found', message: 'There is no such user.' } }, pageOf(olga));
  await deletePerson(mara);
  expect([row('user-1'), personPage.user, personPage.notice]).toEqual([undefined, null, null]);
});

test.each([
  ['a deletion', () => deletePerson(mara)],
  ['a change', () => planForm.submit()],
])('%s that is refused after the page was left is told over the view', async (_, act) => {
  openPerson('user-1');
  network.answer(lastAdmin);
  const acting = act();
  leavePerson();
  await acting;
  expect([row('user-1')?.id, lateFailure.sentence]).toEqual([
    'user-1',
    'Failed to change the account: This is the last administrator. Make somebody else one first.',
  ]);
  lateFailure.sentence = null;
});
