import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { countStatements } from '#tests/support/database/statements.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import type { Person } from '#tests/support/people.ts';
import { password, personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { SettableClock } from '#tests/support/settable-clock.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

/** Two nodes that share a clock. The log is read when a test says so. */
let here: ServerUnderTest;
let there: ServerUnderTest;
let clock: SettableClock;
let chief: Person;
let ada: Person;

beforeAll(async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  clock = settableClock();
  const options = {
    env: { ...(await migratedSite(afterFile)), LIBRARY_DIRS: temporaryFolder(afterFile) },
    overrides: { clock },
  };
  [here, there] = [await startServer(options, afterFile), await startServer(options, afterFile)];
  vi.useRealTimers();
  chief = await putPerson(here, 'chief', 'admin');
});

let people = 0;
beforeEach(async () => {
  people += 1;
  await putAccount(here, `ada-${people}`, 'pro');
  // A quarter of an hour later no access token of the test before is good.
  clock.pass(900_000);
  chief = personOf(await signIn(here, 'chief'));
  ada = personOf(await signIn(here, `ada-${people}`));
  await follow();
  clock.pass(1);
});

const follow = () => there.services.accounts.changes.follow();

const identify = ({ headers }: Pick<Person, 'headers'> = ada) =>
  there.services.identifyCaller({ headers, facts: null } as unknown as FastifyRequest);

const tierThere = async () => (await identify()).user?.tier ?? null;

/** What changes a person, and the tier that the other node sees afterwards; null: nobody is signed in. */
const changes: readonly [string, string | null, () => Promise<unknown>][] = [
  ['a sign-out', null, () => here.call('POST', '/auth/logout', { headers: ada.headers, payload: {} })],
  ['a sign-out everywhere', null, () => here.call('POST', '/auth/logout-all', { headers: ada.headers })],
  ['another tier', 'basic', () => setTier('basic')],
  ['sessions ended by an administrator', null, () => ofChief('DELETE', `/users/admin/${ada.id}/sessions`)],
  ['a deletion by an administrator', null, () => ofChief('DELETE', `/users/admin/${ada.id}`)],
  ['a deletion of their own', null, deleteOwn],
  ['another password, set elsewhere', null, changePassword],
  ['a refresh token that comes a second time', null, reuseToken],
  [
    'a plan that an operator ends in SQL',
    'basic',
    () => run(`update users set tier_expires_at = 1 where id = '${ada.id}'`),
  ],
  ['a tier that an operator sets in SQL', 'admin', () => run(`update users set tier = 'admin' where id = '${ada.id}'`)],
  ['sessions that an operator deletes in SQL', null, () => run(`delete from sessions where user_id = '${ada.id}'`)],
  ['a person whom an operator deletes in SQL', null, () => run(`delete from users where id = '${ada.id}'`)],
];

const run = (statement: string) =>
  here.services.database.write((transaction) => sql.raw(statement).execute(transaction));
const ofChief = (method: 'PUT' | 'DELETE', url: string, payload?: object) =>
  here.call(method, url, { headers: chief.headers, payload });
const setTier = (tier: string) => ofChief('PUT', `/users/admin/${ada.id}/subscription`, { tier, expires_at: null });

async function deleteOwn(): Promise<void> {
  const payload = { password };
  await here.call('DELETE', '/users/profile', { headers: ada.headers, payload });
}

async function changePassword(): Promise<void> {
  const { headers } = personOf(await signIn(here, ada.username));
  const payload = { current_password: password, new_password: 'south pier at dusk' };
  await here.call('POST', '/auth/change-password', { headers, payload });
}

async function reuseToken(): Promise<void> {
  const refresh = () => here.call('POST', '/auth/refresh', { payload: { refresh_token: ada.refreshToken } });
  await refresh();
  clock.pass(60_000);
  await refresh();
}

describe('on another node', () => {
  test.each(changes)('%s holds with the next reading of the log', async (_, tier, change) => {
    expect(await tierThere()).toBe('pro');
    await change();
    await follow();
    expect(await tierThere()).toBe(tier);
  });

  test('who is signed in is not asked for again while the log is read', async () => {
    expect(await tierThere()).toBe('pro');
    const asked = await countStatements(identify, async () => {
      clock.pass(14_000);
      await follow();
    });
    expect(asked).toBe(0);
  });

  test('after five minutes they are asked for all the same', async () => {
    await identify();
    const asked = await countStatements(identify, async () => {
      for (let ms = 0; ms < 300_000; ms += 4_000) {
        clock.pass(4_000);
        await follow();
      }
    });
    expect(asked).toBeGreaterThan(0);
  });

  test('a plan and a session end by their time, whatever the log says', async () => {
    await run(`update users set tier_expires_at = ${clock.now() + 60_000} where id = '${ada.id}'`);
    await run(`update sessions set expires_at = ${clock.now() + 120_000} where user_id = '${ada.id}'`);
    await follow();
    expect(await tierThere()).toBe('pro');
    clock.pass(60_000);
    await follow();
    expect(await tierThere()).toBe('basic');
    clock.pass(60_000);
    await follow();
    expect(await tierThere()).toBeNull();
  });

  test('a session that was renewed meanwhile does not end at its old time', async () => {
    expect(await tierThere()).toBe('pro');
    const { expires_at } = await here.services.database.reader
      .selectFrom('sessions')
      .select('expires_at')
      .where('user_id', '=', ada.id)
      .executeTakeFirstOrThrow();
    clock.pass(expires_at - clock.now() - 100_000);
    await follow();
    const token = (await here.call('POST', '/auth/refresh', { payload: { refresh_token: ada.refreshToken } })).json();
    const renewed = { headers: { authorization: `Bearer ${token.access_token}` } };
    expect((await identify(renewed)).user?.tier).toBe('pro');
    clock.pass(100_001);
    await follow();
    expect((await identify(renewed)).user?.tier).toBe('pro');
  });

  test.each([
    ['has not read the log for five seconds', async () => clock.pass(5_000)],
    ['slept', async () => clock.jump(5_000)],
  ])('a node that %s asks the database', async (_, pause) => {
    expect(await tierThere()).toBe('pro');
    clock.pass(5_000);
    await follow();
    await run(`update users set tier = 'admin' where id = '${ada.id}'`);
    expect(await tierThere()).toBe('pro');
    await pause();
    expect(await tierThere()).toBe('admin');
  });

  test('what was read before the first reading of the log does not last', async () => {
    const late = await startServer({
      env: {
        ...(there.services.env.databaseUrl === undefined ? {} : { DATABASE_URL: there.services.env.databaseUrl }),
        DATA_DIR: there.services.env.dataFolder,
        LIBRARY_DIRS: there.services.env.libraryFolders.join(':'),
      },
      overrides: { clock },
    });
    const tierLate = async () =>
      (await late.services.identifyCaller({ headers: ada.headers, facts: null } as unknown as FastifyRequest)).user
        ?.tier;
    expect(await tierLate()).toBe('pro');
    await run(`update users set tier = 'admin' where id = '${ada.id}'`);
    clock.pass(5_000);
    await late.services.accounts.changes.follow();
    expect(await tierLate()).toBe('admin');
  });
});

test('a change whose transaction is long is not missed by readings meanwhile', async () => {
  expect(await tierThere()).toBe('pro');
  const [written, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const long = here.services.database.write(async (transaction) => {
    await transaction.updateTable('users').set({ tier: 'admin' }).where('id', '=', ada.id).execute();
    written.resolve();
    await going.promise;
  });
  await written.promise;
  if (there.services.database.dialect.kind === 'postgres')
    await there.services.database.write((transaction) =>
      transaction.updateTable('users').set({ tier: 'basic' }).where('id', '=', chief.id).execute(),
    );
  await follow();
  await follow();
  expect(await tierThere()).toBe('pro');
  going.resolve();
  await long;
  await follow();
  expect(await tierThere()).toBe('admin');
});
