import { networkInterfaces } from 'node:os';
import { describe, expect, test } from 'vitest';
import { invitationListSchema, invitationOfferSchema } from '#contract/entities/account.ts';
import { limits } from '#contract/limits.ts';
import { tiers } from '#contract/rules/tiers.ts';
import { originForOthers } from '#server/http/local-names.ts';
import { readTables } from '#tests/support/database/read-tables.ts';
import { createInvitation } from '#tests/support/invitations.ts';
import { password, personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const dayMs = 86_400_000;
const minuteMs = 60_000;
const clock = settableClock();
const server = await startServer({ env: { REGISTRATION: 'closed' }, overrides: { clock } }, afterFile);
await putAccount(server, 'keeper', 'admin');

/** Time passes here, and tokens run out. */
const keeper = async () => personOf(await signIn(server, 'keeper')).headers;
const create = async (tier?: 'basic' | 'pro' | 'lifetime') => createInvitation(server, await keeper(), tier);
const revoke = async (id: string) =>
  server.call('DELETE', `/users/admin/invitations/${id}`, { headers: await keeper() });
const list = async () =>
  invitationListSchema.parse((await server.get('/users/admin/invitations', await keeper())).json()).invitations;

function open(invitation: unknown, remoteAddress = '127.0.0.1') {
  return server.call('POST', '/auth/invitation', { payload: { invitation }, remoteAddress });
}

function register(username: string, invitation?: string, on: ServerUnderTest = server, more: object = {}) {
  const payload = { username, email: `${username}@example.com`, password, ...more };
  return on.call('POST', '/auth/register', { payload: { ...payload, ...(invitation && { invitation }) } });
}

function said(reply: { statusCode: number; json(): { error: string; message: string } }) {
  return [reply.statusCode, reply.json().error, reply.json().message];
}

const invalid = (why: string) => [403, 'invitation_invalid', `This invitation ${why}. Please ask for another one.`];

describe('an invitation', () => {
  test('lets one person in where registration is closed, with its plan, without an end, and nobody after them', async () => {
    const { id, token, expires_at } = await create('pro');
    expect(Date.parse(expires_at)).toBe(clock.now() + limits.invitationDays * dayMs);
    expect(invitationOfferSchema.parse((await open(token)).json())).toEqual({ tier: 'pro', expires_at });
    const reply = await register('guest', token);
    expect([reply.statusCode, reply.json().user]).toMatchObject([
      201,
      { subscription_tier: 'pro', effective_tier: 'pro', subscription_expires_at: null },
    ]);
    expect(said(await register('late', token))).toEqual(invalid('has been used already'));
    expect(said(await open(token))).toEqual(invalid('has been used already'));
    expect((await list()).find((one) => one.id === id)).toMatchObject({
      tier: 'pro',
      created_by: 'keeper',
      used_by: 'guest',
      used_at: new Date(clock.now()).toISOString(),
    });
    expect((await signIn(server, 'late')).statusCode).toBe(401);
  });

  test('that has expired, was revoked, or never was, is refused in words that say which', async () => {
    const [old, revoked] = [await create(), await create()];
    await revoke(revoked.id);
    expect(said(await open(revoked.token))).toEqual(invalid('was revoked'));
    clock.pass(limits.invitationDays * dayMs - 1);
    expect((await open(old.token)).statusCode).toBe(200);
    clock.pass(1);
    for (const act of [open, (token: string) => register('nobody', token)]) {
      expect(said(await act(old.token))).toEqual(invalid('has expired'));
      expect(said(await act(revoked.token))).toEqual(invalid('was revoked'));
      expect(said(await act('made-up'))).toEqual(invalid('is not known here'));
    }
    expect(said(await register('nobody'))).toEqual([
      403,
      'registration_closed',
      'New accounts cannot be created here.',
    ]);
  });

  test('that several use at the same moment lets one of them in', async () => {
    const { token } = await create('lifetime');
    const names = ['first', 'second', 'third'];
    const replies = await Promise.all(names.map((name) => register(name, token)));
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([201, 403, 403]);
    for (const reply of replies.filter(({ statusCode }) => statusCode === 403))
      expect(said(reply)).toEqual(invalid('has been used already'));
    const rows = await server.services.database.reader
      .selectFrom('users')
      .select('tier')
      .where('username', 'in', names)
      .execute();
    expect(rows).toEqual([{ tier: 'lifetime' }]);
  });

  test('stays good when the account could not be made', async () => {
    const { token } = await create();
    expect(said(await register('keeper', token))).toEqual([409, 'conflict', 'This username is already taken']);
    expect((await register('careful', token, server, { password: 'short' })).statusCode).toBe(400);
    const twice = await Promise.all([create(), create()].map(async (one) => register('twin', (await one).token)));
    expect(twice.map(({ statusCode }) => statusCode).sort()).toEqual([201, 409]);
    const isOpen = (one: { used_at: string | null; expires_at: string }) =>
      one.used_at === null && Date.parse(one.expires_at) > clock.now();
    expect((await list()).filter(isOpen)).toHaveLength(2);
    expect((await register('careful', token)).statusCode).toBe(201);
  });

  test('gives its plan where everybody may register, and is not passed over when it is not good', async () => {
    const anybody = await startServer();
    const { headers } = await putPerson(anybody, 'host', 'admin');
    const { token } = await createInvitation(anybody, headers, 'pro');
    expect((await register('invited', token, anybody)).json().user.effective_tier).toBe('pro');
    expect(said(await register('other', token, anybody))).toEqual(invalid('has been used already'));
    expect((await register('other', undefined, anybody)).json().user.effective_tier).toBe('basic');
  });

  test('does not take the place of the set-up code', async () => {
    const fresh = await startServer({ env: { REGISTRATION: 'closed' } });
    const without = await register('first', 'made-up', fresh);
    expect([without.statusCode, without.json().details[0].field]).toEqual([400, 'setup_code']);
    const setup_code = fresh.services.accounts.setup.current();
    expect(said(await register('first', 'made-up', fresh, { setup_code }))).toEqual(invalid('is not known here'));
    expect((await register('first', undefined, fresh, { setup_code })).json().user.effective_tier).toBe('admin');
  });

  test('is asked about thirty times from one address', async () => {
    const { token } = await create();
    const statuses: number[] = [];
    for (let tries = 0; tries <= 30; tries += 1) statuses.push((await open('guess', '198.51.100.9')).statusCode);
    expect(new Set(statuses.slice(0, 30))).toEqual(new Set([403]));
    expect(statuses[30]).toBe(429);
    expect((await open(token, '198.51.100.9')).statusCode).toBe(429);
    expect((await open(token, '198.51.100.10')).statusCode).toBe(200);
  });

  test.each([[undefined], [7], [['a']], ['a'.repeat(limits.textCharacters + 1)]])(
    'cannot be %j',
    async (invitation) => {
      expect((await open(invitation)).json().error).toBe('validation_failed');
    },
  );

  test('goes to the way of providers by a cookie that nothing else is sent, and scripts cannot read', async () => {
    const { token } = await create();
    const reply = await open(token);
    expect(String(reply.headers['set-cookie'])).toBe(
      `invitation=${token}; Max-Age=3600; Path=/auth/oauth; HttpOnly; SameSite=Lax`,
    );
    expect((await open('made-up')).headers['set-cookie']).toBeUndefined();
    const registered = await register('by-password', token);
    expect(registered.cookies).toContainEqual(
      expect.objectContaining({ name: 'invitation', value: '', path: '/auth/oauth' }),
    );
  });
});

describe('an administrator', () => {
  test('gives any plan but their own', async () => {
    const headers = await keeper();
    for (const tier of tiers) {
      const { statusCode } = await server.call('POST', '/users/admin/invitations', { headers, payload: { tier } });
      expect([tier, statusCode]).toEqual([tier, tier === 'admin' ? 400 : 201]);
    }
    const plain = await server.call('POST', '/users/admin/invitations', { headers, payload: {} });
    expect((await list()).find(({ id }) => id === plain.json().id)?.tier).toBe('basic');
  });

  test('gets a link by the address that they came by, or one that other devices can open', async () => {
    const linkFrom = async (host: string) => {
      const headers = { ...(await keeper()), host };
      return (await server.call('POST', '/users/admin/invitations', { headers, payload: {} })).json().url;
    };
    expect(await linkFrom('nas.local:4400')).toMatch(/^http:\/\/nas\.local:4400\/\?invitation=[\w-]{24}$/);
    const listening = { host: server.services.env.host, interfaces: networkInterfaces(), names: null };
    const origin = originForOthers('http://localhost:4400', listening) ?? 'http://localhost:4400';
    expect(await linkFrom('localhost:4400')).toContain(`${origin}/?invitation=`);
    const named = await startServer({ env: { PUBLIC_URL: 'https://videos.example.org' } });
    const { headers } = await putPerson(named, 'host', 'admin');
    expect((await createInvitation(named, headers)).url).toContain('https://videos.example.org/?invitation=');
  });

  test('sees what is open and what was used or has expired lately, the newest first, and what was revoked no more', async () => {
    const before = (await list()).map(({ id }) => id);
    const [old, revoked] = [await create(), await create()];
    clock.pass(limits.invitationDays * dayMs);
    const used = await create();
    await register('shown', used.token);
    clock.pass(1);
    const fresh = await create();
    await revoke(revoked.id);
    const added = (await list()).filter(({ id }) => !before.includes(id));
    expect(added.map(({ id }) => id)).toEqual([fresh.id, used.id, old.id]);
  });

  test('sees people by the names that they are shown with, and no more of whoever has gone', async () => {
    const { token, id } = await create();
    const guest = personOf(await register('renamed', token));
    await server.call('PUT', '/users/profile', { headers: guest.headers, payload: { display_name: 'Rena' } });
    const usedBy = async () => (await list()).find((one) => one.id === id)?.used_by;
    expect(await usedBy()).toBe('Rena');
    await server.call('DELETE', '/users/profile', { headers: guest.headers, payload: { password } });
    expect(await usedBy()).toBeNull();
    expect(said(await open(token))).toEqual(invalid('has been used already'));
  });

  test('revokes what is open, as often as they like, but not what was used', async () => {
    const [unused, used] = [await create(), await create()];
    for (let times = 0; times < 2; times += 1) expect((await revoke(unused.id)).statusCode).toBe(204);
    await register('quicker', used.token);
    expect(said(await revoke(used.id))).toEqual([409, 'conflict', 'Somebody has used this invitation already.']);
    expect(said(await revoke('none'))).toEqual([404, 'not_found', 'This invitation does not exist.']);
  });

  test('has at most a hundred open at once', async () => {
    const anybody = await startServer();
    const { id, headers } = await putPerson(anybody, 'host', 'admin');
    const now = anybody.services.clock.now();
    const row = (number: number) => ({
      id: `id-${number}`,
      token_hash: `hash-${number}`,
      tier: 'basic' as const,
      created_by: id,
      created_at: now,
      expires_at: now + dayMs,
      used_at: number === 0 ? now : null,
      used_by: null,
      revoked_at: number === 1 ? now : null,
    });
    const rows = Array.from({ length: limits.openInvitations + 1 }, (_, number) => row(number));
    await anybody.services.database.write((transaction) =>
      transaction.insertInto('invitations').values(rows).execute(),
    );
    const again = () => anybody.call('POST', '/users/admin/invitations', { headers, payload: {} });
    const replies = await Promise.all([again(), again()]);
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([201, 429]);
    expect(said(await again())).toEqual([
      429,
      'rate_limited',
      'At most 100 invitations can be open at once. Revoke one first.',
    ]);
    await anybody.call('DELETE', '/users/admin/invitations/id-2', { headers });
    expect((await again()).statusCode).toBe(201);
  });
});

test('the token of an invitation stands in no line of the log and nowhere in the database', async () => {
  const { token } = await create('pro');
  await server.get(`/?invitation=${token}`, { referer: `http://localhost/?invitation=${token}` });
  await open(token);
  const headers = { 'idempotency-key': 'once-and-again', referer: `http://localhost/?invitation=${token}` };
  const payload = { username: 'discreet', email: 'discreet@example.com', password, invitation: token };
  const first = await server.call('POST', '/auth/register', { headers, payload });
  const again = await server.call('POST', '/auth/register', { headers, payload });
  expect([first.statusCode, again.statusCode]).toEqual([201, 201]);
  await register('discreet-2', token);
  await open(token);
  expect(server.logged()).toContain('audit: registered');
  expect(server.logged()).not.toContain(token);
  const stored = await readTables(server.services.database);
  expect(stored).toContain('discreet');
  expect(stored).not.toContain(token);
});

test('the audit trail names the invitation of whoever registers, and who was refused', async () => {
  const { id, token } = await create();
  const guest = personOf(await register('traced', token));
  expect(server.logged()).toContain(`user=${guest.id} tier=basic invitation=${id}`);
  await open(token, '192.0.2.80');
  expect(server.logged()).toMatch(
    /audit: invitation_refused address=192\.0\.2\.80 request=\S+ reason=invitation_invalid/,
  );
});

test('invitations are removed thirty days after they have expired or were revoked', async () => {
  const { accounts, database } = server.services;
  const kept = async () =>
    (await database.reader.selectFrom('invitations').select('id').execute()).map((row) => row.id);
  const sweep = async () => {
    accounts.startSweeping();
    await accounts.stopSweeping();
  };
  const [old, revoked] = [await create(), await create()];
  await revoke(revoked.id);
  clock.pass(30 * dayMs);
  await sweep();
  expect(await kept()).toEqual(expect.arrayContaining([old.id, revoked.id]));
  // The time of the sweeps moves once a minute.
  clock.pass(minuteMs);
  await sweep();
  expect(await kept()).not.toContain(revoked.id);
  clock.pass(limits.invitationDays * dayMs - 2 * minuteMs);
  await sweep();
  expect(await kept()).toContain(old.id);
  clock.pass(2 * minuteMs);
  await sweep();
  expect(await kept()).toEqual([]);
});
