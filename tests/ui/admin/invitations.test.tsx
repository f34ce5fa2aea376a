import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { InvitationsSection } from '#app/features/admin/invitations-section.tsx';
import { recovered } from '#app/platform/link.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import { resetNavigation } from '#app/state/navigation.ts';
import type { Invitation } from '#contract/entities/account.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKeys } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import { fakeServer } from './fake-server.ts';

const link = { id: 'new', url: 'http://localhost/?invitation=secret', expires_at: '2099-11-29T12:00:00.000Z' };

let invitations: Invitation[];
let routes: Parameters<typeof fakeServer>[0];

withRemote(watchRemote);

beforeEach(() => {
  invitations = [];
  routes = {
    'GET /users/admin/invitations': () => ({ json: { invitations, usual_tier: 'basic' } }),
    'POST /users/admin/invitations': () => ({ status: 201, json: link }),
    'DELETE /users/admin/invitations/open': () => {
      invitations = invitations.filter(({ id }) => id !== 'open');
      return { status: 204 };
    },
  };
  fakeServer(routes);
});

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

const invitation = (id: string, facts: Partial<Invitation> = {}): Invitation => ({
  id,
  tier: 'pro',
  created_at: '2026-11-20T12:00:00.000Z',
  created_by: 'olga',
  expires_at: '2099-11-27T12:00:00.000Z',
  used_at: null,
  used_by: null,
  ...facts,
});

const drawInvitations = async () => {
  const screen = await draw(<InvitationsSection />);
  await settle();
  return screen;
};
const text = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
const make = async () => {
  await press('Make a Link');
  await settle();
};

test('without any it says what will be listed', async () => {
  await drawInvitations();
  expect(document.body.textContent).toContain('No invitations yet. A link that you make is listed here.');
});

test('a link is made by keys and shown to scan and to copy, with how long it works', async () => {
  const writeText = vi.fn(async () => {});
  vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue({ writeText } as unknown as Clipboard);
  await drawInvitations();
  await settle(() => button('Make a Link').focus());
  await pressKeys('Enter');
  await settle();
  expect(document.querySelector('[role="img"]')?.getAttribute('aria-label')).toBe('QR code of the invitation');
  expect(document.body.textContent).toContain(link.url);
  expect(document.body.textContent).toMatch(
    /Works once, until .*2099.* Plan: Basic \(Free\)\. It is shown this once\./,
  );
  expect(focusedName()).toBe('Copy link');
  await pressKeys('Enter');
  await settle();
  expect(writeText).toHaveBeenCalledWith(link.url);
  expect(text('[role="status"]')).toContain('Link copied.');
  await press('Done');
  expect(document.body.textContent).not.toContain(link.url);
});

test.each([
  [true, 'Link copied.'],
  [false, 'The link could not be copied. Select it and copy it yourself.'],
])(
  'without a clipboard the link is selected, and copied by a command if it can be (%s)',
  async (isCopied, sentence) => {
    vi.spyOn(navigator, 'clipboard', 'get').mockReturnValue(undefined as unknown as Clipboard);
    const command = vi.fn(() => isCopied);
    Object.assign(document, { execCommand: command });
    await drawInvitations();
    await make();
    await press('Copy link');
    await settle();
    expect([command.mock.calls, getSelection()?.toString()]).toEqual([[['copy']], link.url]);
    expect(text('[role="status"]')).toContain(sentence);
  },
);

test('where the device can share it is shared', async () => {
  const share = vi.fn(async () => {});
  vi.stubGlobal('navigator', Object.assign(Object.create(navigator), { share }));
  await drawInvitations();
  await make();
  await press('Share');
  expect(share).toHaveBeenCalledWith({ url: link.url });
});

test('a link that could not be made says why', async () => {
  routes['POST /users/admin/invitations'] = () => ({
    status: 429,
    json: { error: 'rate_limited', message: 'At most 100 invitations can be open' },
  });
  await drawInvitations();
  await make();
  expect(text('[role="status"]')).toContain('At most 100 invitations can be open');
});

test('the list says which are open, used and expired; only an open one can be revoked', async () => {
  invitations = [
    invitation('open'),
    invitation('used', { used_at: '2026-11-21T12:00:00.000Z', used_by: 'Mara Lindqvist' }),
    invitation('gone', { used_at: '2026-11-21T12:00:00.000Z', created_by: null }),
    invitation('old', { expires_at: '2020-11-21T12:00:00.000Z' }),
  ];
  await drawInvitations();
  const states = text('tbody td:nth-child(2)');
  expect(states[0]).toMatch(/^Open until .*2099/);
  expect(states[1]).toMatch(/^Used by Mara Lindqvist on .*2026/);
  expect(states[2]).toMatch(/^Used by a deleted account on .*2026/);
  expect(states[3]).toMatch(/^Expired on .*2020/);
  expect(text('tbody td:nth-child(4)')).toEqual(['olga', 'olga', 'A deleted account', 'olga']);
  expect(document.querySelectorAll('tbody button')).toHaveLength(1);
});

test('an invitation is revoked after a question', async () => {
  invitations = [invitation('open')];
  await drawInvitations();
  await settle(() => document.querySelector<HTMLElement>('tbody button')?.click());
  expect(text('[role="alertdialog"] p')).toEqual([
    'Are you sure you want to revoke this invitation? Its link stops working.',
  ]);
  await press('Revoke');
  await settle();
  await settle();
  expect(document.body.textContent).toContain('No invitations yet.');
});

test('a failed load says so, and tries again', async () => {
  const load = routes['GET /users/admin/invitations'];
  routes['GET /users/admin/invitations'] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
  await drawInvitations();
  expect(text('[role="alert"]')).toEqual(['Failed to load invitations: InternalRetry']);
  routes['GET /users/admin/invitations'] = load;
  await press('Retry');
  await settle();
  expect(document.body.textContent).toContain('No invitations yet.');
});

test('without a network it waits, and comes by itself; nothing can be made', async () => {
  const load = routes['GET /users/admin/invitations'];
  routes['GET /users/admin/invitations'] = undefined;
  await drawInvitations();
  await settle(() => {
    connection.isReachable = false;
  });
  expect(document.body.textContent).toContain('Waiting for network');
  expect([button('Make a Link').disabled, document.body.textContent?.includes('Needs a connection')]).toEqual([
    true,
    true,
  ]);
  routes['GET /users/admin/invitations'] = load;
  await settle(() => recovered.emit());
  await settle();
  expect(document.body.textContent).toContain('No invitations yet.');
});
