import { once } from 'node:events';
import { get } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { factsOf, usualFacts } from '#contract/endpoint.ts';
import { Unavailable } from '#server/http/pipeline/errors.ts';
import { anonymous } from '#server/http/pipeline/guards.ts';
import { provideFacts, route } from '#server/http/pipeline/route.ts';
import { dropOverdueAnswers, enforceDeadlines } from '#server/limits/deadlines.ts';

const never = () => new Promise<never>(() => {});
const facts = factsOf({ method: 'GET', caller: 'anyone' });
let app: FastifyInstance;

let logged: string[];

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  logged = [];
  app = fastify({ logger: { level: 'warn', stream: { write: (line: string) => logged.push(JSON.parse(line).msg) } } });
  provideFacts(app);
  enforceDeadlines(app);
  dropOverdueAnswers(app);
});

afterEach(() => {
  vi.useRealTimers();
});

test('what is no call has the usual deadline', async () => {
  app.get('/page', never);
  const asked = app.inject('/page');
  await vi.waitUntil(() => vi.getTimerCount() > 0);
  await vi.advanceTimersByTimeAsync(usualFacts.deadlineSeconds * 1_000);
  expect((await asked).statusCode).toBe(503);
});

test('work that ends after the deadline has no answer to send any more', async () => {
  const { promise, resolve } = Promise.withResolvers<{ ready: boolean }>();
  app.decorate('identifyCaller', async () => anonymous);
  app.decorate('answerAgain', async () => async () => {});
  app.decorateRequest('caller', null);
  route(app, { method: 'GET', path: '/late', caller: 'anyone' } as never, {}, () => promise as never);
  const asked = app.inject('/late');
  await vi.waitUntil(() => vi.getTimerCount() > 0);
  await vi.advanceTimersByTimeAsync(usualFacts.deadlineSeconds * 1_000);
  expect((await asked).statusCode).toBe(503);
  resolve({ ready: true });
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(logged).toEqual(['a call was not answered in time']);
});

test('a call that takes bytes in has none', async () => {
  let take: (text: string) => void = () => {};
  app.get(
    '/bytes',
    { config: { facts: { ...facts, deadlineSeconds: Number.POSITIVE_INFINITY } } },
    () => new Promise((resolve) => (take = resolve)),
  );
  const asked = app.inject('/bytes');
  await vi.advanceTimersByTimeAsync(3_600_000);
  take('all of it');
  expect((await asked).body).toBe('all of it');
});

test('an answer whose bytes are on their way goes on past its deadline', async () => {
  app.get('/stream', async (_request, reply) => {
    reply.hijack();
    reply.raw.writeHead(200);
    reply.raw.write('first ');
    await vi.advanceTimersByTimeAsync(60_000);
    reply.raw.end('last');
  });
  const reply = await app.inject('/stream');
  expect([reply.statusCode, reply.body]).toEqual([200, 'first last']);
});

test('an answer leaves no timer behind', async () => {
  app.get('/quick', async () => 'here');
  expect((await app.inject('/quick')).body).toBe('here');
  expect(vi.getTimerCount()).toBe(0);
});

describe('work for an answer that nobody waits for any more', () => {
  /** Work in slices, as a search is. */
  async function work(signal: AbortSignal, slices: { done: number }): Promise<string> {
    for (;;) {
      await nextTurn();
      signal.throwIfAborted();
      slices.done += 1;
    }
  }

  function serveWork() {
    const begun = Promise.withResolvers<AbortSignal>();
    const ended = Promise.withResolvers<unknown>();
    const slices = { done: 0 };
    app.get('/work', async ({ abandonment }) => {
      const signal = abandonment?.signal ?? AbortSignal.abort();
      begun.resolve(signal);
      return work(signal, slices).catch((error: unknown) => {
        ended.resolve(error);
        throw error;
      });
    });
    return { begun: begun.promise, ended: ended.promise, slices };
  }

  test('stops at the deadline', async () => {
    const { begun, ended, slices } = serveWork();
    const asked = app.inject('/work');
    await begun;
    await vi.advanceTimersByTimeAsync(usualFacts.deadlineSeconds * 1_000);
    expect((await asked).statusCode).toBe(503);
    expect(await ended).toBeInstanceOf(Unavailable);
    const { done } = slices;
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(slices.done).toBe(done);
  });

  test('stops when the client goes', async () => {
    const { begun, ended } = serveWork();
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const asked = get({ port, host: '127.0.0.1', path: '/work' }).on('error', () => {});
    await begun;
    asked.destroy();
    expect(await ended).toBeInstanceOf(Unavailable);
    await app.close();
  });

  test('is not ended by an answer that was sent', async () => {
    const signals: AbortSignal[] = [];
    app.get('/quick', async ({ abandonment }) => {
      if (abandonment !== null) signals.push(abandonment.signal);
      return 'here';
    });
    await app.listen({ port: 0, host: '127.0.0.1' });
    const { port } = app.server.address() as AddressInfo;
    const [reply] = await once(get({ port, host: '127.0.0.1', path: '/quick', agent: false }), 'response');
    for await (const _ of reply);
    await app.close();
    expect(signals.map((signal) => signal.aborted)).toEqual([false]);
  });
});
