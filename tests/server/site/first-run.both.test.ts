import { describe, expect, test } from 'vitest';
import { profileSchema } from '#contract/entities/user.ts';
import { settingRepository } from '#server/settings-repository.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { password, putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';

type Headers = Record<string, string>;

/** Creates the first account as its owner does. */
async function registerFirst(server: ServerUnderTest): Promise<Headers> {
  const payload = {
    username: 'ada',
    email: 'ada@example.com',
    password,
    setup_code: server.services.accounts.setup.current(),
  };
  const reply = (await server.call('POST', '/auth/register', { payload })).json();
  return { authorization: `Bearer ${reply.access_token}` };
}

async function isFirstRun(server: ServerUnderTest, headers: Headers): Promise<boolean> {
  const profile = profileSchema.parse((await server.get('/users/profile', headers)).json());
  return profile.authenticated && profile.first_run === true;
}

const nothingSet = { LIBRARY_DIRS: '', SITE_PASSWORD: '', REGISTRATION: '' };

describe('the first run', () => {
  test('is shown to whoever made the first account, on every node, until they have been through it', async () => {
    const env = { ...(await migratedSite()), ...nothingSet };
    const [one, two] = [await startServer({ env }), await startServer({ env })];
    const headers = await registerFirst(one);
    expect([await isFirstRun(one, headers), await isFirstRun(two, headers)]).toEqual([true, true]);
    expect((await two.call('DELETE', '/api/admin/first-run', { headers })).statusCode).toBe(204);
    expect([await isFirstRun(one, headers), await isFirstRun(two, headers)]).toEqual([false, false]);
  });

  test('is shown to no other administrator, who cannot end it either', async () => {
    const server = await startServer({ env: nothingSet });
    const first = await registerFirst(server);
    const { headers } = await putPerson(server, 'grace', 'admin');
    expect(await isFirstRun(server, headers)).toBe(false);
    await server.call('DELETE', '/api/admin/first-run', { headers });
    expect(await isFirstRun(server, first)).toBe(true);
  });

  test('is not shown any more to somebody who is no administrator now', async () => {
    const server = await startServer({ env: nothingSet });
    const first = await registerFirst(server);
    const { headers } = await putPerson(server, 'grace', 'admin');
    const { users } = (await server.get('/users/admin?search=ada', headers)).json();
    const payload = { tier: 'basic' };
    await server.call('PUT', `/users/admin/${users[0].id}/subscription`, { headers, payload });
    expect(await isFirstRun(server, first)).toBe(false);
  });

  test.each<[string, Record<string, string>, boolean]>([
    ['the folders and the password', { LIBRARY_DIRS: '/films', SITE_PASSWORD: 'open sesame' }, false],
    ['the folders and who gets an account', { LIBRARY_DIRS: '/films', REGISTRATION: 'closed' }, false],
    ['the folders alone', { LIBRARY_DIRS: '/films' }, true],
    ['the password alone', { SITE_PASSWORD: 'open sesame' }, true],
  ])('where the operator has set %s, has something to ask or nothing', async (_, given, isShown) => {
    const { services } = await startServer({ env: { ...nothingSet, ...given } });
    await services.database.write((transaction) => settingRepository.startFirstRun(transaction, 'ada', 1));
    expect(await services.settings.isFirstRunOf('ada')).toBe(isShown);
  });
});

test('an account that was there before there was a first run is not asked', async () => {
  const server = await startServer({ env: nothingSet });
  const { headers } = await putPerson(server, 'root', 'admin');
  expect(await isFirstRun(server, headers)).toBe(false);
});
