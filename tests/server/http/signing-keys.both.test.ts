import { describe, expect, test } from 'vitest';
import { createSigningKeys } from '#server/http/signing.ts';
import { personOf, putPerson, refresh, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const dayMs = 86_400_000;

describe('the keys that sign', () => {
  test('change every month, and what the old ones signed holds until it runs out by itself', async () => {
    const clock = settableClock();
    const server = await startServer({ overrides: { clock } });
    const { keys } = server.services.accounts;
    const first = await keys.newest('refresh-token');
    const signature = await keys.sign('refresh-token', 'text');
    clock.pass(30 * dayMs);
    expect((await keys.newest('refresh-token')).id).not.toBe(first.id);
    expect(await keys.isSigned('refresh-token', 'text', signature)).toBe(true);
    clock.pass(31 * dayMs);
    expect(await keys.isSigned('refresh-token', 'text', signature)).toBe(true);
    clock.pass(32 * dayMs);
    await keys.newest('refresh-token');
    await sweep(server);
    clock.pass(60_000);
    expect(await keys.isSigned('refresh-token', 'text', signature)).toBe(false);
  });

  test('are the same on every node, also when two make the first one at once and when one has not heard of the newest', async () => {
    const clock = settableClock();
    const { database } = (await startServer({ overrides: { clock } })).services;
    const [here, there] = [createSigningKeys(database, clock), createSigningKeys(database, clock)];
    const [one, two] = await Promise.all([here.newest('access-token'), there.newest('access-token')]);
    expect(one).toEqual(two);
    clock.pass(30 * dayMs - 30_000);
    await there.newest('access-token');
    clock.pass(30_000);
    const signed = await here.sign('gate-cookie', 'text');
    clock.pass(1_000);
    expect(await there.isSigned('gate-cookie', 'text', signed)).toBe(true);
  });

  test('of one purpose are of no use for another, nor for another text', async () => {
    const { keys } = (await startServer()).services.accounts;
    const signature = await keys.sign('gate-cookie', 'text');
    expect(await keys.isSigned('gate-cookie', 'text', signature)).toBe(true);
    expect(await keys.isSigned('session-cookie', 'text', signature)).toBe(false);
    expect(await keys.isSigned('gate-cookie', 'texts', signature)).toBe(false);
    for (const forged of ['', '.', '1.', `9.${signature.split('.')[1]}`, `%.${signature.split('.')[1]}`])
      expect(await keys.isSigned('gate-cookie', 'text', forged)).toBe(false);
  });
});

test('somebody who comes back once a month stays signed in over every change of keys', async () => {
  const clock = settableClock();
  const server = await startServer({ overrides: { clock } });
  await putPerson(server, 'loyal');
  let person = personOf(
    await server.call('POST', '/auth/login', {
      payload: { identifier: 'loyal', password: 'north pier at dawn', rememberMe: true },
    }),
  );
  for (let month = 0; month < 5; month += 1) {
    clock.pass(29 * dayMs);
    person = personOf(await refresh(server, person.refreshToken));
  }
  expect((await server.get('/auth/me', person.headers)).statusCode).toBe(200);
});

test('a clock that is ten years ahead for a while shuts nobody out for good', async () => {
  const clock = settableClock();
  const server = await startServer({ overrides: { clock } });
  const tenYears = 3_653 * dayMs;
  let person = await putPerson(server, 'far-away');
  for (const ms of [tenYears, -tenYears]) {
    clock.jump(ms);
    const { id } = person;
    person = personOf(await signIn(server, 'far-away'));
    expect(person.id).toBe(id);
    expect((await server.get('/auth/me', person.headers)).statusCode).toBe(200);
    person = personOf(await refresh(server, person.refreshToken));
  }
});

test('a clock that is ten years ahead for three days removes no remembered session and no key', async () => {
  const clock = settableClock();
  const server = await startServer({ overrides: { clock } });
  await sweep(server);
  clock.pass(dayMs);
  await putPerson(server, 'remembered');
  const person = personOf(await signIn(server, 'remembered', { payload: { rememberMe: true } }));
  clock.pass(29 * dayMs);
  await sweep(server);
  clock.jump(3_653 * dayMs);
  await putPerson(server, 'meanwhile');
  for (let hours = 0; hours < 72; hours += 1) {
    await sweep(server);
    clock.pass(3_600_000);
  }
  clock.jump(-3_653 * dayMs - 72 * 3_600_000);
  await sweep(server);
  expect((await refresh(server, person.refreshToken)).statusCode).toBe(200);
});

test('a session is removed once it has run out for a month, whatever the clock did before', async () => {
  const clock = settableClock();
  const server = await startServer({ overrides: { clock } });
  await putPerson(server, 'short');
  const countSessions = async () =>
    (await server.services.database.reader.selectFrom('sessions').select('id').execute()).length;
  clock.jump(-400 * dayMs);
  await sweep(server);
  clock.jump(400 * dayMs);
  clock.pass(30 * dayMs);
  await sweep(server);
  expect(await countSessions()).toBe(1);
  clock.pass(30 * dayMs);
  await sweep(server);
  expect(await countSessions()).toBe(0);
});

async function sweep({ services: { accounts } }: ServerUnderTest): Promise<void> {
  accounts.startSweeping();
  await accounts.stopSweeping();
}
