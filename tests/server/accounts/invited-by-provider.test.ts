import { describe, expect, test } from 'vitest';
import { readTables } from '#tests/support/database/read-tables.ts';
import { createInvitation } from '#tests/support/invitations.ts';
import { putPerson } from '#tests/support/people.ts';
import { openIdClient, openIdServer } from '#tests/support/providers/openid-server.ts';
import { cookiesOf, errorOf, messageOf } from '#tests/support/providers/provider-page.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const publicUrl = 'https://videos.example.org';
const openId = await openIdServer(`${publicUrl}/auth/oauth/oidc/callback`, afterFile);
const env = {
  REGISTRATION: 'closed',
  TRUST_PROXY: 'on',
  PUBLIC_URL: publicUrl,
  OIDC_ISSUER: openId.issuer,
  OIDC_CLIENT_ID: openIdClient.clientId,
  OIDC_CLIENT_SECRET: openIdClient.clientSecret,
};
const server = await startServer({ env }, afterFile);
const { headers } = await putPerson(server, 'keeper', 'admin');

type Cookies = Record<string, string>;

async function openInvitation(token: string, more: Record<string, string> = {}) {
  return server.call('POST', '/auth/invitation', { payload: { invitation: token }, headers: more });
}

async function leave(login: string, cookies: Cookies, more: Record<string, string> = {}) {
  openId.people.set(login, { email: `${login}@example.net`, email_verified: true, preferred_username: login });
  const left = await server.call('GET', '/auth/oauth/oidc/login', { cookies, headers: more });
  const start = String(left.headers.location);
  return { start, callback: await openId.signIn(start, login), cookies: { ...cookies, ...cookiesOf(left) } };
}

function comeBack({ callback, cookies }: Pick<Awaited<ReturnType<typeof leave>>, 'callback' | 'cookies'>) {
  return server.call('GET', `${callback.pathname}${callback.search}`, { cookies });
}

async function stateOf(id: string) {
  const row = await server.services.database.reader
    .selectFrom('invitations')
    .leftJoin('users', 'users.id', 'invitations.used_by')
    .select(['users.username', 'users.tier'])
    .where('invitations.id', '=', id)
    .executeTakeFirstOrThrow();
  return row.username === null ? 'open' : row;
}

function isCleared(reply: Awaited<ReturnType<typeof comeBack>>): boolean {
  return reply.cookies.some(({ name, value, path }) => name === 'invitation' && value === '' && path === '/auth/oauth');
}

describe('an invitation', () => {
  test('lets somebody in by a provider where registration is closed, with its plan, and stands in no address', async () => {
    const { id, token } = await createInvitation(server, headers, 'pro');
    const left = await leave('guest', cookiesOf(await openInvitation(token)));
    expect(await readTables(server.services.database)).not.toContain(token);
    const reply = await comeBack(left);
    expect(messageOf(reply)).toMatchObject({
      type: 'OAUTH_SUCCESS',
      user: { username: 'guest', effective_tier: 'pro', subscription_expires_at: null },
    });
    expect(await stateOf(id)).toEqual({ username: 'guest', tier: 'pro' });
    expect(isCleared(reply)).toBe(true);
    for (const place of [left.start, left.callback.href, reply.body, server.logged()])
      expect(place).not.toContain(token);
    const [used, created] = (await server.get('/api/admin/activity', headers)).json().activities;
    expect(created).toMatchObject({ kind: 'account_created', actor: 'guest', detail: 'oidc' });
    expect(used).toMatchObject({ kind: 'invitation_used', actor: 'guest', subject: 'keeper', detail: 'pro' });
  });

  test('that two bring back from a provider at the same moment lets one of them in', async () => {
    const { token } = await createInvitation(server, headers);
    const cookies = cookiesOf(await openInvitation(token));
    const visits = [await leave('twin-1', cookies), await leave('twin-2', cookies)];
    const replies = await Promise.all(visits.map(comeBack));
    expect(replies.map(errorOf).sort()).toEqual(['invitation_invalid', null]);
    const rows = await server.services.database.reader
      .selectFrom('users')
      .select('id')
      .where('username', 'like', 'twin-%')
      .execute();
    expect(rows).toHaveLength(1);
  });

  test('that was revoked meanwhile lets nobody in, and does not stand in the way of the next visit', async () => {
    const { id, token } = await createInvitation(server, headers);
    const left = await leave('too-late', cookiesOf(await openInvitation(token)));
    await server.call('DELETE', `/users/admin/invitations/${id}`, { headers });
    const reply = await comeBack(left);
    expect([reply.statusCode, errorOf(reply), isCleared(reply)]).toEqual([400, 'invitation_invalid', true]);
    expect(errorOf(await comeBack(await leave('too-late', {})))).toBe('registration_closed');
  });

  test('is not used up by somebody who has an account already', async () => {
    const [first, second] = [await createInvitation(server, headers), await createInvitation(server, headers)];
    await comeBack(await leave('resident', cookiesOf(await openInvitation(first.token))));
    const reply = await comeBack(await leave('resident', cookiesOf(await openInvitation(second.token))));
    expect(messageOf(reply).type).toBe('OAUTH_SUCCESS');
    expect(await stateOf(second.id)).toBe('open');
  });

  test('goes over TLS in a cookie that is sent over TLS alone', async () => {
    const { token } = await createInvitation(server, headers, 'lifetime');
    const overTls = { 'x-forwarded-proto': 'https', 'x-forwarded-for': '192.0.2.7' };
    const reply = await openInvitation(token, overTls);
    expect(reply.headers['set-cookie']).toBe(
      `__Secure-invitation=${token}; Max-Age=3600; Path=/auth/oauth; HttpOnly; Secure; SameSite=Lax`,
    );
    const { callback, cookies } = await leave('abroad', cookiesOf(reply), overTls);
    const back = await server.call('GET', `${callback.pathname}${callback.search}`, { cookies, headers: overTls });
    expect(messageOf(back)).toMatchObject({ user: { effective_tier: 'lifetime' } });
  });
});
