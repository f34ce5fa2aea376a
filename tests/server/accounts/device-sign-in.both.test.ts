import { networkInterfaces } from 'node:os';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { authReplySchema, deviceRequestSchema, waitingDeviceSchema } from '#contract/entities/account.ts';
import { userChangeRepository } from '#server/features/users/user-change-repository.ts';
import { originForOthers } from '#server/http/local-names.ts';
import { password, personOf, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ overrides: { clock } }, afterFile);
// It looks for jobs by itself, and would be counted among what a poll writes.
await server.services.runner.stop();
const userAgent =
  'Mozilla/5.0 (Web0S; Linux/SmartTV) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/79.0.3945.79 Safari/537.36';

const start = async () =>
  deviceRequestSchema.parse(
    (await server.call('POST', '/auth/device', { headers: { host: 'nas.local:4400' } })).json(),
  );
const poll = (code: string) =>
  server.call('POST', '/auth/device/token', { payload: { device_code: code }, headers: { 'user-agent': userAgent } });
const lookUp = (headers: Record<string, string>, code: string, remoteAddress = '127.0.0.1') =>
  server.call('POST', '/auth/device/lookup', { headers, payload: { user_code: code }, remoteAddress });
const approve = (headers: Record<string, string>, code: string) =>
  server.call('POST', '/auth/device/approve', { headers, payload: { user_code: code } });

describe('a TV', () => {
  test('shows a code, waits, and is signed in once somebody has entered it elsewhere', async () => {
    const person = await putPerson(server, 'viewer-1', 'pro');
    const { device_code: deviceCode, user_code: userCode, ...facts } = await start();
    expect(userCode).toMatch(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/);
    expect(facts).toEqual({ verification_url: 'http://nas.local:4400/', expires_in: 300, interval: 5 });
    expect((await poll(deviceCode)).json().error).toBe('authorization_pending');
    expect((await approve(person.headers, userCode.toLowerCase().replace('-', ' '))).statusCode).toBe(204);
    clock.pass(5_000);
    const reply = await poll(deviceCode);
    expect(reply.statusCode).toBe(200);
    const { user, access_token } = authReplySchema.parse(reply.json());
    expect(user.id).toBe(person.id);
    const sessions = (await server.get('/auth/sessions', { authorization: `Bearer ${access_token}` })).json().sessions;
    expect(sessions[0]).toMatchObject({ device: 'Chrome on an LG TV', current: true });
    clock.pass(5_000);
    expect((await poll(deviceCode)).json().error).toBe('expired_token');
  });

  test('opened on this machine shows an address that other devices can open, where there is one', async () => {
    const { verification_url: url } = (
      await server.call('POST', '/auth/device', { headers: { host: 'localhost:4400' } })
    ).json();
    const listening = { host: server.services.env.host, interfaces: networkInterfaces(), names: null };
    expect(url).toBe(`${originForOthers('http://localhost:4400', listening) ?? 'http://localhost:4400'}/`);
  });

  test('is described to whoever is about to approve it: what it is, where it asked from and when', async () => {
    const person = await putPerson(server, 'viewer-4');
    const askedAt = clock.now();
    const reply = await server.call('POST', '/auth/device', {
      remoteAddress: '::ffff:192.0.2.44',
      headers: { 'user-agent': userAgent },
    });
    const { user_code: code } = deviceRequestSchema.parse(reply.json());
    clock.pass(7_000);
    const found = await lookUp(person.headers, code.toLowerCase(), '198.51.100.3');
    const facts = { device: 'Chrome on an LG TV', address: '192.0.2.44', asked_at: new Date(askedAt).toISOString() };
    expect(waitingDeviceSchema.parse(found.json())).toEqual({ ...facts, is_same_network: false });
    expect((await lookUp(person.headers, code, '192.0.2.44')).json()).toEqual({ ...facts, is_same_network: true });
    expect((await lookUp(person.headers, code)).json()).toEqual({ ...facts, is_same_network: null });
    expect((await server.call('POST', '/auth/device/lookup', { payload: { user_code: code } })).statusCode).toBe(401);
    await approve(person.headers, code);
    expect((await lookUp(person.headers, code)).statusCode).toBe(400);
  });

  test('cannot be found by guessing; whoever found it by the last try can still approve it', async () => {
    const person = await putPerson(server, 'viewer-5');
    const { user_code: code } = await start();
    const statuses: number[] = [];
    for (const tried of ['BBBB-BBBB', 'CCCC-CCCC', 'DDDD-DDDD', 'FFFF-FFFF', code, code])
      statuses.push((await lookUp(person.headers, tried)).statusCode);
    expect(statuses).toEqual([400, 400, 400, 400, 200, 429]);
    expect((await approve(person.headers, code)).statusCode).toBe(204);
  });

  test('that asks too often is told so', async () => {
    const { device_code: code } = await start();
    await poll(code);
    clock.pass(1_000);
    const reply = await poll(code);
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'slow_down']);
  });

  test('that asks a hundred times a second writes nothing by it, and is not kept waiting', async () => {
    const { device_code: code } = await start();
    await poll(code);
    const { database } = server.services;
    const write = database.write.bind(database);
    let writes = 0;
    const spy = vi.spyOn(database, 'write').mockImplementation((work) => {
      // The server also writes by itself, for other nodes to see.
      if (new Error('trace').stack?.includes('answerPoll')) writes += 1;
      return write(work);
    });
    onTestFinished(() => spy.mockRestore());
    for (let asked = 0; asked < 20; asked += 1) {
      clock.pass(10);
      expect((await poll(code)).json().error).toBe('slow_down');
    }
    expect(writes).toBe(0);
    clock.pass(4_800);
    await poll(code);
    expect(writes).toBe(1);
    clock.pass(5_000);
    const answers = await Promise.all([1, 2, 3].map(async () => (await poll(code)).json().error));
    expect(answers.sort()).toEqual(['authorization_pending', 'slow_down', 'slow_down']);
  });

  test.each([
    ['its person has signed out everywhere', 'POST', '/auth/logout-all'],
    ['its person has another password', 'POST', '/auth/change-password'],
    ['an administrator has ended the sessions', 'DELETE', '/users/admin/{id}/sessions'],
  ] as const)('that was approved and has not asked yet is not signed in once %s', async (why, method, path) => {
    const person = await putPerson(server, `viewer-${why.length}`);
    const chief = await putPerson(server, `chief-${why.length}`, 'admin');
    const { device_code: deviceCode, user_code: userCode } = await start();
    expect((await approve(person.headers, userCode)).statusCode).toBe(204);
    const { headers } = method === 'DELETE' ? chief : person;
    const payload = { current_password: password, new_password: 'south pier at dusk' };
    const reply = await server.call(method, path.replace('{id}', person.id), { headers, payload });
    expect(reply.statusCode).toBe(204);
    expect((await poll(deviceCode)).json().error).toBe('expired_token');
    const rows = await server.services.database.reader.selectFrom('sessions').select('user_id').execute();
    const left = rows.filter(({ user_id }) => user_id === person.id).length;
    expect(left).toBe(path === '/auth/change-password' ? 1 : 0);
  });

  test('that was approved and has not asked yet is not signed in once another session of its person was ended', async () => {
    const person = await putPerson(server, 'viewer-tidy');
    const stranger = personOf(await signIn(server, 'viewer-tidy'));
    const { device_code: deviceCode, user_code: userCode } = await start();
    expect((await approve(stranger.headers, userCode)).statusCode).toBe(204);
    const { sessions } = (await server.get('/auth/sessions', person.headers)).json();
    const { id } = sessions.find(({ current }: { current: boolean }) => !current);
    expect((await server.call('DELETE', `/auth/sessions/${id}`, { headers: person.headers })).statusCode).toBe(204);
    expect((await poll(deviceCode)).json().error).toBe('expired_token');
  });

  test('that was approved is signed in although the approving device has signed out', async () => {
    const person = await putPerson(server, 'viewer-guest');
    const { device_code: deviceCode, user_code: userCode } = await start();
    expect((await approve(person.headers, userCode)).statusCode).toBe(204);
    expect((await server.call('POST', '/auth/logout', { headers: person.headers, payload: {} })).statusCode).toBe(204);
    expect((await poll(deviceCode)).statusCode).toBe(200);
  });

  test('is not approved by a session that ends at the same moment', async () => {
    const person = await putPerson(server, 'viewer-late');
    const { device_code: deviceCode, user_code: userCode } = await start();
    const { database } = server.services;
    const write = database.write.bind(database);
    const endSessions = () => write((transaction) => userChangeRepository.deleteSessions(transaction, person.id));
    const spy = vi.spyOn(database, 'write').mockImplementation(async (work) => {
      await endSessions();
      return write(work);
    });
    onTestFinished(() => spy.mockRestore());
    expect((await approve(person.headers, userCode)).statusCode).toBe(401);
    expect((await poll(deviceCode)).json().error).toBe('authorization_pending');
  });

  test('has five minutes', async () => {
    const person = await putPerson(server, 'viewer-2');
    const { device_code: deviceCode, user_code: userCode } = await start();
    clock.pass(300_000);
    expect((await poll(deviceCode)).json().error).toBe('expired_token');
    for (const refused of [await lookUp(person.headers, userCode), await approve(person.headers, userCode)])
      expect([refused.statusCode, refused.json().details[0].message]).toEqual([
        400,
        'No TV shows this code. It may have run out',
      ]);
    expect((await poll('guessed')).json().error).toBe('expired_token');
  });

  test('cannot be signed in by guessing, nor to somebody else after it was', async () => {
    const { user_code: code } = await start();
    const [guesser, owner] = [await putPerson(server, 'guesser'), await putPerson(server, 'viewer-3')];
    expect((await approve(owner.headers, code)).statusCode).toBe(204);
    const statuses: number[] = [];
    for (let tries = 0; tries < 6; tries += 1)
      statuses.push((await approve(guesser.headers, tries === 0 ? code : 'BBBB-BBBB')).statusCode);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429]);
    expect((await approve(owner.headers, 'short')).json().details[0].field).toBe('user_code');
  });
});
