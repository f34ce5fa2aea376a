import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { PeopleSection } from '#app/features/admin/people/people-section.tsx';
import { recovered } from '#app/platform/link.ts';
import { watchRemote } from '#app/shell/remote.ts';
import { connection } from '#app/state/connection.ts';
import { navigation, resetNavigation } from '#app/state/navigation.ts';
import { resetSession, session } from '#app/state/session.ts';
import type { User } from '#contract/entities/user.ts';
import { person } from '#tests/unit/app/state/people.ts';
import { button, draw, press, settle } from '../draw.tsx';
import { focusedName, pressKey, pressKeys, type } from '../keys.ts';
import { withRemote } from '../with-remote.ts';
import { fakeServer } from './fake-server.ts';

const lastAdmin = 'This is the last administrator. Make somebody else one first.';
const until = '2099-12-31T12:00:00.000Z';

let users: User[];
let routes: Parameters<typeof fakeServer>[0];
let server: ReturnType<typeof fakeServer>;

withRemote(watchRemote);

beforeEach(() => {
  users = [
    person('basic', { display_name: 'Mara Lindqvist' }),
    person('admin', { id: 'user-2', username: 'olga', email: 'olga@example.com' }),
    person('pro', { id: 'user-3', username: 'pia', email: 'pia@example.com', subscription_expires_at: until }),
    person('pro', {
      id: 'user-4',
      username: 'rolf',
      email: 'rolf@example.com',
      effective_tier: 'basic',
      subscription_expires_at: '2020-12-31T12:00:00.000Z',
    }),
  ];
  routes = {
    'GET /users/admin': () => ({ json: { users, total: users.length, total_pages: 1, page: 1, limit: 20 } }),
    'PUT /users/admin/user-1': (body) => ({ json: { user: { ...users[0], ...(body as object) } } }),
    'DELETE /users/admin/user-1/sessions': () => ({ status: 204 }),
    'DELETE /users/admin/user-1': () => {
      users = users.slice(1);
      return { status: 204 };
    },
    'PUT /users/admin/user-2/subscription': () => ({ status: 409, json: { error: 'conflict', message: lastAdmin } }),
  };
  server = fakeServer(routes);
  Object.assign(session, { phase: 'known', user: users[1], features: users[1]?.features });
});

afterEach(async () => {
  await settle(() => {
    resetNavigation();
    resetSession();
    connection.isReachable = true;
  });
  vi.unstubAllGlobals();
});

const drawPeople = async () => {
  const screen = await draw(<PeopleSection />);
  await settle();
  return screen;
};
const text = (selector: string) => [...document.querySelectorAll(selector)].map((one) => one.textContent);
const dialog = () => document.querySelector('[role="alertdialog"]');
const openPerson = async (name: string) => {
  await press(name);
  await settle();
};
/** How the row of somebody reads: the initial stands before the name. */
const mara = 'MMara Lindqvist';
const olga = 'OolgaYou';

test('everybody has a row with name, address and plan, its end included; the own one is marked', async () => {
  await drawPeople();
  expect(text('tbody th')).toEqual([mara, olga, 'Ppia', 'Rrolf']);
  const cells = text('tbody td');
  expect(cells).toContain('pia@example.com');
  expect(cells.find((cell) => cell?.startsWith('ProUntil'))).toContain('2099');
  expect(cells.find((cell) => cell?.startsWith('Basic (Free)Pro until'))).toContain('2020');
});

test('they are searched with Enter and filtered by plan, and nobody found is said', async () => {
  await drawPeople();
  users = [];
  document.querySelector<HTMLInputElement>('[role="search"] input')?.focus();
  await type('zoe');
  await pressKey('Enter');
  expect(server.calls.slice(-1)).toEqual(['GET /users/admin?page=1&search=zoe']);
  expect(text('h2')).toEqual(['No users found']);
  expect(document.body.textContent).toContain('Nobody matches the search and the plan.');
});

test('a failed load says so, and tries again', async () => {
  const load = routes['GET /users/admin'];
  routes['GET /users/admin'] = () => ({ status: 500, json: { error: 'internal', message: 'Internal' } });
  await drawPeople();
  expect(text('[role="alert"]')).toEqual(['Failed to load people: InternalRetry']);
  routes['GET /users/admin'] = load;
  await press('Retry');
  await settle();
  expect(text('tbody th')).toHaveLength(4);
});

test('without a network it waits, and comes by itself', async () => {
  const load = routes['GET /users/admin'];
  routes['GET /users/admin'] = undefined;
  await drawPeople();
  expect(document.body.textContent).toContain('Waiting for network');
  routes['GET /users/admin'] = load;
  await settle(() => recovered.emit());
  await settle();
  expect(text('tbody th')).toHaveLength(4);
});

test('with a remote a person is opened, and Back leads to their row again', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawPeople();
  await settle(() => button(olga).focus());
  await pressKey('ArrowDown');
  expect(focusedName()).toBe('Ppia');
  await pressKey('Enter');
  expect(text('h2')[0]).toBe('pia');
  expect(focusedName()).toBe('Plan');
  await pressKey('Escape');
  expect([text('tbody th').length, focusedName()]).toEqual([4, 'Ppia']);
});

test('the last administrator is refused at the plan, which gets the focus', async () => {
  document.documentElement.dataset.form = 'tv';
  await drawPeople();
  await openPerson(olga);
  await pressKeys('Enter', 'ArrowUp', 'Enter');
  await press('Change Plan');
  await settle();
  expect(text('[role="alert"]')).toEqual([lastAdmin]);
  await vi.waitFor(() => expect(focusedName()).toBe('Plan'));
  expect(document.getElementById(document.activeElement?.getAttribute('aria-describedby') ?? '')?.textContent).toBe(
    lastAdmin,
  );
  expect(document.querySelector('h2')?.parentElement?.textContent).toContain('Admin');
});

test('a new password is set after the rule, with its consequence beside it', async () => {
  await drawPeople();
  await openPerson(mara);
  expect(document.body.textContent).toContain('They are signed out everywhere, and sign in with the new one.');
  await settle(() => document.querySelector<HTMLInputElement>('input[type="password"]')?.focus());
  await type('short');
  await press('Set Password');
  expect(text('[role="alert"]')).toEqual(['Password must be at least 8 characters']);
  await type('north pier at dawn');
  await settle(() => document.querySelector<HTMLInputElement>('input[type="password"]')?.form?.requestSubmit());
  await settle();
  expect(document.body.textContent).toContain('Password set. They are signed out everywhere.');
});

test('sessions end after a question', async () => {
  await drawPeople();
  await openPerson(mara);
  await press('End All Sessions');
  expect(dialog()?.querySelector('p')?.textContent).toBe(
    'Are you sure you want to sign Mara Lindqvist out everywhere?',
  );
  expect(focusedName()).toBe('Cancel');
  await settle(() => [...(dialog()?.querySelectorAll('button') ?? [])][1]?.click());
  await settle();
  expect([dialog(), document.body.textContent?.includes('All sessions ended.')]).toEqual([null, true]);
});

test('an account is deleted after a question, and the list is shown without it', async () => {
  await drawPeople();
  await openPerson(mara);
  await press('Delete Account');
  expect(dialog()?.querySelector('p')?.textContent).toBe(
    'Are you sure you want to delete the account of Mara Lindqvist? Their uploads stay, without an owner. This action cannot be undone.',
  );
  await settle(() => [...(dialog()?.querySelectorAll('button') ?? [])][1]?.click());
  await settle();
  await settle();
  expect(text('tbody th')).toEqual([olga, 'Ppia', 'Rrolf']);
});

test('the own password is changed in Profile, which asks for the present one', async () => {
  await drawPeople();
  await openPerson(olga);
  expect(document.querySelector('input[type="password"]')).toBeNull();
  await press('Profile');
  expect(navigation.view).toBe('profile');
});

test('the own address is changed and the own account deleted in Profile, which asks for the password', async () => {
  await drawPeople();
  await openPerson(olga);
  expect(document.querySelector<HTMLInputElement>('input[type="email"]')?.disabled).toBe(true);
  expect(text('button')).not.toContain('Delete Account');
  for (const sentence of ['You change your own address in Profile.', 'You delete your own account in Profile.'])
    expect(document.body.textContent).toContain(sentence);
});

test('without a network nothing can be sent, and that is said', async () => {
  await drawPeople();
  await openPerson(mara);
  await settle(() => {
    connection.isReachable = false;
  });
  expect(document.body.textContent).toContain('Needs a connection');
  for (const name of ['Change Plan', 'Save', 'Set Password', 'End All Sessions', 'Delete Account'])
    expect(button(name).disabled).toBe(true);
});
