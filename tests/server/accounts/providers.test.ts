import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { LightMyRequestResponse } from 'fastify';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { identityListSchema, linkTicketSchema, providerListSchema } from '#contract/entities/account.ts';
import { systemClock } from '#server/clock.ts';
import { providerRepository } from '#server/features/auth/providers/provider-repository.ts';
import { userChangeRepository } from '#server/features/users/user-change-repository.ts';
import { openLocalCertificate } from '#server/tls/local-certificate.ts';
import type { Person } from '#tests/support/people.ts';
import { password, personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { oauthClient, oauthServer } from '#tests/support/providers/oauth-server.ts';
import { openIdClient, openIdServer } from '#tests/support/providers/openid-server.ts';
import { cookiesOf, errorOf, messageOf } from '#tests/support/providers/provider-page.ts';
import { hostWith } from '#tests/support/secure-host.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const publicUrl = 'https://videos.example.org';
const openId = await openIdServer(`${publicUrl}/auth/oauth/oidc/callback`, afterFile);
const github = await oauthServer(
  { authorization: '/login/oauth/authorize', token: '/login/oauth/access_token', person: '/user' },
  afterFile,
);
const discord = await oauthServer(
  { authorization: '/oauth2/authorize', token: '/api/oauth2/token', person: '/api/users/@me' },
  afterFile,
);

const env = {
  PUBLIC_URL: publicUrl,
  OIDC_ISSUER: openId.issuer,
  OIDC_CLIENT_ID: openIdClient.clientId,
  OIDC_CLIENT_SECRET: openIdClient.clientSecret,
  OIDC_NAME: 'Our sign-on',
  GITHUB_CLIENT_ID: oauthClient.clientId,
  GITHUB_CLIENT_SECRET: oauthClient.clientSecret,
  DISCORD_CLIENT_ID: oauthClient.clientId,
  DISCORD_CLIENT_SECRET: oauthClient.clientSecret,
};
const server = await startServer(
  { env, overrides: { accounts: { oauthAddresses: { github: github.addresses, discord: discord.addresses } } } },
  afterFile,
);
await putAccount(server, 'keeper', 'admin');

type Cookies = Record<string, string>;

/** The first half, in a browser of its own. */
async function leave(provider: string, query = '', cookies: Cookies = {}, headers: Record<string, string> = {}) {
  const reply = await server.call('GET', `/auth/oauth/${provider}/login${query}`, { cookies, headers });
  return {
    reply,
    cookies: { ...cookies, ...cookiesOf(reply) },
    start: new URL(String(reply.headers.location ?? 'about:blank')),
  };
}

function comeBack(callback: URL, cookies: Cookies) {
  return server.call('GET', `${callback.pathname}${callback.search}`, { cookies });
}

function userOf(reply: LightMyRequestResponse) {
  const message = messageOf(reply);
  if (message.type === 'OAUTH_ERROR') throw new Error(message.error);
  return {
    ...message.user,
    headers: { authorization: `Bearer ${message.tokens.access_token}` },
    tokens: message.tokens,
  };
}

/** A ticket for linking, as the app fetches it. */
async function ticketFor({ headers }: Pick<Person, 'headers'>, provider = 'oidc'): Promise<string> {
  return linkTicketSchema.parse((await server.call('POST', `/auth/oauth/${provider}/link-ticket`, { headers })).json())
    .ticket;
}

async function linkingQuery(person: Pick<Person, 'headers'>): Promise<string> {
  return `?link=1&ticket=${await ticketFor(person)}`;
}

async function visitOpenId(login: string, query = '', cookies: Cookies = {}) {
  const left = await leave('oidc', query, cookies);
  return comeBack(await openId.signIn(left.start.href, login), left.cookies);
}

async function identitiesOf(headers: Record<string, string>) {
  return identityListSchema.parse((await server.get('/auth/identities', headers)).json()).identities;
}

test('the providers that the operator has set up are listed, and none without any', async () => {
  const { providers } = providerListSchema.parse((await server.get('/auth/oauth/providers')).json());
  expect(providers).toEqual([
    { name: 'github', display_name: 'GitHub', login_url: '/auth/oauth/github/login' },
    { name: 'discord', display_name: 'Discord', login_url: '/auth/oauth/discord/login' },
    { name: 'oidc', display_name: 'Our sign-on', login_url: '/auth/oauth/oidc/login' },
  ]);
  const bare = await startServer();
  expect((await bare.get('/auth/oauth/providers')).json()).toEqual({ providers: [] });
});

describe('an OpenID Connect provider', () => {
  test('is asked with state, nonce and PKCE, and to come back to the configured address, whatever name the request came by', async () => {
    const { reply, start } = await leave('oidc', '', {}, { host: 'nas.local', 'x-forwarded-host': 'evil.example' });
    expect(reply.statusCode).toBe(302);
    expect(start.origin).toBe(openId.issuer);
    const asked = Object.fromEntries(start.searchParams);
    expect(asked).toMatchObject({
      response_type: 'code',
      client_id: 'fourfold',
      redirect_uri: `${publicUrl}/auth/oauth/oidc/callback`,
      code_challenge_method: 'S256',
    });
    for (const name of ['state', 'nonce', 'code_challenge']) expect(asked[name]?.length).toBeGreaterThanOrEqual(22);
    expect(String(reply.headers['set-cookie'])).toMatch(
      /visit=[\w-]{24}; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax/,
    );
  });

  test('lets somebody in who comes for the first time, and knows them the second time whatever their address is by then', async () => {
    openId.people.set('ida', {
      email: 'Ida@example.net',
      email_verified: true,
      name: 'Ida B',
      preferred_username: 'ida.b',
    });
    const first = await visitOpenId('ida');
    const user = userOf(first);
    expect(user).toMatchObject({
      username: 'ida-b',
      display_name: 'Ida B',
      email: 'Ida@example.net',
      effective_tier: 'basic',
    });
    expect((await server.get('/auth/me', user.headers)).statusCode).toBe(200);
    expect(String(first.headers['set-cookie'])).toContain('session=');
    expect(await identitiesOf(user.headers)).toMatchObject([{ provider: 'oidc', email: 'Ida@example.net' }]);

    openId.people.set('ida', { email: 'elsewhere@example.net', email_verified: false });
    expect(userOf(await visitOpenId('ida')).id).toBe(user.id);
  });

  test('answers with a page that speaks to the own origin alone, and leaves nothing in addresses or caches', async () => {
    openId.people.set('eve', {
      email: 'eve@example.net',
      email_verified: true,
      name: '</script><script>alert(1)</script>',
    });
    const reply = await visitOpenId('eve');
    expect(reply.statusCode).toBe(200);
    expect(reply.body).not.toContain('<script>alert');
    expect(reply.body).toContain('postMessage(message, location.origin)');
    expect(reply.body).not.toMatch(/postMessage\([^)]*'\*'/);
    expect(userOf(reply).display_name).toBe('</script><script>alert(1)</script>');
    const policy = String(reply.headers['content-security-policy']);
    expect(policy).toMatch(/default-src 'none'; script-src 'nonce-[\w-]{24}'/);
    expect(reply.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin-allow-popups',
    });
    expect(server.logged()).not.toContain(userOf(reply).tokens.refresh_token);
  });

  test('comes back to the app itself where a popup cannot work', async () => {
    openId.people.set('tv', { email: 'tv@example.net', email_verified: true });
    expect((await visitOpenId('tv', '?display=page')).body).toContain('<body data-display="page">');
    expect((await visitOpenId('tv')).body).toContain('<body data-display="popup">');
    const left = await leave('oidc', '?display=page');
    const lost = await comeBack(await openId.signIn(left.start.href, 'tv'), {});
    expect([errorOf(lost), lost.body.includes('<a href="/">Back to Fourfold</a>')]).toEqual(['oauth_state', true]);
    expect((await leave('oidc', '?display=//evil.example')).reply.statusCode).toBe(400);
  });

  test.each([
    ['without a state', (url: URL) => url.searchParams.delete('state')],
    ['with another state', (url: URL) => url.searchParams.set('state', 'x'.repeat(24))],
  ])('is not believed %s', async (_, change) => {
    openId.people.set('mal', { email: 'mal@example.net', email_verified: true });
    const left = await leave('oidc');
    const callback = await openId.signIn(left.start.href, 'mal');
    change(callback);
    const reply = await comeBack(callback, left.cookies);
    expect([reply.statusCode, errorOf(reply)]).toEqual([400, 'oauth_state']);
  });

  test('is not believed in another browser, nor a second time, nor at another provider', async () => {
    const left = await leave('oidc');
    const callback = await openId.signIn(left.start.href, 'mal');
    expect(errorOf(await comeBack(callback, {}))).toBe('oauth_state');
    const other = await leave('oidc');
    expect(errorOf(await comeBack(callback, other.cookies))).toBe('oauth_state');
    const elsewhere = new URL(callback);
    elsewhere.pathname = '/auth/oauth/github/callback';
    expect(errorOf(await comeBack(elsewhere, left.cookies))).toBe('oauth_state');
    expect(userOf(await comeBack(callback, left.cookies)).email).toBe('mal@example.net');
    expect(errorOf(await comeBack(callback, left.cookies))).toBe('oauth_state');
    const next = await leave('oidc');
    callback.searchParams.set('state', next.start.searchParams.get('state') ?? '');
    expect(errorOf(await comeBack(callback, next.cookies))).toBe('oauth_failed');
  });

  test.each([
    ['another issuer', (url: URL) => url.searchParams.set('iss', 'https://evil.example'), 'oauth_failed'],
    ['another code', (url: URL) => url.searchParams.set('code', 'forged'), 'oauth_failed'],
    ['a refusal', (url: URL) => refuse(url, 'access_denied'), 'access_denied'],
    ['an error with markup', (url: URL) => refuse(url, '<img src=x onerror=alert(1)>'), 'oauth_failed'],
  ])('that comes back with %s lets nobody in', async (_, change, error) => {
    const left = await leave('oidc');
    const callback = await openId.signIn(left.start.href, 'mal');
    change(callback);
    const reply = await comeBack(callback, left.cookies);
    expect([reply.statusCode, errorOf(reply)]).toEqual([400, error]);
    expect(reply.body).not.toContain('onerror');
  });

  test.each([
    [
      'whose signature is another key’s',
      { claims: { email: 'mal@example.net', email_verified: true }, isForged: true },
    ],
    ['without a subject', { claims: { sub: '', email: 'mal@example.net', email_verified: true }, isForged: false }],
    ['with a blank subject', { claims: { sub: ' ', email: 'mal@example.net', email_verified: true }, isForged: false }],
    [
      'with an endless subject',
      { claims: { sub: 'x'.repeat(256), email: 'mal@example.net', email_verified: true }, isForged: false },
    ],
    ['from the future', { claims: { iat: Math.floor(Date.now() / 1_000) + 300 }, isForged: false }],
    ['for somebody else', { claims: { aud: 'another client' }, isForged: false }],
  ])('with an id token %s lets nobody in', async (_, lie) => {
    openId.people.set('mal', { email: 'mal@example.net', email_verified: true });
    const left = await leave('oidc');
    const callback = await openId.signIn(left.start.href, 'mal');
    openId.lie = lie;
    const reply = await comeBack(callback, left.cookies);
    openId.lie = null;
    expect([reply.statusCode, errorOf(reply)]).toEqual([400, 'oauth_failed']);
  });

  test('with an id token that is written anew and rightly signed lets somebody in', async () => {
    openId.people.set('signed', { email: 'signed@example.net', email_verified: true });
    const left = await leave('oidc');
    const callback = await openId.signIn(left.start.href, 'signed');
    openId.lie = { claims: {}, isForged: false };
    const reply = await comeBack(callback, left.cookies);
    openId.lie = null;
    expect(userOf(reply).email).toBe('signed@example.net');
  });

  test('that sends names with characters that are not seen has them cleaned, and such an address is none', async () => {
    openId.people.set('veiled', {
      email: 'veiled@example.net',
      email_verified: true,
      name: ' Ma\u202Era\u200B ',
      preferred_username: 've\u200Biled',
    });
    expect(userOf(await visitOpenId('veiled'))).toMatchObject({
      display_name: 'Mara',
      username: 'veiled',
      email: 'veiled@example.net',
    });
    for (const email of [
      'shr\u200Bouded@example.net',
      '\u202Eshrouded@example.net',
      'shrouded',
      'shrouded@example.net\n',
    ]) {
      openId.people.set('shrouded', { email, email_verified: true });
      const reply = await visitOpenId('shrouded');
      if (email.endsWith('\n')) expect(userOf(reply).email).toBe('shrouded@example.net');
      else expect(errorOf(reply)).toBe('email_unverified');
    }
  });

  test('that does not answer is said to be away, and asked again the next time', async () => {
    const away = await startServer({ env: { ...env, OIDC_ISSUER: 'http://127.0.0.1:9' } });
    const reply = await away.get('/auth/oauth/oidc/login');
    expect([reply.statusCode, errorOf(reply)]).toEqual([502, 'provider_unavailable']);
    const left = await leave('oidc');
    const callback = await openId.signIn(left.start.href, 'mal');
    openId.isBroken = true;
    const broken = await comeBack(callback, left.cookies);
    openId.isBroken = false;
    expect([broken.statusCode, errorOf(broken)]).toEqual([502, 'provider_unavailable']);
    expect(userOf(await visitOpenId('mal')).email).toBe('mal@example.net');
  });
});

test('a visit that is refused ends with a page, which speaks to the app and leads back to it', async () => {
  const open = (path: string, remoteAddress: string) =>
    server.call('GET', path, { headers: { accept: 'text/html,*/*;q=0.8' }, remoteAddress });
  const replies = [];
  for (let times = 0; times <= 30; times += 1)
    replies.push(await open('/auth/oauth/oidc/login?display=page', '198.51.100.77'));
  replies.push(
    await open('/auth/oauth/none/login', '198.51.100.78'),
    await open('/auth/oauth/none/callback', '198.51.100.78'),
  );
  const refused = replies.slice(-3);
  expect(refused.map((reply) => [reply.statusCode, errorOf(reply)])).toEqual([
    [429, 'rate_limited'],
    [404, 'not_found'],
    [404, 'not_found'],
  ]);
  for (const reply of refused) {
    expect(reply.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-store' });
    expect(reply.body).toContain('<a href="/">Back to Fourfold</a>');
  }
  expect(refused.map(({ body }) => /data-display="(\w+)"/.exec(body)?.[1])).toEqual(['page', 'popup', 'popup']);
  expect(Number(refused[0]?.headers['retry-after'])).toBeGreaterThan(0);
});

test('a provider whose certificate nobody vouches for is not spoken to', async () => {
  const local = await openLocalCertificate({
    folder: temporaryFolder(),
    clock: systemClock,
    readHost: () => hostWith(),
    addedNames: [],
  });
  const asked: string[] = [];
  const secure = createServer(local.current(), (request, response) => {
    asked.push(request.url ?? '');
    response.end('{}');
  });
  onTestFinished(() => void secure.close());
  await new Promise<void>((resolve) => secure.listen(0, '127.0.0.1', resolve));
  const { port } = secure.address() as AddressInfo;
  const broken = await startServer({ env: { ...env, OIDC_ISSUER: `https://127.0.0.1:${port}` } });
  const reply = await broken.get('/auth/oauth/oidc/login');
  expect([reply.statusCode, errorOf(reply), asked]).toEqual([502, 'provider_unavailable', []]);
});

test.each(['none', '..%2Foidc', 'OIDC'])('the provider %j does not exist', async (name) => {
  for (const part of ['login', 'callback']) {
    const reply = await server.get(`/auth/oauth/${name}/${part}`);
    expect([reply.statusCode, reply.json().error]).toEqual([404, 'not_found']);
  }
});

describe('an account that is there already', () => {
  test('with a password is not opened by an address: its owner signs in, then links', async () => {
    const person = await putPerson(server, 'owner');
    const signedIn = await signIn(server, 'owner');
    const session = cookiesOf(signedIn);
    openId.people.set('owner', { email: 'OWNER@example.com', email_verified: true });
    expect(errorOf(await visitOpenId('owner'))).toBe('account_exists');

    expect(userOf(await visitOpenId('owner', await linkingQuery(personOf(signedIn)), session)).id).toBe(person.id);
    expect(await identitiesOf(person.headers)).toMatchObject([{ provider: 'oidc' }]);
    expect(userOf(await visitOpenId('owner')).id).toBe(person.id);
  });

  test('without one is opened by another provider’s word for its address, if a provider vouched for it before', async () => {
    openId.people.set('two', { email: 'two@example.net', email_verified: true });
    const user = userOf(await visitOpenId('two'));
    discord.replies['/api/users/@me'] = {
      body: { id: '80351110224678912', username: 'two', email: 'two@example.net', verified: true },
    };
    const left = await leave('discord');
    expect(userOf(await comeBack(discord.agree(left.start), left.cookies)).id).toBe(user.id);
    expect((await identitiesOf(user.headers)).map((identity) => identity.provider).sort()).toEqual(['discord', 'oidc']);
  });

  test('is not opened by an address that looks or compares alike and is not the same', async () => {
    openId.people.set('fiona', { email: 'fiona@example.net', email_verified: true });
    const fiona = userOf(await visitOpenId('fiona'));
    for (const [number, email] of [
      '\uFB01ona@example.net',
      '\uFF46iona@example.net',
      'fiona@\uFF45xample.net',
    ].entries()) {
      discord.replies['/api/users/@me'] = {
        body: { id: `9035111022467891${number}`, username: 'thief', email, verified: true },
      };
      const left = await leave('discord');
      expect(errorOf(await comeBack(discord.agree(left.start), left.cookies))).toBe('account_exists');
    }
    await server.call('PUT', '/users/profile', { headers: fiona.headers, payload: { email: '\uFB01ona@example.net' } });
    discord.replies['/api/users/@me'] = {
      body: { id: '90351110224678917', username: 'thief', email: '\uFB01ona@example.net', verified: true },
    };
    const left = await leave('discord');
    expect(errorOf(await comeBack(discord.agree(left.start), left.cookies))).toBe('account_exists');
    expect(
      (await server.call('PUT', '/users/profile', { headers: fiona.headers, payload: { email: 'Fiona@example.net' } }))
        .statusCode,
    ).toBe(200);
  });

  test('is not opened by an address that its holder has only typed', async () => {
    openId.people.set('squatter', { email: 'squatter@example.net', email_verified: true });
    const squatter = userOf(await visitOpenId('squatter'));
    await server.call('PUT', '/users/profile', { headers: squatter.headers, payload: { email: 'victim@example.net' } });
    openId.people.set('victim', { email: 'victim@example.net', email_verified: true });
    expect(errorOf(await visitOpenId('victim'))).toBe('account_exists');
  });

  test.each([{ email_verified: false }, { email: undefined }, {}])(
    'or any account is not made from an address that nobody vouches for: %j',
    async (facts) => {
      openId.people.set('vague', { email: 'vague@example.net', ...facts } as never);
      expect(errorOf(await visitOpenId('vague'))).toBe('email_unverified');
    },
  );
});

describe('linking', () => {
  async function putLinker(name: string) {
    await putAccount(server, name);
    const reply = await signIn(server, name);
    return { person: personOf(reply), session: cookiesOf(reply) };
  }

  test('is for those who are signed in, and not for pages of other sites', async () => {
    const reply = (await leave('oidc', '?link=1')).reply;
    expect([reply.statusCode, reply.json().error]).toEqual([401, 'unauthorized']);
    expect((await server.call('POST', '/auth/oauth/oidc/link-ticket')).statusCode).toBe(401);
    const { person, session } = await putLinker('linker');
    expect((await leave('oidc', '?link=1', session)).reply.statusCode).toBe(401);
    const query = await linkingQuery(person);
    expect((await leave('oidc', query, session, { 'sec-fetch-site': 'cross-site' })).reply.statusCode).toBe(403);
    expect((await leave('oidc', query, session, { 'sec-fetch-site': 'same-origin' })).reply.statusCode).toBe(302);
    expect((await server.call('POST', '/auth/oauth/none/link-ticket', { headers: person.headers })).statusCode).toBe(
      404,
    );
  });

  test('takes a ticket once, for its provider, in the browser that fetched it, and keeps none as it is', async () => {
    const { person, session } = await putLinker('linker-2');
    const other = await putLinker('linker-3');
    const refused = async (query: string, cookies: Cookies) => {
      const { reply } = await leave('oidc', query, cookies);
      return [reply.statusCode, errorOf(reply)];
    };
    const query = await linkingQuery(person);
    const rows = await server.services.database.reader.selectFrom('link_tickets').selectAll().execute();
    expect(JSON.stringify(rows)).not.toContain(query.split('ticket=')[1]);
    expect((await leave('oidc', query, session)).reply.statusCode).toBe(302);
    expect(await refused(query, session)).toEqual([400, 'oauth_state']);
    expect(await refused('?link=1&ticket=guessed', session)).toEqual([400, 'oauth_state']);
    expect(await refused(await linkingQuery(person), {})).toEqual([400, 'oauth_state']);
    expect(await refused(await linkingQuery(person), { session: 'forged.1.x' })).toEqual([400, 'oauth_state']);
    expect(await refused(await linkingQuery(person), other.session)).toEqual([400, 'oauth_state']);
    expect(await refused(`?link=1&ticket=${await ticketFor(person, 'github')}`, session)).toEqual([400, 'oauth_state']);
    expect((await leave('oidc', `?link=1&ticket=${person.accessToken}`, session)).reply.statusCode).toBe(400);
  });

  test('takes a ticket within a minute', async () => {
    const clock = settableClock();
    const own = await startServer({ env, overrides: { clock } });
    await putAccount(own, 'slow', 'admin');
    const reply = await signIn(own, 'slow');
    const statuses: number[] = [];
    for (const ms of [59_000, 60_000]) {
      const { ticket } = (
        await own.call('POST', '/auth/oauth/oidc/link-ticket', { headers: personOf(reply).headers })
      ).json();
      clock.pass(ms);
      statuses.push(
        (await own.call('GET', `/auth/oauth/oidc/login?link=1&ticket=${ticket}`, { cookies: cookiesOf(reply) }))
          .statusCode,
      );
    }
    expect(statuses).toEqual([302, 400]);
  });

  test('cannot take what opens somebody else’s account', async () => {
    openId.people.set('shared', { email: 'shared@example.net', email_verified: true });
    const first = userOf(await visitOpenId('shared'));
    const { person, session } = await putLinker('second');
    expect(errorOf(await visitOpenId('shared', await linkingQuery(person), session))).toBe('already_linked');
    expect(userOf(await visitOpenId('shared')).id).toBe(first.id);
  });

  test('ends with the session that began it', async () => {
    const { person, session } = await putLinker('hasty');
    const left = await leave('oidc', await linkingQuery(person), session);
    openId.people.set('hasty', { email: 'hasty@example.com', email_verified: true });
    const callback = await openId.signIn(left.start.href, 'hasty');
    await server.call('POST', '/auth/logout-all', { headers: person.headers });
    expect(errorOf(await comeBack(callback, left.cookies))).toBe('oauth_state');
  });

  test('ends with that session up to its last step', async () => {
    const { person, session } = await putLinker('hastier');
    const left = await leave('oidc', await linkingQuery(person), session);
    openId.people.set('hastier', { email: 'hastier@example.com', email_verified: true });
    const callback = await openId.signIn(left.start.href, 'hastier');
    const { database } = server.services;
    const write = database.write.bind(database);
    const endSessions = () => write((transaction) => userChangeRepository.deleteSessions(transaction, person.id));
    let writes = 0;
    const spy = vi.spyOn(database, 'write').mockImplementation(async (work) => {
      // The first one claims the visit, which would end with its session, too.
      if (writes > 0) await endSessions();
      writes += 1;
      return write(work);
    });
    onTestFinished(() => spy.mockRestore());
    expect(errorOf(await comeBack(callback, left.cookies))).toBe('oauth_state');
    expect(await providerRepository.listIdentities(database.reader, person.id)).toEqual([]);
  });

  test('can be undone, but for the last way in', async () => {
    const { headers } = userOf(await visitOpenId('two'));
    const unlink = (provider: string) => server.call('DELETE', `/auth/identities/${provider}`, { headers });
    expect((await unlink('github')).statusCode).toBe(404);
    expect((await unlink('discord')).statusCode).toBe(204);
    const last = await unlink('oidc');
    expect([last.statusCode, last.json().error]).toEqual([409, 'conflict']);
    const owner = personOf(await signIn(server, 'owner', { payload: { password } }));
    expect((await server.call('DELETE', '/auth/identities/oidc', { headers: owner.headers })).statusCode).toBe(204);
  });
});

describe('somebody without a password', () => {
  const setPassword = (headers: Record<string, string>) =>
    server.call('POST', '/auth/change-password', {
      headers,
      payload: { current_password: 'none', new_password: 'one at last' },
    });

  test('sets one, or deletes the account, right after coming from the provider', async () => {
    openId.people.set('bare', { email: 'bare@example.net', email_verified: true });
    const user = userOf(await visitOpenId('bare'));
    expect((await setPassword(user.headers)).statusCode).toBe(204);
    expect((await signIn(server, 'bare', { payload: { password: 'one at last' } })).statusCode).toBe(200);
    openId.people.set('gone', { email: 'gone@example.net', email_verified: true });
    const other = userOf(await visitOpenId('gone'));
    expect(
      (await server.call('DELETE', '/users/profile', { headers: other.headers, payload: { password: 'none' } }))
        .statusCode,
    ).toBe(204);
    expect(userOf(await visitOpenId('gone')).id).not.toBe(other.id);
  });

  test('has to come from there again later: a token alone does not prove it', async () => {
    openId.people.set('late-bare', { email: 'late-bare@example.net', email_verified: true });
    const user = userOf(await visitOpenId('late-bare'));
    await server.services.database.write((transaction) =>
      transaction
        .updateTable('sessions')
        .set({ created_at: Date.now() - 601_000 })
        .where('user_id', '=', user.id)
        .execute(),
    );
    const reply = await setPassword(user.headers);
    expect([reply.statusCode, reply.json().error]).toEqual([403, 'forbidden']);
    const moved = await server.call('PUT', '/users/profile', {
      headers: user.headers,
      payload: { email: 'elsewhere-bare@example.net' },
    });
    expect([moved.statusCode, moved.json().error]).toEqual([403, 'forbidden']);
    expect(
      (await server.call('PUT', '/users/profile', { headers: user.headers, payload: { display_name: 'Late' } }))
        .statusCode,
    ).toBe(200);
  });

  test('shows it by linking the same provider once more, in the session that asks; another’s shows nothing', async () => {
    openId.people.set('proving', { email: 'proving@example.net', email_verified: true });
    const reply = await visitOpenId('proving');
    const user = userOf(reply);
    expect(user.has_password).toBe(false);
    await server.services.database.write((transaction) =>
      transaction
        .updateTable('sessions')
        .set({ created_at: Date.now() - 601_000 })
        .where('user_id', '=', user.id)
        .execute(),
    );
    openId.people.set('stranger', { email: 'stranger@example.net', email_verified: true });
    await visitOpenId('stranger');
    expect(errorOf(await visitOpenId('stranger', await linkingQuery(user), cookiesOf(reply)))).toBe('already_linked');
    expect((await setPassword(user.headers)).statusCode).toBe(403);
    expect(userOf(await visitOpenId('proving', await linkingQuery(user), cookiesOf(reply))).id).toBe(user.id);
    expect((await server.get('/auth/sessions', user.headers)).json().sessions).toHaveLength(1);
    const moved = await server.call('PUT', '/users/profile', {
      headers: user.headers,
      payload: { email: 'proven@example.net' },
    });
    expect(moved.json().user).toMatchObject({ email: 'proven@example.net', has_password: false });
    expect((await setPassword(user.headers)).statusCode).toBe(204);
    expect((await server.get('/auth/me', user.headers)).json().user.has_password).toBe(true);
    expect((await setPassword(user.headers)).json().details).toEqual([
      { field: 'current_password', message: 'The password is wrong' },
    ]);
  });
});

describe('GitHub', () => {
  const octocat = { login: 'octocat', id: 583231, type: 'User', name: 'The Octocat', email: null };

  async function visit() {
    const left = await leave('github');
    expect(left.start.searchParams.get('scope')).toBe('read:user user:email');
    expect(left.start.searchParams.has('nonce')).toBe(false);
    return comeBack(github.agree(left.start), left.cookies);
  }

  test('lets somebody in by its number for them, with the address that is theirs and the picture', async () => {
    const picture = await sharp({ create: { width: 600, height: 300, channels: 3, background: '#3b82f6' } })
      .png()
      .toBuffer();
    github.replies['/user'] = { body: { ...octocat, avatar_url: `${github.addresses.issuer}/u/583231?v=4` } };
    github.replies['/u/583231'] = { body: picture, type: 'image/png' };
    github.replies['/user/emails'] = {
      body: [
        { email: 'public@github.example', verified: false, primary: false, visibility: 'public' },
        { email: 'octocat@github.example', verified: true, primary: true, visibility: null },
      ],
    };
    const user = userOf(await visit());
    expect(user).toMatchObject({ username: 'octocat', display_name: 'The Octocat', email: 'octocat@github.example' });
    expect(github.asked[0]?.authorization).toMatch(/^Bearer \w+$/);
    expect(github.asked[0]?.userAgent).toBe('Fourfold');

    const avatar = await server.get(user.avatar_url ?? '');
    expect(avatar.headers).toMatchObject({ 'content-type': 'image/webp', 'x-content-type-options': 'nosniff' });
    expect(await sharp(avatar.rawPayload).metadata()).toMatchObject({ format: 'webp', width: 256, height: 256 });
    await server.call('PUT', '/users/profile', { headers: user.headers, payload: { avatar_url: null } });
    github.replies['/user'] = {
      body: { ...octocat, login: 'renamed', avatar_url: `${github.addresses.issuer}/u/583231?v=4` },
    };
    expect(userOf(await visit())).toMatchObject({ id: user.id, username: 'octocat', avatar_url: null });
  });

  test('does not let in by a code of another making, nor by that of another visit', async () => {
    const left = await leave('github');
    const callback = github.agree(left.start);
    const others = callback.searchParams.get('code') ?? '';
    callback.searchParams.set('code', 'forged');
    expect(errorOf(await comeBack(callback, left.cookies))).toBe('oauth_failed');
    const next = await leave('github');
    const again = github.agree(next.start);
    again.searchParams.set('code', others);
    expect(errorOf(await comeBack(again, next.cookies))).toBe('oauth_failed');
  });

  test.each([
    ['an answer that is none of its own', { body: { id: 'x' } }, 'oauth_failed'],
    ['a refusal', { status: 403, body: { message: 'rate limit' } }, 'oauth_failed'],
    ['a fault', { status: 502, body: {} }, 'provider_unavailable'],
  ])('with %s lets nobody in', async (_, reply, error) => {
    github.replies['/user'] = reply;
    expect(errorOf(await visit())).toBe(error);
  });

  test.each([
    ['elsewhere', 'http://127.0.0.2/secret.png', null],
    ['a drawing', '/drawing', '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'],
    ['no picture at all', '/page', '<html>'],
  ])('whose picture is %s gives none', async (name, address, body) => {
    const url = address.startsWith('/') ? `${github.addresses.issuer}${address}` : address;
    github.replies['/user'] = { body: { ...octocat, login: name, id: name.length, avatar_url: url } };
    if (body !== null) github.replies[address] = { body: Buffer.from(body), type: 'image/png' };
    github.replies['/user/emails'] = {
      body: [{ email: `n${name.length}@github.example`, verified: true, primary: true }],
    };
    expect(userOf(await visit()).avatar_url).toBeNull();
  });
});

describe('Discord', () => {
  const nelly = {
    id: '80351110224678913',
    username: 'nelly',
    discriminator: '0',
    global_name: 'Nelly',
    avatar: '8342729096ea3675442027381ff50dfe',
    email: 'nelly@discord.example',
  };

  async function visit() {
    const left = await leave('discord');
    expect(left.start.searchParams.get('scope')).toBe('identify email');
    return comeBack(discord.agree(left.start), left.cookies);
  }

  test('lets somebody in whose address it has verified, and nobody else', async () => {
    discord.replies['/api/users/@me'] = { body: { ...nelly, verified: false } };
    expect(errorOf(await visit())).toBe('email_unverified');
    discord.replies['/api/users/@me'] = { body: { ...nelly, verified: true } };
    expect(userOf(await visit())).toMatchObject({
      username: 'nelly',
      display_name: 'Nelly',
      email: 'nelly@discord.example',
      avatar_url: null,
    });
  });

  test('gives a name that is taken here a number', async () => {
    discord.replies['/api/users/@me'] = {
      body: { ...nelly, id: '80351110224678914', email: 'nelly2@discord.example', verified: true },
    };
    expect(userOf(await visit()).username).toBe('nelly-2');
    discord.replies['/api/users/@me'] = {
      body: { ...nelly, id: '80351110224678915', username: 'admin', email: 'n3@discord.example', verified: true },
    };
    expect(userOf(await visit()).username).toBe('admin-2');
  });
});

test('where registration is closed, providers let in whom they let in before, and nobody new', async () => {
  const closed = await startServer({ env: { ...env, REGISTRATION: 'closed' } });
  await putAccount(closed, 'keeper', 'admin');
  openId.people.set('late', { email: 'late@example.net', email_verified: true });
  const left = await closed.get('/auth/oauth/oidc/login');
  const callback = await openId.signIn(String(left.headers.location), 'late');
  const reply = await closed.call('GET', `${callback.pathname}${callback.search}`, { cookies: cookiesOf(left) });
  expect(errorOf(reply)).toBe('registration_closed');
});

test('the first account is not a stranger’s by a provider', async () => {
  const fresh = await startServer({ env });
  const from = { remoteAddress: '198.51.100.7' };
  const left = await fresh.call('GET', '/auth/oauth/oidc/login', from);
  const callback = await openId.signIn(String(left.headers.location), 'late');
  const reply = await fresh.call('GET', `${callback.pathname}${callback.search}`, {
    cookies: cookiesOf(left),
    ...from,
  });
  expect(errorOf(reply)).toBe('setup_required');
});

function refuse(url: URL, error: string): void {
  url.searchParams.delete('code');
  url.searchParams.set('error', error);
  url.searchParams.set('error_description', error);
}
