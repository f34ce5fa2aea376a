import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { profileSchema, uploaderProfileSchema, userListSchema, userReplySchema } from '#contract/entities/user.ts';
import { failures } from '#contract/failures.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import { userAdmin } from '#server/features/admin/users.ts';
import type { Person } from '#tests/support/people.ts';
import { password, personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const dayMs = 86_400_000;
const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
const admin = await putPerson(server, 'chief', 'admin');

function change({ headers }: Pick<Person, 'headers'>, payload: object) {
  return server.call('PUT', '/users/profile', { headers, payload });
}

async function profileOf({ headers }: Pick<Person, 'headers'>) {
  return profileSchema.parse((await server.get('/users/profile', headers)).json());
}

async function revisionOf({ headers }: Pick<Person, 'headers'>): Promise<number> {
  return Number(String((await server.get('/api/config', headers)).headers['x-revision']).split('.')[0]);
}

describe('the profile', () => {
  test('of nobody has what basic has', async () => {
    const nobody = { authenticated: false, user: null, features: featuresByTier.basic };
    expect(await profileOf({ headers: {} as Person['headers'] })).toEqual(nobody);
    expect(await profileOf({ headers: { authorization: 'Bearer none' } })).toEqual(nobody);
  });

  test('of somebody holds no more than is written down, and no hash of a password', async () => {
    const person = await putPerson(server, 'seen', 'pro');
    const reply = await server.get('/users/profile', person.headers);
    expect(profileSchema.parse(reply.json())).toMatchObject({
      authenticated: true,
      user: { username: 'seen', effective_tier: 'pro' },
    });
    expect(reply.body).not.toMatch(/argon2|hash/);
    expect(userReplySchema.parse((await server.get('/auth/me', person.headers)).json()).user.id).toBe(person.id);
  });

  test('tells the upload screen whether the agreement was accepted', async () => {
    const { headers } = await putPerson(server, 'uploader');
    const read = async () => uploaderProfileSchema.parse((await server.get('/api/users/profile', headers)).json());
    const accept = (payload: object) => server.call('POST', '/api/users/eula/accept', { headers, payload });
    expect([(await read()).eula_accepted, (await read()).user.eula_accepted]).toEqual([false, false]);
    for (const version of ['2.0', '1.0 ', 1]) expect((await accept({ version })).statusCode).toBe(400);
    expect((await accept({})).json()).toEqual({ success: true, eula_accepted: true, version: '1.0' });
    expect([(await read()).eula_accepted, (await read()).user.eula_accepted]).toEqual([true, true]);
  });

  test('takes another name, address and settings, and tells the person’s other devices', async () => {
    const person = await putPerson(server, 'editor');
    const before = await revisionOf(person);
    const reply = await change(person, {
      display_name: ' Edith ',
      email: 'edith@example.com',
      current_password: password,
      settings: { shortcut_keys: false },
    });
    expect(userReplySchema.parse(reply.json()).user).toMatchObject({
      display_name: 'Edith',
      email: 'edith@example.com',
      settings: { shortcut_keys: false },
    });
    expect(await revisionOf(person)).toBeGreaterThan(before);
    expect((await change(person, { settings: { skip_duration_seconds: 60 } })).json().user.settings.shortcut_keys).toBe(
      false,
    );
    expect((await change(person, { display_name: '' })).json().user.display_name).toBeNull();
    expect((await change(person, {})).statusCode).toBe(200);
  });

  test('takes a language of subtitles, none of them, and what was never chosen', async () => {
    const person = await putPerson(server, 'listener');
    const languageAfter = async (settings: object) =>
      (await change(person, { settings })).json().user.settings.subtitle_language;
    expect(await languageAfter({ subtitle_language: 'pt-BR' })).toBe('pt-BR');
    expect(await languageAfter({ shortcut_keys: true })).toBe('pt-BR');
    expect(await languageAfter({ subtitle_language: '' })).toBe('');
    expect(await languageAfter({ subtitle_language: null })).toBeNull();
  });

  test('takes neither tier nor id, nor a picture from elsewhere', async () => {
    const person = await putPerson(server, 'climber');
    const sly = {
      id: 'x',
      tier: 'admin',
      subscription_tier: 'admin',
      role: 'admin',
      features: { admin_panel: true },
      email_verified: 1,
      password_hash: 'x',
    };
    expect((await change(person, sly)).json().user).toMatchObject({ id: person.id, subscription_tier: 'basic' });
    expect((await change(person, { avatar_url: 'https://elsewhere.example/a.svg' })).statusCode).toBe(400);
    expect((await change(person, { avatar_url: null })).statusCode).toBe(200);
  });

  test.each([
    [{ email: 'nowhere' }, 'email', 'Please enter a valid email address'],
    [{ display_name: 'x'.repeat(101) }, 'display_name', 'Display name must be at most 100 characters'],
    [
      { settings: { skip_duration_seconds: 45 } },
      'settings.skip_duration_seconds',
      'Skip duration must be 30 to 5400 seconds in steps of 30',
    ],
    [{ settings: { subtitle_language: 'x'.repeat(36) } }, 'settings.subtitle_language', 'This is no language'],
    [{ settings: { shortcut_keys: 'no' } }, 'settings.shortcut_keys', 'This must be true or false'],
  ])('refuses %j', async (payload, field, message) => {
    const reply = await change(admin, payload);
    expect([reply.statusCode, reply.json().details]).toEqual([400, [{ field, message }]]);
  });

  test('cannot have an address that is somebody else’s', async () => {
    const person = await putPerson(server, 'taker');
    const reply = await change(person, { email: 'CHIEF@example.com', current_password: password });
    expect([reply.statusCode, reply.json().details[0].field]).toEqual([409, 'email']);
    expect((await change(person, { email: 'TAKER@example.com' })).statusCode).toBe(200);
  });

  test('takes another address with the present password alone, which cannot be guessed without end', async () => {
    const person = await putPerson(server, 'mover');
    const move = (current?: string) =>
      change(person, { email: 'moved@example.com', ...(current === undefined ? {} : { current_password: current }) });
    const problem = async (current?: string) => (await move(current)).json().details;
    expect(await problem()).toEqual([{ field: 'current_password', message: 'Password is required' }]);
    expect(await problem('')).toEqual([{ field: 'current_password', message: 'Password is required' }]);
    expect(await problem('not it at all')).toEqual([{ field: 'current_password', message: 'The password is wrong' }]);
    expect((await change(person, { email: 'Mover@Example.com', display_name: 'M' })).statusCode).toBe(200);
    expect((await change(person, { email: '\uFF4Dover@example.com' })).statusCode).toBe(400);
    expect((await move(password)).json().user.email).toBe('moved@example.com');
    const guesses: number[] = [];
    for (let tries = 0; tries < 6; tries += 1)
      guesses.push((await change(person, { email: 'again@example.com', current_password: 'no' })).statusCode);
    expect(guesses).toEqual([400, 400, 400, 400, 400, 429]);
  });

  test('says ten times an hour to one address whether somebody else has an address', async () => {
    const person = await putPerson(server, 'curious');
    const ask = (number: number) =>
      server.call('PUT', '/users/profile', {
        remoteAddress: '198.51.100.40',
        headers: person.headers,
        payload: {
          email: number % 2 === 0 ? 'chief@example.com' : `curious${number}@example.com`,
          current_password: password,
        },
      });
    const statuses: number[] = [];
    for (let number = 0; number < 12; number += 1) statuses.push((await ask(number)).statusCode);
    expect(statuses).toEqual([409, 200, 409, 200, 409, 200, 409, 200, 409, 200, 429, 429]);
  });

  test('takes an address for one of those who want it at the same moment, and says so to the others', async () => {
    const wanted = { email: 'wanted@example.com', current_password: password };
    const person = await putPerson(server, 'rival');
    const ids = [];
    for (let at = 0; at < 7; at += 1) ids.push(await putAccount(server, `rival-${at}`));
    const { headers } = admin;
    const give = (id: string) =>
      server.call('PUT', `/users/admin/${id}`, { headers, payload: { email: wanted.email } });
    const replies = await Promise.all([change(person, wanted), ...ids.map(give)]);
    expect(replies.map(({ statusCode }) => statusCode).sort()).toEqual([200, ...ids.map(() => 409)]);
    for (const reply of replies.filter(({ statusCode }) => statusCode === 409))
      expect(reply.json().details).toEqual([{ field: 'email', message: 'This email is already in use' }]);
  });

  test('says whether somebody has a password', async () => {
    expect((await profileOf(await putPerson(server, 'lettered'))).user?.has_password).toBe(true);
  });

  test('has a step of its own with a plan that grants one, and keeps it for when the plan comes back', async () => {
    const basic = await putPerson(server, 'stepper');
    const step = { settings: { skip_duration_seconds: 90 } };
    const refused = await change(basic, step);
    expect([refused.statusCode, refused.json().error]).toEqual([403, 'forbidden']);
    await server.call('PUT', `/users/admin/${basic.id}/subscription`, {
      headers: admin.headers,
      payload: { tier: 'pro' },
    });
    expect((await change(basic, step)).json().user.settings.skip_duration_seconds).toBe(90);
    await server.call('PUT', `/users/admin/${basic.id}/subscription`, {
      headers: admin.headers,
      payload: { tier: 'basic' },
    });
    expect((await change(basic, { ...step, display_name: 'S' })).statusCode).toBe(200);
    expect((await change(basic, { settings: { skip_duration_seconds: 120 } })).statusCode).toBe(403);
  });

  test('keeps the blocklist, which has calls of its own', async () => {
    const { headers } = await putPerson(server, 'blocker');
    const put = (ids: unknown) =>
      server.call('PUT', '/users/blocklist', { headers, payload: { blocked_tag_ids: ids } });
    expect((await put(['a', 'b', 'a'])).json()).toEqual({ blocked_tag_ids: ['a', 'b'] });
    expect((await server.get('/users/blocklist', headers)).json()).toEqual({ blocked_tag_ids: ['a', 'b'] });
    expect((await server.get('/auth/me', headers)).json().user.settings.blocked_tag_ids).toEqual(['a', 'b']);
    expect((await put(Array.from({ length: 501 }, (_, number) => `t${number}`))).statusCode).toBe(400);
    expect((await put('a')).statusCode).toBe(400);
  });
});

describe('a tier', () => {
  test('that an administrator gives holds at once, without signing in again', async () => {
    const person = await putPerson(server, 'rising');
    const before = await revisionOf(person);
    const reply = await server.call('PUT', `/users/admin/${person.id}/subscription`, {
      headers: admin.headers,
      payload: { tier: 'lifetime' },
    });
    expect(reply.json().user).toMatchObject({
      subscription_tier: 'lifetime',
      effective_tier: 'lifetime',
      subscription_expires_at: null,
    });
    expect(await revisionOf(person)).toBeGreaterThan(before);
    expect((await profileOf(person)).features.hd_streaming).toBe(true);
  });

  test('that is changed in the database holds within five seconds, and clients are told', async () => {
    const person = await putPerson(server, 'noticed');
    const before = await revisionOf(person);
    await server.services.database.write((transaction) =>
      transaction.updateTable('users').set({ tier: 'admin' }).where('id', '=', person.id).execute(),
    );
    clock.pass(5_000);
    expect((await server.get('/api/debug', person.headers)).statusCode).toBe(200);
    expect(await revisionOf(person)).toBeGreaterThan(before);
    await server.call('PUT', `/users/admin/${person.id}/subscription`, {
      headers: admin.headers,
      payload: { tier: 'basic' },
    });
  });

  test('with an end is basic from then on, and clients are told', async () => {
    const person = await putPerson(server, 'dated');
    const end = new Date(clock.now() + dayMs / 2).toISOString();
    const give = (payload: object) =>
      server.call('PUT', `/users/admin/${person.id}/subscription`, { headers: admin.headers, payload });
    expect((await give({ tier: 'pro', expires_at: end })).json().user).toMatchObject({
      effective_tier: 'pro',
      subscription_expires_at: end,
    });
    expect((await give({ tier: 'pro', expires_at: 'soon' })).statusCode).toBe(400);
    expect((await give({ tier: 'PRO' })).statusCode).toBe(400);
    const rememberMe = personOf(await signIn(server, 'dated', { payload: { rememberMe: true } }));
    const before = await revisionOf(rememberMe);
    clock.pass(dayMs / 2);
    const renewed = personOf(
      await server.call('POST', '/auth/refresh', { payload: { refresh_token: rememberMe.refreshToken } }),
    );
    const { user, features } = await profileOf(renewed);
    expect(user).toMatchObject({ subscription_tier: 'pro', effective_tier: 'basic', features: featuresByTier.basic });
    expect(features).toEqual(featuresByTier.basic);
    expect(await revisionOf(renewed)).toBeGreaterThan(before);
  });

  test('that ends while its person watches is basic on the open page, which is told by the next answer', async () => {
    const person = await putPerson(server, 'watching');
    const { headers } = personOf(await signIn(server, 'chief'));
    const expires_at = new Date(clock.now() + 60_000).toISOString();
    await server.call('PUT', `/users/admin/${person.id}/subscription`, {
      headers,
      payload: { tier: 'pro', expires_at },
    });
    const before = await revisionOf(person);
    expect((await profileOf(person)).features.hd_streaming).toBe(true);
    clock.pass(60_000);
    expect(await revisionOf(person)).toBeGreaterThan(before);
    expect((await profileOf(person)).user?.effective_tier).toBe('basic');
  });
});

test('whoever had a session sees in any answer that it has ended', async () => {
  const person = await putPerson(server, 'leaving');
  const before = await revisionOf(person);
  await server.call('POST', '/auth/logout', { headers: person.headers, payload: {} });
  expect(await revisionOf(person)).not.toBe(before);
});

describe('administration', () => {
  async function renewAdmin() {
    return personOf(await signIn(server, 'chief')).headers;
  }

  test('lists people by name, page by page, by a part of their name or by effective tier', async () => {
    const headers = await renewAdmin();
    for (const name of ['list-b', 'list-a', 'list-c'])
      await putAccount(server, name, name === 'list-c' ? 'pro' : 'basic', {});
    await putAccount(server, 'list-d', 'pro', { tierExpiresAt: clock.now() - 1 });
    const list = async (query: string) =>
      userListSchema.parse((await server.get(`/users/admin?${query}`, headers)).json());
    const names = async (query: string) => (await list(query)).users.map((user) => user.username);
    expect(await names('search=LIST-')).toEqual(['list-a', 'list-b', 'list-c', 'list-d']);
    expect(await names('search=list-&tier=pro')).toEqual(['list-c']);
    expect(await names('search=list-&tier=basic')).toEqual(['list-a', 'list-b', 'list-d']);
    expect(await list('search=list-&limit=3&page=2')).toMatchObject({
      total: 4,
      total_pages: 2,
      page: 2,
      limit: 3,
      users: [{ username: 'list-d' }],
    });
    for (const search of ['%', 'list_', "'", '\\'])
      expect(await names(`search=${encodeURIComponent(search)}`)).toEqual([]);
    expect(await names('search=list-b%40example')).toEqual(['list-b']);
    expect((await list('limit=100000')).limit).toBe(100);
    expect((await server.get('/users/admin?tier=gold', headers)).statusCode).toBe(400);
  });

  test('finds people by a display name in capitals of any script, whatever the locale of the database', async () => {
    const headers = await renewAdmin();
    const { database } = server.services;
    if (database.dialect.kind === 'postgres')
      await database.write((transaction) =>
        sql`alter table users alter column display_name type text collate "C"`.execute(transaction),
      );
    await putAccount(server, 'upper', 'basic', { displayName: 'ÉMILE (ИВАН) Straße' });
    const names = async (search: string) =>
      userListSchema
        .parse((await server.get(`/users/admin?search=${encodeURIComponent(search)}`, headers)).json())
        .users.map((user) => user.username);
    for (const search of ['émile', 'иван', 'Иван) s', 'STRAßE', 'É'])
      expect([search, await names(search)]).toEqual([search, ['upper']]);
    for (const search of ['иван.', '(', 'x|', 'é*', '[[:alpha:]]'])
      expect([search, await names(search)]).toEqual([search, search === '(' ? ['upper'] : []]);
  });

  test.each(['0', '-1', 'me', '1e3', '%', '0199aaaa-0000-7000-8000-000000000000', "x' or 1=1"])(
    'answers 404 for the person %j',
    async (id) => {
      const headers = await renewAdmin();
      const url = `/users/admin/${encodeURIComponent(id)}`;
      for (const [method, address, payload] of [
        ['GET', url, undefined],
        ['PUT', url, { display_name: 'x' }],
        ['DELETE', url, undefined],
        ['PUT', `${url}/subscription`, { tier: 'pro' }],
      ] as const) {
        const reply = await server.call(method, address, { headers, ...(payload === undefined ? {} : { payload }) });
        expect([method, reply.statusCode, reply.json()]).toEqual([
          method,
          404,
          { error: 'not_found', message: 'This user does not exist.' },
        ]);
      }
    },
  );

  test('gives somebody who forgot it a new password, and ends their sessions', async () => {
    const headers = await renewAdmin();
    const person = await putPerson(server, 'forgetful');
    const reply = await server.call('PUT', `/users/admin/${person.id}`, {
      headers,
      payload: { new_password: 'a fresh start', display_name: 'F' },
    });
    expect(reply.json().user).toMatchObject({ display_name: 'F' });
    expect((await server.get('/auth/me', person.headers)).statusCode).toBe(401);
    expect((await signIn(server, 'forgetful', { payload: { password: 'a fresh start' } })).statusCode).toBe(200);
    expect(
      (await server.call('PUT', `/users/admin/${person.id}`, { headers, payload: { new_password: 'short' } }))
        .statusCode,
    ).toBe(400);
    const common = await server.call('PUT', `/users/admin/${person.id}`, {
      headers,
      payload: { new_password: 'Trustno1' },
    });
    expect(common.json().details).toEqual([{ field: 'new_password', message: failures.commonPassword }]);
    expect(
      (await server.call('PUT', `/users/admin/${person.id}`, { headers, payload: { email: 'chief@example.com' } }))
        .statusCode,
    ).toBe(409);
  });

  test('signs somebody out everywhere, whose open pages see it in their next answer', async () => {
    const headers = await renewAdmin();
    const person = await putPerson(server, 'left-behind');
    const other = personOf(await signIn(server, 'left-behind'));
    const before = await revisionOf(person);
    expect((await server.call('DELETE', `/users/admin/${person.id}/sessions`, { headers })).statusCode).toBe(204);
    expect(await revisionOf(person)).not.toBe(before);
    for (const each of [person, other]) {
      expect((await server.get('/auth/me', each.headers)).statusCode).toBe(401);
      const renewal = { payload: { refresh_token: each.refreshToken } };
      expect((await server.call('POST', '/auth/refresh', renewal)).statusCode).toBe(401);
    }
    expect((await server.get('/auth/me', headers)).statusCode).toBe(200);
    const unknown = await server.call('DELETE', '/users/admin/nobody/sessions', { headers });
    expect([unknown.statusCode, unknown.json().message]).toEqual([404, 'This user does not exist.']);
  });

  test('signs itself out everywhere, too', async () => {
    const own = personOf(await signIn(server, 'chief'));
    const reply = await server.call('DELETE', `/users/admin/${own.id}/sessions`, { headers: own.headers });
    expect(reply.statusCode).toBe(204);
    expect((await server.get('/auth/me', own.headers)).statusCode).toBe(401);
  });

  test('deletes somebody, who is gone at once', async () => {
    const headers = await renewAdmin();
    const person = await putPerson(server, 'unwanted');
    expect((await server.call('DELETE', `/users/admin/${person.id}`, { headers })).statusCode).toBe(204);
    expect((await server.get('/auth/me', person.headers)).statusCode).toBe(401);
    expect((await server.get(`/users/admin/${person.id}`, headers)).statusCode).toBe(404);
  });

  test('proves who it is in Profile before its own password, address or account changes', async () => {
    const own = await putPerson(server, 'self-served', 'admin');
    const call = (method: 'PUT' | 'DELETE', payload?: object) =>
      server.call(method, `/users/admin/${own.id}`, { headers: own.headers, ...(payload && { payload }) });
    const refused = [
      await call('PUT', { new_password: 'stolen at dusk' }),
      await call('PUT', { email: 'thief@example.com' }),
      await call('DELETE'),
    ];
    expect(refused.map((reply) => [reply.statusCode, reply.json().error])).toEqual(
      refused.map(() => [403, 'forbidden']),
    );
    const kept = await call('PUT', { display_name: 'Self', email: 'self-served@example.com' });
    expect([kept.statusCode, kept.json().user.display_name]).toEqual([200, 'Self']);
    expect((await signIn(server, 'self-served')).statusCode).toBe(200);
    const gone = await server.call('DELETE', '/users/profile', { headers: own.headers, payload: { password } });
    expect(gone.statusCode).toBe(204);
  });

  test('never loses its last administrator', async () => {
    const headers = await renewAdmin();
    const lower = (id: string, payload: object, by = headers) =>
      server.call('PUT', `/users/admin/${id}/subscription`, { headers: by, payload });
    const remove = (id: string, by = headers) => server.call('DELETE', `/users/admin/${id}`, { headers: by });
    for (const reply of [
      await lower(admin.id, { tier: 'basic' }),
      await lower(admin.id, { tier: 'admin', expires_at: new Date(clock.now() + dayMs).toISOString() }),
      await remove(admin.id),
    ])
      expect([reply.statusCode, reply.json().error]).toEqual([409, 'conflict']);

    const second = await putAccount(server, 'deputy', 'admin');
    const outcomes = await Promise.allSettled(
      [admin.id, second].map((id) =>
        userAdmin.changeSubscription(server.services.accounts, admin.id, id, { tier: 'basic', expiresAt: null }),
      ),
    );
    expect(outcomes.map((outcome) => outcome.status).sort()).toEqual(['fulfilled', 'rejected']);
    const left = await server.services.database.reader
      .selectFrom('users')
      .select('username')
      .where('tier', '=', 'admin')
      .execute();
    expect(left).toHaveLength(1);
  });
});

describe('a password that is changed while the old one is being checked', () => {
  const fresh = 'south pier at dusk';
  /** Lets something happen right after the next password was found right. */
  const afterNextCheck = (happen: () => Promise<unknown>) => {
    const { hasher } = server.services.accounts;
    const check = hasher.verify;
    const spy = vi.spyOn(hasher, 'verify').mockImplementationOnce(async (...given) => {
      const isRight = await check(...given);
      await happen();
      return isRight;
    });
    onTestFinished(() => spy.mockRestore());
  };
  const give = (id: string, headers: Person['headers']) =>
    server.call('PUT', `/users/admin/${id}`, { headers, payload: { new_password: fresh } });
  const expectFresh = async (username: string) => {
    expect((await signIn(server, username)).statusCode).toBe(401);
    expect((await signIn(server, username, { payload: { password: fresh } })).statusCode).toBe(200);
  };

  test('lets nobody in with the old one, nor brings it back with a better hash', async () => {
    const [person, chief] = [await putPerson(server, 'rescued'), await putPerson(server, 'rescuer', 'admin')];
    vi.spyOn(server.services.accounts.hasher, 'isOutdated').mockReturnValueOnce(true);
    afterNextCheck(() => give(person.id, chief.headers));
    const reply = await signIn(server, 'rescued');
    expect([reply.statusCode, reply.json().error]).toEqual([401, 'invalid_credentials']);
    await expectFresh('rescued');
  });

  test('is not changed again, nor the address or the account, by who knows the old one', async () => {
    const chief = await putPerson(server, 'watcher', 'admin');
    const attempts = [
      ['POST', '/auth/change-password', { current_password: password, new_password: 'stolen at night' }],
      ['PUT', '/users/profile', { email: 'thief@example.com', current_password: password }],
      ['DELETE', '/users/profile', { password }],
    ] as const;
    for (const [at, [method, url, payload]] of attempts.entries()) {
      const person = await putPerson(server, `watched-${at}`);
      afterNextCheck(() => give(person.id, chief.headers));
      const reply = await server.call(method, url, { headers: person.headers, payload });
      expect([reply.statusCode, reply.json().details[0].message]).toEqual([400, 'The password is wrong']);
      await expectFresh(`watched-${at}`);
    }
  });

  test('is still right when another sign-in has only improved its hash', async () => {
    await putAccount(server, 'twins');
    vi.spyOn(server.services.accounts.hasher, 'isOutdated').mockReturnValue(true);
    onTestFinished(() => void vi.restoreAllMocks());
    afterNextCheck(() => signIn(server, 'twins'));
    expect((await signIn(server, 'twins')).statusCode).toBe(200);
  });
});

test('a person’s password is never what it was stored as', async () => {
  await putAccount(server, 'stored');
  const { password_hash: hash } = await server.services.database.reader
    .selectFrom('users')
    .select('password_hash')
    .where('username', '=', 'stored')
    .executeTakeFirstOrThrow();
  expect(hash).toMatch(/^\$argon2id\$v=19\$m=\d+,t=\d+,p=1\$[\w+/]{22}\$[\w+/]{43}$/);
  expect((await signIn(server, 'stored', { payload: { password: hash ?? '' } })).statusCode).toBe(401);
  expect(password).not.toBe(hash);
});
