import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import {
  chooseTier,
  invitationMaker,
  invitations,
  isOpen,
  makeInvitation,
  resetInvitations,
  revoke,
} from '#app/features/admin/invitations-section.tsx';
import type { FakeNetwork, FakeReply } from '../platform/fake-network.ts';
import { fakeNetwork } from '../platform/fake-network.ts';
import { fakeBrowser } from '../state/fake-browser.ts';

let network: FakeNetwork;
let close = () => {};

const link = { id: 'i-1', url: 'http://localhost/?invitation=secret', expires_at: '2026-11-29T12:00:00.000Z' };

beforeEach(async () => {
  vi.useFakeTimers({ now: new Date('2026-11-22T12:00:00.000Z') });
  fakeBrowser();
  network = fakeNetwork();
  network.answer(listOf('i-1', 'i-2'));
  close = invitations.open();
  await vi.advanceTimersByTimeAsync(0);
});

afterEach(() => {
  close();
  resetInvitations();
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

function listOf(...ids: string[]): FakeReply {
  const made = {
    tier: 'pro',
    created_at: '2026-11-22T12:00:00.000Z',
    created_by: 'olga',
    used_at: null,
    used_by: null,
  };
  return {
    json: { invitations: ids.map((id) => ({ id, ...made, expires_at: link.expires_at })), usual_tier: 'basic' },
  };
}

const shown = () => invitations.state.items.map(({ id }) => id);

test('a link is made for the chosen plan and shown, and the list is read again', async () => {
  chooseTier('pro');
  network.answer({ status: 201, json: link }, listOf('i-1', 'i-2', 'i-3'));
  await makeInvitation();
  await vi.advanceTimersByTimeAsync(0);
  expect(JSON.parse(String(network.fetch.mock.calls[1]?.[1].body))).toEqual({ tier: 'pro' });
  expect([invitationMaker.link, shown()]).toEqual([{ ...link, tier: 'pro' }, ['i-1', 'i-2', 'i-3']]);
});

test('one at a time is made', async () => {
  network.answer('silent');
  void makeInvitation();
  await makeInvitation();
  expect(network.fetch).toHaveBeenCalledTimes(2);
});

test('a link that could not be made says why', async () => {
  network.answer({ status: 429, json: { error: 'rate_limited', message: 'At most 100 invitations can be open' } });
  await makeInvitation();
  expect(invitationMaker).toMatchObject({
    link: null,
    isBusy: false,
    refusal: 'At most 100 invitations can be open',
  });
});

test('a revoked one leaves the list at once, and its link with the answer', async () => {
  invitationMaker.link = { ...link, tier: 'pro' };
  network.answer({ status: 204 }, listOf('i-2'));
  const revoked = revoke('i-1');
  expect(shown()).toEqual(['i-2']);
  await revoked;
  expect([shown(), invitationMaker.link]).toEqual([['i-2'], null]);
});

test('one that could not be revoked comes back with the sentence', async () => {
  network.answer({ status: 500, json: { error: 'internal', message: 'That did not work' } });
  await revoke('i-1');
  expect([shown(), invitationMaker.refusal]).toEqual([['i-1', 'i-2'], 'That did not work']);
});

test('one that is not there any more counts as revoked', async () => {
  network.answer({ status: 404, json: { error: 'not_found', message: 'There is no such invitation.' } }, listOf('i-2'));
  await revoke('i-1');
  expect([shown(), invitationMaker.refusal]).toEqual([['i-2'], null]);
});

test('a link that comes after the section was left is not shown at the next visit', async () => {
  network.answer({ json: link }, listOf('i-1'));
  const making = makeInvitation();
  resetInvitations();
  await making;
  expect([invitationMaker.link, invitationMaker.isBusy]).toEqual([null, false]);
});

test('the link is gone when the section is left', () => {
  invitationMaker.link = { ...link, tier: 'pro' };
  resetInvitations();
  expect(invitationMaker.link).toBeNull();
});

test('more than a page of them are shown in pages', async () => {
  network.answer(listOf(...Array.from({ length: 21 }, (_, at) => `i-${at}`)));
  await invitations.reload();
  expect([shown().length, invitations.state.lastPage]).toEqual([20, 2]);
});

test.each([
  ['unused and in time', { used_at: null, expires_at: '2026-11-22T12:00:01.000Z' }, true],
  ['used', { used_at: '2026-11-22T11:00:00.000Z', expires_at: '2026-11-29T12:00:00.000Z' }, false],
  ['too old', { used_at: null, expires_at: '2026-11-22T12:00:00.000Z' }, false],
])('one that is %s', (_, invitation, isStillOpen) => {
  expect(isOpen(invitation)).toBe(isStillOpen);
});
