import cookie from '@fastify/cookie';
import { fastify } from 'fastify';
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { endpoint } from '#contract/endpoint.ts';
import { limits } from '#contract/limits.ts';
import { answerError } from '#server/http/pipeline/errors.ts';
import { anonymous } from '#server/http/pipeline/guards.ts';
import { repeatAnswers } from '#server/http/pipeline/repeat-answers.ts';
import { provideFacts, route } from '#server/http/pipeline/route.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { password, personOf, putAccount, putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
// It looks for jobs by itself, and would be counted among what a call writes.
await server.services.runner.stop();
const mara = await putPerson(server, 'mara');
await putPerson(server, 'chief', 'admin');

function register(name: string, key: string, more: object = {}) {
  const payload = { username: name, email: `${name}@example.com`, password, ...more };
  return server.call('POST', '/auth/register', { headers: { 'idempotency-key': key }, payload });
}

describe('a write with a key', () => {
  test('acts once and answers the same again', async () => {
    const first = await register('once', 'key-1');
    const again = await register('once', 'key-1');
    expect([first.statusCode, again.statusCode]).toEqual([201, 201]);
    expect(again.json()).toEqual(first.json());
    expect(again.headers['content-type']).toBe(first.headers['content-type']);
    expect(again.headers['x-request-id']).not.toBe(first.headers['x-request-id']);
    expect((await server.get('/auth/me', personOf(again).headers)).statusCode).toBe(200);
    expect((await register('once', 'key-2')).statusCode).toBe(409);
  });

  test('keeps nothing that opens anything where others could read it', async () => {
    const reply = await register('sealed', 'key-3');
    const rows = await server.services.database.reader.selectFrom('repeatable_answers').selectAll().execute();
    expect(rows.length).toBeGreaterThan(0);
    expect(JSON.stringify(rows)).not.toContain(reply.json().refresh_token);
    expect(JSON.stringify(rows)).not.toContain('key-3');
  });

  test('repeats an empty answer, too', async () => {
    const call = () =>
      server.call('POST', '/auth/logout-all', { headers: { ...mara.headers, 'idempotency-key': 'key-4' } });
    expect((await call()).statusCode).toBe(204);
    // The session that made the call is over: the guard comes first.
    expect((await call()).statusCode).toBe(401);
    const person = await putPerson(server, 'blocker');
    const block = () =>
      server.call('PUT', '/users/blocklist', {
        headers: { ...person.headers, 'idempotency-key': 'key-5' },
        payload: { blocked_tag_ids: ['a'] },
      });
    await block();
    await server.call('PUT', '/users/blocklist', { headers: person.headers, payload: { blocked_tag_ids: [] } });
    expect((await block()).json()).toEqual({ blocked_tag_ids: ['a'] });
    expect((await server.get('/users/blocklist', person.headers)).json()).toEqual({ blocked_tag_ids: [] });
  });

  test('is somebody’s own: the same key of another caller, or at another call, is another one', async () => {
    const [one, two] = [await putPerson(server, 'one'), await putPerson(server, 'two')];
    const rename = (headers: Record<string, string>, name: string) =>
      server.call('PUT', '/users/profile', {
        headers: { ...headers, 'idempotency-key': 'same' },
        payload: { display_name: name },
      });
    expect((await rename(one.headers, 'One')).json().user.display_name).toBe('One');
    expect((await rename(two.headers, 'Two')).json().user.display_name).toBe('Two');
    const accept = await server.call('POST', '/api/users/eula/accept', {
      headers: { ...one.headers, 'idempotency-key': 'same' },
      payload: {},
    });
    expect(accept.json().eula_accepted).toBe(true);
  });

  test('that was used for something else is refused', async () => {
    await register('first-use', 'key-6');
    const reply = await register('second-use', 'key-6');
    expect([reply.statusCode, reply.json().error]).toEqual([409, 'conflict']);
  });

  test('twice at the same moment acts once', async () => {
    const replies = await Promise.all([1, 2, 3].map(() => register('moment', 'key-7')));
    expect(replies.filter((reply) => reply.statusCode === 201).length).toBeGreaterThanOrEqual(1);
    for (const reply of replies) expect([201, 503]).toContain(reply.statusCode);
    expect((await register('moment', 'key-7')).statusCode).toBe(201);
  });

  test('whose first try was refused for now may be tried again', async () => {
    const from = { remoteAddress: '198.51.100.9' };
    const signIn = (given: string) =>
      server.call('POST', '/auth/login', {
        ...from,
        headers: { 'idempotency-key': 'key-8' },
        payload: { identifier: 'chief', password: given },
      });
    expect((await signIn('wrong')).statusCode).toBe(401);
    expect((await signIn(password)).statusCode).toBe(200);
  });

  test('is forgotten after a day', async () => {
    await register('day', 'key-9');
    clock.pass(24 * 3_600_000 + 1);
    expect((await register('day', 'key-9')).statusCode).toBe(409);
  });

  test('that is too long is refused', async () => {
    const reply = await register('long', 'x'.repeat(201));
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'validation_failed']);
  });

  test('that was refused leaves nothing behind, and may be tried again', async () => {
    const before = await keys();
    const person = await putPerson(server, 'refused');
    const headers = { 'idempotency-key': 'key-10', ...person.headers };
    const email = (address: string) =>
      server.call('PUT', '/users/profile', { headers, payload: { email: address, current_password: password } });
    expect((await email('mara@example.com')).statusCode).toBe(409);
    expect((await register('mara', 'key-11')).statusCode).toBe(409);
    expect(
      (
        await server.call('POST', '/auth/login', {
          headers: { 'idempotency-key': 'key-12' },
          payload: { identifier: 'mara', password: 'no' },
        })
      ).statusCode,
    ).toBe(401);
    expect(await keys()).toEqual(before);
    expect((await email('refused-2@example.com')).statusCode).toBe(200);
  });

  test.each([
    ['is not valid', 'POST', '/auth/register', { username: 'x' }, 400],
    ['is no such thing at all', 'POST', '/auth/login', 'text', 400],
    ['is for those who are signed in', 'PUT', '/users/profile', { display_name: 'x' }, 401],
    ['is for administrators', 'POST', '/api/clear-cache', {}, 401],
    ['says a wrong site password', 'POST', '/api/password-auth', { password: '' }, 400],
    ['asks for a TV that nobody knows', 'POST', '/auth/device/token', { device_code: 'guessed' }, 400],
  ] as const)('at a call that %s writes nothing at all', async (_, method, url, payload, status) => {
    const writes = countWrites(server);
    const reply = await server.call(method, url, {
      headers: { 'idempotency-key': `refused ${url}`, 'content-type': 'application/json' },
      payload: JSON.stringify(payload),
    });
    expect([reply.statusCode, writes.stop()]).toEqual([status, 0]);
  });

  test('beyond a limit writes nothing', async () => {
    const from = { remoteAddress: '198.51.100.77' };
    const call = (number: number) =>
      server.call('POST', '/auth/register', {
        ...from,
        headers: { 'idempotency-key': `many-${number}` },
        payload: { username: `many-${number}`, email: `many-${number}@example.com`, password },
      });
    for (let number = 1; number <= 6; number += 1)
      expect((await call(number)).statusCode).toBe(number <= 5 ? 201 : 429);
    const writes = countWrites(server);
    for (let number = 7; number <= 20; number += 1) expect((await call(number)).statusCode).toBe(429);
    expect(writes.stop()).toBe(0);
  });

  test('is kept for a hundred calls of one person, and for a thousand of all strangers: the oldest go first', async () => {
    const person = await putPerson(server, 'busy');
    const rename = (number: number) =>
      server.call('PUT', '/users/profile', {
        headers: { 'idempotency-key': `busy-${number}`, ...person.headers },
        payload: { display_name: `Busy ${number}` },
      });
    for (let number = 1; number <= 103; number += 1) {
      expect((await rename(number)).statusCode).toBe(200);
      clock.pass(1);
    }
    expect(await countOf(`user ${person.id}`)).toBe(100);
    expect((await rename(4)).json().user.display_name).toBe('Busy 4');
    expect((await server.get('/users/profile', person.headers)).json().user.display_name).toBe('Busy 103');

    const { database } = server.services;
    const most = limits.idempotencyAnswersOfStrangers;
    const old = Array.from({ length: most }, (_, index) => index).map((index) => ({
      key: `stranger ${index}`,
      owner: 'strangers',
      body_hash: '',
      status: 200,
      answer: 'x',
      forgotten_at: clock.now() + index + 1,
    }));
    await database.write(async (transaction) => {
      await transaction.deleteFrom('repeatable_answers').where('owner', '=', 'strangers').execute();
      for (let at = 0; at < old.length; at += 100)
        await transaction
          .insertInto('repeatable_answers')
          .values(old.slice(at, at + 100))
          .execute();
    });
    expect(
      (
        await server.call('POST', '/auth/register', {
          remoteAddress: '198.51.100.78',
          headers: { 'idempotency-key': 'key-13' },
          payload: { username: 'late', email: 'late@example.com', password },
        })
      ).statusCode,
    ).toBe(201);
    expect(await countOf('strangers')).toBe(most);
    expect(await keys()).not.toContain('stranger 0');
    expect(await keys()).toContain('stranger 1');
  });

  test('acts once also when the answer is too long to be kept', async () => {
    const app = fastify();
    app.decorate('identifyCaller', async () => anonymous);
    app.decorateRequest('caller', null);
    provideFacts(app);
    app.setErrorHandler(answerError);
    await app.register(cookie);
    repeatAnswers(app, server.services.accounts);
    const done: number[] = [];
    route(
      app,
      endpoint<{ body: { length: number }; reply: string }>('POST', '/long', 'anyone'),
      { body: z.object({ length: z.number() }) },
      async ({ body }) => {
        done.push(body.length);
        return 'x'.repeat(body.length);
      },
    );
    const call = (length: number) =>
      app.inject({
        method: 'POST',
        url: '/long',
        headers: { 'idempotency-key': `long-${length}` },
        payload: { length },
      });
    const short = limits.idempotencyAnswerBytes - 200;
    for (const length of [short, limits.idempotencyAnswerBytes])
      expect((await call(length)).body).toBe('x'.repeat(length));
    expect((await call(short)).body).toBe('x'.repeat(short));
    expect((await call(limits.idempotencyAnswerBytes)).json()).toMatchObject({
      error: 'conflict',
      message: expect.stringContaining('done already'),
    });
    expect(done).toEqual([short, limits.idempotencyAnswerBytes]);
    await app.close();
  });

  test('that has run out is swept away, however many there are', async () => {
    const { database, accounts } = server.services;
    const rows = Array.from({ length: 1_200 }, (_, index) => ({
      key: `old ${index}`,
      owner: '',
      body_hash: '',
      status: 200,
      answer: null,
      forgotten_at: 1,
    }));
    await database.write(async (transaction) => {
      for (let at = 0; at < rows.length; at += 100)
        await transaction
          .insertInto('repeatable_answers')
          .values(rows.slice(at, at + 100))
          .execute();
    });
    accounts.startSweeping();
    await accounts.stopSweeping();
    expect((await keys()).filter((key) => key.startsWith('old '))).toEqual([]);
  });
});

test('a key acts once on all servers of a site', async () => {
  const shared = await migratedSite();
  const [one, two] = [await startServer({ env: shared }), await startServer({ env: shared })];
  await putAccount(one, 'somebody');
  const payload = { username: 'shared', email: 'shared@example.com', password };
  const call = (on: ServerUnderTest) =>
    on.call('POST', '/auth/register', { headers: { 'idempotency-key': 'shared' }, payload });
  const replies = await Promise.all([call(one), call(two), call(one), call(two)]);
  for (const reply of replies) expect(reply.statusCode).toBeOneOf([201, 503]);
  const again = [await call(one), await call(two)];
  expect(again.map((reply) => reply.statusCode)).toEqual([201, 201]);
  expect(again[0]?.json()).toEqual(again[1]?.json());
});

async function keys(): Promise<string[]> {
  return (
    await server.services.database.reader.selectFrom('repeatable_answers').select('key').orderBy('key').execute()
  ).map((row) => row.key);
}

async function countOf(owner: string): Promise<number> {
  return (
    await server.services.database.reader
      .selectFrom('repeatable_answers')
      .select('key')
      .where('owner', '=', owner)
      .execute()
  ).length;
}

/** Counts the transactions that write. */
function countWrites({ services: { database } }: ServerUnderTest): { stop(): number } {
  const write = vi.spyOn(database, 'write');
  return {
    stop() {
      const { length } = write.mock.calls;
      write.mockRestore();
      return length;
    },
  };
}
