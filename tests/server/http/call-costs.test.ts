import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Endpoint } from '#contract/endpoint.ts';
import { factsOf } from '#contract/endpoint.ts';
import * as endpoints from '#contract/endpoints.ts';
import { errorReplySchema } from '#contract/entities/error-reply.ts';
import { limits } from '#contract/limits.ts';
import type { Caller } from '#server/http/pipeline/guards.ts';
import { anonymous, callerFor } from '#server/http/pipeline/guards.ts';
import { toFastifyPath } from '#server/http/pipeline/route.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);
const chief = await putPerson(server, 'chief', 'admin');
/** Takes everybody for an administrator. */
const open = await startServer(
  { overrides: { identifyCaller: async () => callerFor({ userId: 'u', tier: 'admin' }) } },
  afterFile,
);
const headers = { ...chief.headers, 'content-type': 'application/json' };

afterEach(() => {
  vi.useRealTimers();
});

describe('a body', () => {
  const writes = (Object.values(endpoints) as Endpoint[]).filter(({ method, path }) => {
    return method !== 'GET' && server.app.allowedMethods.get(toFastifyPath(path))?.has(method) === true;
  });

  test('is looked at in every call that writes', () => {
    expect(writes.length).toBeGreaterThanOrEqual(20);
  });

  test.each(writes.map((endpoint) => [endpoint.method, endpoint.path, endpoint] as const))(
    'of %s %s may be as large as its facts say',
    async (_, __, endpoint) => {
      const most = factsOf(endpoint).bodyKiB * 1024;
      const send = (bytes: number) =>
        open.call(endpoint.method, endpoint.path.replaceAll(/\{\w+\}/g, 'none'), {
          headers,
          payload: `"${'a'.repeat(bytes - 2)}"`,
        });
      expect((await send(most)).statusCode).not.toBe(413);
      const refused = await send(most + 1);
      expect([refused.statusCode, refused.json().error]).toEqual([413, 'too_large']);
    },
  );

  test('with a list of half a million numbers is not even read', async () => {
    const payload = JSON.stringify({ blocked_tag_ids: new Array(500_000).fill(7) });
    const reply = await server.call('PUT', '/users/blocklist', { headers, payload });
    expect(reply.statusCode).toBe(413);
    expect(reply.body.length).toBeLessThan(1_024);
  });

  test('with a list that is too long, or full of what is no id, is refused in few words', async () => {
    for (const count of [20_000, 400]) {
      const reply = await server.call('PUT', '/users/blocklist', {
        headers,
        payload: { blocked_tag_ids: new Array(count).fill(7) },
      });
      const { error, details } = errorReplySchema.parse(reply.json());
      expect([reply.statusCode, error]).toEqual([400, 'validation_failed']);
      expect(details).toHaveLength(count > limits.blockedTags ? 1 : limits.refusedFieldsTold);
      expect(reply.body.length).toBeLessThan(16_384);
    }
  });

  test.each(['[', '{"a":'])(
    'that is nested thousands of levels deep by %s is refused, with a key and without',
    async (opening) => {
      for (const key of [{}, { 'idempotency-key': 'deep' }]) {
        const reply = await server.call('PUT', '/users/blocklist', {
          headers: { ...headers, ...key },
          payload: opening.repeat(12_000),
        });
        expect([reply.statusCode, reply.json().error]).toEqual([400, 'bad_request']);
      }
      expect(server.logged()).not.toContain('RangeError');
    },
  );

  test('that is nested, and closed again, is refused alike', async () => {
    const depth = 30_000;
    const reply = await server.call('PUT', '/users/blocklist', {
      headers: { ...headers, 'idempotency-key': 'closed' },
      payload: `${'['.repeat(depth)}${']'.repeat(depth)}`,
    });
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'bad_request']);
  });
});

describe('a call that is not answered', () => {
  const never = () => new Promise<never>(() => {});
  const pass = async (seconds: number) => vi.advanceTimersByTimeAsync(seconds * 1_000);

  test('is refused at its deadline, and what comes later goes nowhere', async () => {
    let identify: (caller: Caller) => void = () => {};
    let refuse: (error: Error) => void = () => {};
    const pending = () =>
      new Promise<Caller>((resolve, reject) => {
        identify = resolve;
        refuse = reject;
      });
    const waiting = await startServer({ overrides: { identifyCaller: pending } });
    for (const late of [() => identify(anonymous), () => refuse(new Error('too late'))]) {
      vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
      const asked = waiting.get('/api/config');
      await vi.waitUntil(() => vi.getTimerCount() > 0);
      let isAnswered = false;
      void asked.then(() => {
        isAnswered = true;
      });
      await pass(11.9);
      expect(isAnswered).toBe(false);
      await pass(0.1);
      const reply = await asked;
      expect([reply.statusCode, reply.json().error]).toEqual([503, 'unavailable']);
      expect(reply.headers).toMatchObject({
        'cache-control': 'no-store',
        'content-type': 'application/json; charset=utf-8',
        'retry-after': '5',
      });
      expect(reply.headers['x-request-id']).toBeDefined();
      expect(reply.headers['content-security-policy']).toBeDefined();
      late();
      await pass(60);
      vi.useRealTimers();
    }
    expect((await waiting.get('/healthz')).statusCode).toBe(200);
    expect(waiting.logged()).not.toContain('ERR_HTTP_HEADERS_SENT');
  });

  test('because something waits beside its answer is refused, too', async () => {
    const waiting = await startServer();
    let answer: (revision: string) => void = () => {};
    waiting.services.revisions.current = () =>
      new Promise((resolve) => {
        answer = resolve;
      });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = waiting.get('/api/tags');
    await vi.waitUntil(() => vi.getTimerCount() > 0);
    await pass(12);
    expect((await asked).statusCode).toBe(503);
    answer('1.1.1');
    await pass(60);
    vi.useRealTimers();
    waiting.services.revisions.current = async () => '1.1.1';
    expect((await waiting.get('/api/config')).statusCode).toBe(200);
    expect(waiting.logged()).not.toContain('ERR_HTTP_HEADERS_SENT');
  });

  test('has less time where a viewer waits for a picture', async () => {
    const waiting = await startServer({ overrides: { identifyCaller: never } });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    const asked = waiting.get('/api/video/top-left');
    await vi.waitUntil(() => vi.getTimerCount() > 0);
    await pass(8);
    expect((await asked).statusCode).toBe(503);
  });

  test('does not keep a monitor from its answer', async () => {
    const waiting = await startServer({ overrides: { identifyCaller: never } });
    waiting.services.revisions.current = never;
    for (const path of ['/healthz', '/healthz?from=monitor']) {
      const reply = await waiting.get(path, { authorization: 'Bearer any' });
      expect([path, reply.statusCode, reply.headers['x-revision']]).toEqual([path, 200, undefined]);
    }
  });
});

describe('the budget of all calls', () => {
  const heavy = { method: 'GET', url: '/api/debug' } as const;

  test('of an address is used up before anybody is asked who they are', async () => {
    const clock = settableClock();
    const identifyCaller = vi.fn(async () => anonymous);
    const limited = await startServer({ overrides: { clock, identifyCaller } });
    const from = (remoteAddress: string, url: string = heavy.url) => limited.call('GET', url, { remoteAddress });
    const most = limits.addressCallBurst / limits.heavyCallCost;
    for (let call = 0; call < most; call += 1) expect((await from('2001:db8:0:7::1')).statusCode).toBe(401);
    const asked = identifyCaller.mock.calls.length;
    const refused = await from('2001:db8:0:7:ffff::2', '/api/config');
    expect([refused.statusCode, refused.json().error, refused.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '1',
    ]);
    for (const path of ['/auth/login', '/users/1', '/api/nowhere'])
      expect((await from('2001:db8:0:7::1', path)).statusCode).toBe(429);
    expect(identifyCaller.mock.calls.length).toBe(asked);
    for (const path of ['/api/video/stream?path=none', '/api/videos/none/poster', '/nowhere'])
      expect((await from('2001:db8:0:7::1', path)).statusCode).toBe(404);
    expect((await from('2001:db8:0:8::1', '/api/config')).statusCode).toBe(200);
    clock.pass(1_000);
    expect((await from('2001:db8:0:7::1', '/api/config')).statusCode).toBe(200);
  });

  test('of a person is the same from everywhere', async () => {
    const clock = settableClock();
    const limited = await startServer({ overrides: { clock } });
    const mara = await putPerson(limited, 'mara', 'admin');
    const noa = await putPerson(limited, 'noa', 'admin');
    const most = limits.personCallBurst / limits.heavyCallCost;
    const call = (place: number, person: typeof mara) =>
      limited.call(heavy.method, heavy.url, { remoteAddress: `192.0.2.${place}`, headers: person.headers });
    for (let place = 0; place < most; place += 1) expect((await call(place, mara)).statusCode).toBe(200);
    const refused = await call(200, mara);
    expect([refused.statusCode, refused.json().error, refused.headers['retry-after']]).toEqual([
      429,
      'rate_limited',
      '1',
    ]);
    expect((await call(200, noa)).statusCode).toBe(200);
    clock.pass(1_000);
    expect((await call(200, mara)).statusCode).toBe(200);
  });
});
