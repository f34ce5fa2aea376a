import type { FastifyRequest } from 'fastify';
import { SignJWT } from 'jose';
import { describe, expect, test } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import { factsOf } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { authReplySchema, sessionListSchema } from '#contract/entities/account.ts';
import { profileSchema } from '#contract/entities/user.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import { countAll } from '#server/database/dialect.ts';
import { password, personOf, putAccount, putPerson, refresh, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const minuteMs = 60_000;
const clock = settableClock();
/** One server for all: each test has people of its own. */
const server = await startServer({ overrides: { clock } }, afterFile);
await putAccount(server, 'keeper', 'admin');

const stranger = { remoteAddress: '198.51.100.7' };

function profile(headers: Record<string, string>) {
  return server.get('/users/profile', headers);
}

async function isSignedIn(headers: Record<string, string>): Promise<boolean> {
  return (await server.get('/auth/me', headers)).statusCode === 200;
}

describe('registration', () => {
  const wish = { username: 'mara', email: 'Mara@Example.com', password };

  test('makes a basic account and signs it in', async () => {
    const reply = await server.call('POST', '/auth/register', { payload: { ...wish, display_name: ' Mara ' } });
    expect(reply.statusCode).toBe(201);
    const { user } = authReplySchema.parse(reply.json());
    expect(user).toMatchObject({
      username: 'mara',
      email: 'Mara@Example.com',
      display_name: 'Mara',
      subscription_tier: 'basic',
      eula_accepted: false,
    });
    expect(await isSignedIn(personOf(reply).headers)).toBe(true);
  });

  test.each([
    ['username', { ...wish, username: 'MARA', email: 'other@example.com' }],
    ['email', { ...wish, username: 'other', email: 'mara@example.COM' }],
  ])('is refused for a %s that differs from another one in capitals alone', async (field, payload) => {
    const reply = await server.call('POST', '/auth/register', { payload });
    expect([reply.statusCode, reply.json().error]).toEqual([409, 'conflict']);
    expect(reply.json().details).toMatchObject([{ field }]);
  });

  test('of one name by two at once makes one account', async () => {
    const payload = { username: 'twin', email: 'twin@example.com', password };
    const replies = await Promise.all([1, 2, 3].map(() => server.call('POST', '/auth/register', { payload })));
    expect(replies.map((reply) => reply.statusCode).sort()).toEqual([201, 409, 409]);
  });

  test('takes neither tier nor id nor anything else that is not asked for', async () => {
    const more = {
      id: '1',
      tier: 'admin',
      subscription_tier: 'admin',
      role: 'admin',
      is_admin: true,
      features: { admin_panel: true },
      email_verified: true,
    };
    const reply = await server.call('POST', '/auth/register', {
      payload: { ...wish, username: 'sly', email: 'sly@example.com', ...more },
    });
    expect(reply.json().user).toMatchObject({ subscription_tier: 'basic', effective_tier: 'basic' });
    expect(reply.json().user.id).not.toBe('1');
  });

  test.each([
    ['ab', 'Username must be at least 3 characters'],
    ['a'.repeat(51), 'Username must be less than 50 characters'],
    ['<b>mara</b>', 'Username can only contain letters, numbers, underscores, and hyphens'],
    ['ma​ra', 'Username can only contain letters, numbers, underscores, and hyphens'],
    ['mаra', 'Username can only contain letters, numbers, underscores, and hyphens'],
    ['  ', 'Username is required'],
  ])('refuses %j as a username', async (username, message) => {
    const reply = await server.call('POST', '/auth/register', { payload: { ...wish, username } });
    expect([reply.statusCode, reply.json().details]).toEqual([400, [{ field: 'username', message }]]);
  });

  test('refuses every other field with the sentence of its form', async () => {
    const reply = await server.call('POST', '/auth/register', {
      payload: { username: '', email: 'mara', password: '1234567' },
    });
    expect(reply.json().details).toEqual([
      { field: 'username', message: 'Username is required' },
      { field: 'email', message: 'Please enter a valid email address' },
      { field: 'password', message: 'Password must be at least 8 characters' },
    ]);
  });

  test.each([
    ['password', failures.commonPassword],
    ['PassWord', failures.commonPassword],
    ['12345678', failures.commonPassword],
    ['ｐａｓｓｗｏｒｄ１', failures.commonPassword],
    ['Mara-Lind', 'Password must not be your username or email'],
    ['mara-lind2026', 'Password must not be your username or email'],
    ['Post@Example.com', 'Password must not be your username or email'],
  ])('refuses %j as a password, which is guessed first, and counts no try for it', async (guessable, message) => {
    const payload = { username: 'mara-lind', email: 'post@example.com', password: guessable };
    for (let tries = 0; tries < 3; tries += 1) {
      const reply = await server.call('POST', '/auth/register', { remoteAddress: '198.51.100.9', payload });
      expect([reply.statusCode, reply.json().details]).toEqual([400, [{ field: 'password', message }]]);
    }
  });

  test('refuses a name that could pass for the site itself', async () => {
    const reply = await server.call('POST', '/auth/register', {
      payload: { ...wish, username: 'Admin', email: 'a@example.com' },
    });
    expect([reply.statusCode, reply.json().details[0].field]).toEqual([409, 'username']);
  });

  test('is limited to five an hour from one address', async () => {
    const register = (number: number) =>
      server.call('POST', '/auth/register', {
        ...stranger,
        payload: { username: `row-${number}`, email: `row${number}@example.com`, password },
      });
    for (let number = 1; number <= 5; number += 1) expect((await register(number)).statusCode).toBe(201);
    const refused = await register(6);
    expect([refused.statusCode, refused.json().error]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(3_000);
    clock.pass(60 * minuteMs);
    expect((await register(6)).statusCode).toBe(201);
  });
});

describe('signing in', () => {
  test.each(['lena', 'LENA', 'lena@example.com', ' Lena@Example.com '])('works with %j', async (identifier) => {
    if (identifier === 'lena') await putAccount(server, 'lena');
    const reply = await signIn(server, identifier);
    expect([reply.statusCode, reply.json().user.username]).toEqual([200, 'lena']);
    expect(reply.headers['cache-control']).toBe('no-store');
  });

  test('gives nothing away about who has an account', async () => {
    await putAccount(server, 'noa');
    const wrong = await signIn(server, 'noa', { payload: { password: 'something else' } });
    const unknown = await signIn(server, 'nobody-at-all', { payload: { password: 'something else' } });
    expect([wrong.statusCode, wrong.json()]).toEqual([
      401,
      { error: 'invalid_credentials', message: 'Invalid username or password' },
    ]);
    expect([unknown.statusCode, unknown.json()]).toEqual([wrong.statusCode, wrong.json()]);
    expect(Object.keys(unknown.headers).sort()).toEqual(Object.keys(wrong.headers).sort());
  });

  test('takes the same work whether there is such an account or not', async () => {
    const asked: (string | null)[] = [];
    const usual = server.services.accounts.hasher;
    const verify = (given: string, hash: string | null) => {
      asked.push(hash);
      return usual.verify(given, hash);
    };
    const counting = await startServer({ overrides: { clock, accounts: { hasher: { ...usual, verify } } } });
    await putAccount(counting, 'noa');
    for (const identifier of ['noa', 'nobody-at-all'])
      await signIn(counting, identifier, { payload: { password: 'something else' } });
    expect(asked).toEqual([expect.stringContaining('$argon2id$'), null]);
  });

  test.each(["noa' or '1'='1", 'no%', 'n_a', 'nоa', 'noa@', '*'])(
    'does not take %j for somebody',
    async (identifier) => {
      expect((await signIn(server, identifier)).statusCode).toBe(401);
    },
  );

  test('refuses what cannot be a name or a password with the sentence of its form', async () => {
    const reply = await server.call('POST', '/auth/login', { payload: { identifier: ' ', password: '' } });
    expect(reply.json().details).toEqual([
      { field: 'identifier', message: 'Username or email is required' },
      { field: 'password', message: 'Password is required' },
    ]);
    const long = await signIn(server, 'noa', { payload: { password: 'x'.repeat(1_025) } });
    expect([long.statusCode, long.json().message]).toEqual([400, 'Password must be at most 1024 bytes']);
  });

  test('takes a password as it was meant, whichever keyboard it comes from', async () => {
    const payload = { username: 'umlaut', email: 'umlaut@example.com', password: 'sch\u00f6nes wetter' };
    await server.call('POST', '/auth/register', { payload });
    expect((await signIn(server, 'umlaut', { payload: { password: 'scho\u0308nes wetter' } })).statusCode).toBe(200);
  });

  test('from one address at many accounts ends in a refusal', async () => {
    const from = { remoteAddress: '198.51.100.8' };
    const replies: number[] = [];
    for (let number = 0; number < 62; number += 1)
      replies.push((await signIn(server, `account-${number}`, from)).statusCode);
    expect(replies.slice(0, 60).every((status) => status === 401)).toBe(true);
    expect(replies.slice(60)).toEqual([429, 429]);
    const rotated = await signIn(server, 'account-1', {
      ...from,
      headers: { 'x-forwarded-for': '203.0.113.9', forwarded: 'for=203.0.113.9' },
    });
    expect(rotated.statusCode).toBe(429);
  });

  test('by guessing at one account from many addresses takes longer and longer, and its owner still comes in from a device that was used before', async () => {
    await putAccount(server, 'owner');
    const cookie = String((await server.get('/api/config')).headers['set-cookie']).split(';')[0] ?? '';
    expect((await signIn(server, 'owner', { headers: { cookie } })).statusCode).toBe(200);

    const guess = (number: number) =>
      signIn(server, 'owner', { remoteAddress: `203.0.113.${number}`, payload: { password: 'guessed it' } });
    for (let number = 1; number <= 5; number += 1) expect((await guess(number)).statusCode).toBe(401);
    const refused = await guess(6);
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([429, '1']);
    clock.pass(1_100);
    expect((await guess(7)).statusCode).toBe(401);
    expect((await guess(8)).headers['retry-after']).toBe('2');
    expect((await signIn(server, 'owner', { remoteAddress: '203.0.113.9' })).statusCode).toBe(429);
    expect((await signIn(server, 'owner', { headers: { cookie } })).statusCode).toBe(200);
  });

  test('by guessing now by the name and now by the address of one account counts as one', async () => {
    await putAccount(server, 'twofold');
    const guess = (identifier: string, number: number) =>
      signIn(server, identifier, { remoteAddress: `203.0.115.${number}`, payload: { password: 'guessed' } });
    for (const [number, identifier] of [
      'twofold',
      'twofold@example.com',
      'TWOFOLD',
      ' Twofold@Example.com',
      'twofold',
    ].entries())
      expect((await guess(identifier, number)).statusCode).toBe(401);
    for (const identifier of ['twofold', 'twofold@example.com'])
      expect((await guess(identifier, 6)).statusCode).toBe(429);
  });

  test('counts tries at accounts that do not exist alike', async () => {
    const guess = (number: number) => signIn(server, 'phantom', { remoteAddress: `203.0.114.${number}` });
    for (let number = 1; number <= 5; number += 1) expect((await guess(number)).statusCode).toBe(401);
    expect((await guess(6)).statusCode).toBe(429);
  });

  test('keeps nothing in the log that opens anything', async () => {
    await putAccount(server, 'quiet');
    const { accessToken, refreshToken } = personOf(await signIn(server, 'quiet'));
    await signIn(server, 'quiet', { payload: { password: 'a secret guess' } });
    for (const secret of [password, 'a secret guess', accessToken, refreshToken])
      expect(server.logged()).not.toContain(secret);
    expect(server.logged()).toContain('sign_in_refused');
  });
});

describe('an access token', () => {
  test('names a session and a person, and nothing else', async () => {
    const { accessToken } = await putPerson(server, 'token-1', 'pro');
    const claims = JSON.parse(Buffer.from(accessToken.split('.')[1] ?? '', 'base64url').toString());
    expect(Object.keys(claims).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'sid', 'sub']);
    expect(claims.exp - claims.iat).toBe(900);
  });

  test('lives for fifteen minutes, and a minute of skew is forgiven', async () => {
    const { headers } = await putPerson(server, 'token-2');
    clock.pass(15 * minuteMs + 50_000);
    expect((await server.get('/auth/me', headers)).statusCode).toBe(200);
    clock.pass(15_000);
    const reply = await server.get('/auth/me', headers);
    expect([reply.statusCode, reply.json().error]).toEqual([401, 'token_expired']);
  });

  test('that has run out is asked to be renewed where no account is needed, but for the profile and the configuration', async () => {
    const { headers, id } = await putPerson(server, 'token-3');
    clock.pass(17 * minuteMs);
    expect((await server.get('/api/video/top-left', headers)).json().error).toBe('token_expired');
    expect((await server.get('/api/config', headers)).statusCode).toBe(200);
    expect(profileSchema.parse((await profile(headers)).json()).authenticated).toBe(false);
    await server.services.database.write((transaction) =>
      transaction.deleteFrom('sessions').where('user_id', '=', id).execute(),
    );
    server.services.accounts.changes.notify(id);
    expect((await server.get('/api/status', headers)).statusCode).toBe(200);
  });

  test('of another making is none', async () => {
    const { accessToken, refreshToken, id } = await putPerson(server, 'token-4');
    const [header = '', claims = '', signature = ''] = accessToken.split('.');
    const { sid, exp } = JSON.parse(Buffer.from(claims, 'base64url').toString());
    const { keys } = server.services.accounts;
    const right = await keys.newest('access-token');
    const write = (change: object, key = right.key, head: object = {}) =>
      new SignJWT({ sid, sub: id, iss: 'fourfold', aud: 'fourfold', exp, ...change })
        .setProtectedHeader({ alg: 'HS256', typ: 'at+jwt', kid: right.id, ...head })
        .sign(key);
    const unsigned = Buffer.from('{"alg":"none","typ":"at+jwt"}').toString('base64url');

    expect(await isSignedIn({ authorization: `Bearer ${await write({})}` })).toBe(true);
    const forged = {
      'algorithm none': `${unsigned}.${claims}.`,
      'another algorithm': await write({}, Buffer.concat([right.key, right.key]), { alg: 'HS512' }),
      'another secret': await write({}, Buffer.alloc(32, 7)),
      'a key of another purpose': await write({}, (await keys.newest('refresh-token')).key),
      'an unknown key': await write({}, right.key, { kid: "1' or '1'='1" }),
      'a key that is a path': await write({}, right.key, { kid: '../../dev/null' }),
      'another audience': await write({ aud: 'elsewhere' }),
      'another issuer': await write({ iss: 'elsewhere' }),
      'another type': await write({}, right.key, { typ: 'JWT' }),
      'not yet': await write({ nbf: Math.floor(clock.now() / 1000) + 600 }),
      'no end': await write({ exp: undefined }),
      'another person': await write({ sub: 'somebody-else' }),
      'another session': await write({ sid: 'another' }),
      'a changed signature': `${header}.${claims}.${signature.startsWith('A') ? 'B' : 'A'}${signature.slice(1)}`,
      'a refresh token': refreshToken,
      nothing: '.',
    };
    for (const [name, token] of Object.entries(forged)) {
      const reply = await server.get('/auth/me', { authorization: `Bearer ${token}` });
      expect([name, reply.statusCode, reply.json().error]).toEqual([name, 401, 'unauthorized']);
    }
  });

  test('survives a clock that is set back by an hour', async () => {
    const { headers } = await putPerson(server, 'token-5');
    clock.jump(-60 * minuteMs);
    expect(await isSignedIn(headers)).toBe(true);
    clock.jump(60 * minuteMs);
    expect(await isSignedIn(headers)).toBe(true);
  });
});

describe('a refresh token', () => {
  test('is traded for the next pair', async () => {
    const person = await putPerson(server, 'fresh-1');
    clock.pass(16 * minuteMs);
    const reply = await refresh(server, person.refreshToken);
    expect(reply.statusCode).toBe(200);
    const next = personOf(reply);
    expect(next.refreshToken).not.toBe(person.refreshToken);
    expect(await isSignedIn(next.headers)).toBe(true);
  });

  test('that two tabs trade at once gives both the same successor', async () => {
    const person = await putPerson(server, 'fresh-2');
    const [first, second] = await Promise.all([
      refresh(server, person.refreshToken),
      refresh(server, person.refreshToken),
    ]);
    expect([first?.statusCode, second?.statusCode]).toEqual([200, 200]);
    expect(first?.json().refresh_token).toBe(second?.json().refresh_token);
    clock.pass(9_000);
    expect((await refresh(server, person.refreshToken)).json().refresh_token).toBe(first?.json().refresh_token);
    expect((await refresh(server, first?.json().refresh_token)).statusCode).toBe(200);
  });

  test('that comes back after ten seconds ends everything that came of it', async () => {
    const person = await putPerson(server, 'fresh-3');
    const next = personOf(await refresh(server, person.refreshToken));
    clock.pass(11_000);
    const reused = await refresh(server, person.refreshToken);
    expect([reused.statusCode, reused.json().error]).toEqual([401, 'token_reused']);
    expect((await refresh(server, next.refreshToken)).json().error).toBe('unauthorized');
    expect(await isSignedIn(next.headers)).toBe(false);
    expect(server.logged()).toContain('token_reused');
  });

  test('lives for a day from its last use, or thirty when asked to', async () => {
    const dayMs = 24 * 60 * minuteMs;
    await putAccount(server, 'fresh-4');
    let short = personOf(await signIn(server, 'fresh-4'));
    let long = personOf(await signIn(server, 'fresh-4', { payload: { rememberMe: true } }));
    for (let day = 0; day < 3; day += 1) {
      clock.pass(dayMs - minuteMs);
      short = personOf(await refresh(server, short.refreshToken));
    }
    clock.pass(dayMs);
    expect((await refresh(server, short.refreshToken)).statusCode).toBe(401);
    clock.pass(25 * dayMs);
    long = personOf(await refresh(server, long.refreshToken));
    clock.pass(29 * dayMs);
    const last = await refresh(server, long.refreshToken);
    expect(last.statusCode).toBe(200);
    long = personOf(last);
    clock.pass(30 * dayMs);
    expect((await refresh(server, long.refreshToken)).statusCode).toBe(401);
  });

  test('survives a clock that is set back by an hour, and forward again', async () => {
    let person = await putPerson(server, 'fresh-6');
    for (const ms of [-60 * minuteMs, 60 * minuteMs]) {
      clock.jump(ms);
      const next = personOf(await refresh(server, person.refreshToken));
      expect(await isSignedIn(next.headers)).toBe(true);
      expect(personOf(await refresh(server, person.refreshToken)).refreshToken).toBe(next.refreshToken);
      person = next;
    }
  });

  test('that was changed, or is none, is refused', async () => {
    const { refreshToken, accessToken } = await putPerson(server, 'fresh-5');
    const later = refreshToken.replace('.0.', '.1.');
    for (const token of [
      later,
      `${refreshToken}x`,
      refreshToken.slice(0, -2),
      accessToken,
      'x',
      '...',
      'x'.repeat(10_000),
    ]) {
      const reply = await refresh(server, token);
      expect([reply.statusCode, reply.json().error]).toEqual([401, 'unauthorized']);
    }
    expect((await refresh(server, '')).statusCode).toBe(400);
    expect((await refresh(server, refreshToken)).statusCode).toBe(200);
  });
});

describe('signing out', () => {
  test('ends this session and no other', async () => {
    await putAccount(server, 'leaver-1');
    const [here, there] = [personOf(await signIn(server, 'leaver-1')), personOf(await signIn(server, 'leaver-1'))];
    expect((await server.call('POST', '/auth/logout', { headers: here.headers, payload: {} })).statusCode).toBe(204);
    expect(await isSignedIn(here.headers)).toBe(false);
    expect((await refresh(server, here.refreshToken)).statusCode).toBe(401);
    expect(await isSignedIn(there.headers)).toBe(true);
  });

  test('everywhere ends all, at once on this server and within five seconds on another', async () => {
    await putAccount(server, 'leaver-2');
    const [here, there] = [personOf(await signIn(server, 'leaver-2')), personOf(await signIn(server, 'leaver-2'))];
    expect((await server.call('POST', '/auth/logout-all', { headers: here.headers })).statusCode).toBe(204);
    for (const { headers } of [here, there]) expect(await isSignedIn(headers)).toBe(false);
  });

  test('on another server is known here within five seconds', async () => {
    const person = await putPerson(server, 'leaver-3');
    expect(await isSignedIn(person.headers)).toBe(true);
    await server.services.database.write((transaction) =>
      transaction.deleteFrom('sessions').where('user_id', '=', person.id).execute(),
    );
    clock.pass(5_000);
    expect(await isSignedIn(person.headers)).toBe(false);
  });

  test('of a device by its owner works, and by anybody else is as if there were none', async () => {
    await putAccount(server, 'leaver-4');
    const here = personOf(await signIn(server, 'leaver-4'));
    await signIn(server, 'leaver-4', {
      headers: { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0' },
    });
    const list = async () =>
      sessionListSchema.parse((await server.get('/auth/sessions', here.headers)).json()).sessions;
    const sessions = await list();
    expect(sessions.map(({ device, current }) => [device, current])).toEqual(
      expect.arrayContaining([
        ['Firefox on Linux', false],
        [expect.any(String), true],
      ]),
    );
    const other = sessions.find((session) => !session.current)?.id ?? '';
    const somebody = await putPerson(server, 'leaver-5');
    const refused = await server.call('DELETE', `/auth/sessions/${other}`, { headers: somebody.headers });
    const unknown = await server.call('DELETE', '/auth/sessions/none', { headers: somebody.headers });
    expect([refused.statusCode, refused.body]).toEqual([404, unknown.body]);
    expect((await server.call('DELETE', `/auth/sessions/${other}`, { headers: here.headers })).statusCode).toBe(204);
    expect(await list()).toHaveLength(1);
  });
});

test('one more sign-in than a person may have ends the one that was used longest ago', async () => {
  const first = await putPerson(server, 'everywhere');
  await server.services.database.write(async (transaction) => {
    const own = transaction.selectFrom('sessions').selectAll().where('user_id', '=', first.id);
    const { last_used_at, ...session } = await own.executeTakeFirstOrThrow();
    const rows = Array.from({ length: limits.sessionsPerPerson + 1 }, (_, place) => ({
      ...session,
      id: `older-${place}`,
      last_used_at: last_used_at - 1_000 - place,
    }));
    for (let from = 0; from < rows.length; from += 50)
      await transaction
        .insertInto('sessions')
        .values(rows.slice(from, from + 50))
        .execute();
  });
  const next = personOf(await signIn(server, 'everywhere'));
  const reply = await server.get('/auth/sessions', first.headers);
  const ids = sessionListSchema.parse(reply.json()).sessions.map(({ id }) => id);
  expect(ids).toHaveLength(limits.sessionsPerPerson);
  expect(ids.at(-1)).toBe(`older-${limits.sessionsPerPerson - 3}`);
  expect([await isSignedIn(first.headers), await isSignedIn(next.headers)]).toEqual([true, true]);
});

describe('the session cookie', () => {
  /** Who calls, by the cookie alone. */
  async function callerOf(endpoint: Endpoint, cookies: Record<string, string>) {
    const request = { headers: {}, cookies, protocol: 'http', facts: factsOf(endpoint) } as unknown as FastifyRequest;
    return server.services.identifyCaller(request);
  }

  test('tells whose session it is where video bytes are asked for, as long as the session lives, and nowhere else', async () => {
    await putAccount(server, 'watcher', 'pro');
    const reply = await signIn(server, 'watcher');
    const cookies = { session: reply.cookies.find((cookie) => cookie.name === 'session')?.value ?? '' };
    expect(reply.cookies.find((cookie) => cookie.name === 'session')).toMatchObject({
      httpOnly: true,
      sameSite: 'Lax',
      path: '/',
    });
    expect((await callerOf(endpoints.streamVideo, cookies)).features.hd_streaming).toBe(true);
    for (const endpoint of [endpoints.readMe, endpoints.updateProfile, endpoints.pickVideo])
      expect((await callerOf(endpoint, cookies)).user).toBeNull();
    expect((await callerOf(endpoints.streamVideo, { session: `${cookies.session}x` })).user).toBeNull();
    const out = await server.call('POST', '/auth/logout', { headers: personOf(reply).headers, payload: {} });
    expect(out.cookies).toMatchObject([{ name: 'session', value: '' }]);
    expect((await callerOf(endpoints.streamVideo, cookies)).user).toBeNull();
  });
});

test('what has run out is removed', async () => {
  const { accounts, database } = server.services;
  await putPerson(server, 'swept');
  const left = async () => {
    const tables = ['sessions', 'attempts', 'known_devices'] as const;
    return Promise.all(
      tables.map(async (table) =>
        Number(
          (await database.reader.selectFrom(table).select(countAll().as('count')).executeTakeFirstOrThrow()).count,
        ),
      ),
    );
  };
  expect((await left())[0]).toBeGreaterThan(0);
  clock.pass(401 * 24 * 60 * minuteMs);
  accounts.startSweeping();
  await accounts.stopSweeping();
  expect(await left()).toEqual([0, 0, 0]);
});

describe('changing the password', () => {
  const change = (headers: Record<string, string>, current: unknown, next: unknown) =>
    server.call('POST', '/auth/change-password', {
      headers,
      payload: { current_password: current, new_password: next },
    });

  test('ends all other sessions and keeps this one', async () => {
    await putAccount(server, 'changer-1');
    const [here, there] = [personOf(await signIn(server, 'changer-1')), personOf(await signIn(server, 'changer-1'))];
    expect((await change(here.headers, password, 'a new one, longer')).statusCode).toBe(204);
    expect([await isSignedIn(here.headers), await isSignedIn(there.headers)]).toEqual([true, false]);
    expect((await signIn(server, 'changer-1')).statusCode).toBe(401);
    expect((await signIn(server, 'changer-1', { payload: { password: 'a new one, longer' } })).statusCode).toBe(200);
  });

  test.each([
    ['a wrong present one', 'not it at all', 'a new one, longer', 'current_password'],
    ['none', undefined, 'a new one, longer', 'current_password'],
    ['the same one again', password, password, 'new_password'],
    ['a short one', password, '1234567', 'new_password'],
    ['a common one', password, 'iloveyou', 'new_password'],
  ])('is refused with %s', async (name, current, next, field) => {
    const { headers } = await putPerson(server, `changer-${field.length}-${name.length}`);
    const reply = await change(headers, current, next);
    expect([reply.statusCode, reply.json().details[0].field]).toEqual([400, field]);
  });

  test('cannot be tried without end', async () => {
    const { headers } = await putPerson(server, 'changer-3');
    const statuses: number[] = [];
    for (let tries = 0; tries < 7; tries += 1)
      statuses.push((await change(headers, 'not it at all', 'a new one, longer')).statusCode);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
  });
});

describe('deleting the own account', () => {
  const remove = (headers: Record<string, string>, payload: object) =>
    server.call('DELETE', '/users/profile', { headers, payload });

  test('takes the password, and everything goes', async () => {
    const person = await putPerson(server, 'goer');
    expect((await remove(person.headers, { password: 'wrong one' })).statusCode).toBe(400);
    expect((await remove(person.headers, { password })).statusCode).toBe(204);
    expect(await isSignedIn(person.headers)).toBe(false);
    expect((await refresh(server, person.refreshToken)).statusCode).toBe(401);
    expect((await signIn(server, 'goer')).statusCode).toBe(401);
    for (const table of ['sessions', 'known_devices'] as const) {
      const rows = await server.services.database.reader
        .selectFrom(table)
        .selectAll()
        .where('user_id', '=', person.id)
        .execute();
      expect(rows).toEqual([]);
    }
  });

  test('is refused to the last administrator', async () => {
    const keeper = personOf(await signIn(server, 'keeper'));
    const reply = await remove(keeper.headers, { password });
    expect([reply.statusCode, reply.json().error]).toEqual([409, 'conflict']);
    expect(await isSignedIn(keeper.headers)).toBe(true);
  });
});
