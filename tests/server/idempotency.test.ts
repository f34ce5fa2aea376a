import { afterAll, describe, expect, test } from 'vitest';
import { password, personOf, putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterAll);
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
    const call = () => server.call('POST', '/auth/logout-all', { headers: { ...mara.headers, 'idempotency-key': 'key-4' } });
    expect((await call()).statusCode).toBe(204);
    // The session that made the call is over: the guard comes first.
    expect((await call()).statusCode).toBe(401);
    const person = await putPerson(server, 'blocker');
    const block = () =>
      server.call('PUT', '/users/blocklist', { headers: { ...person.headers, 'idempotency-key': 'key-5' }, payload: { blocked_tag_ids: ['a'] } });
    await block();
    await server.call('PUT', '/users/blocklist', { headers: person.headers, payload: { blocked_tag_ids: [] } });
    expect((await block()).json()).toEqual({ blocked_tag_ids: ['a'] });
    expect((await server.get('/users/blocklist', person.headers)).json()).toEqual({ blocked_tag_ids: [] });
  });

  test('is somebody’s own: the same key of another caller, or at another call, is another one', async () => {
    const [one, two] = [await putPerson(server, 'one'), await putPerson(server, 'two')];
    const rename = (headers: Record<string, string>, name: string) =>
      server.call('PUT', '/users/profile', { headers: { ...headers, 'idempotency-key': 'same' }, payload: { display_name: name } });
    expect((await rename(one.headers, 'One')).json().user.display_name).toBe('One');
    expect((await rename(two.headers, 'Two')).json().user.display_name).toBe('Two');
    const accept = await server.call('POST', '/api/users/eula/accept', { headers: { ...one.headers, 'idempotency-key': 'same' }, payload: {} });
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
      server.call('POST', '/auth/login', { ...from, headers: { 'idempotency-key': 'key-8' }, payload: { identifier: 'chief', password: given } });
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
});
