import type { FastifyInstance } from 'fastify';
import { fastify } from 'fastify';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { factsOf, usualFacts } from '#contract/call-facts.ts';
import { provideFacts } from '#server/http/pipeline/request-facts.ts';
import { dropOverdueAnswers, enforceDeadlines } from '#server/http/protection/deadlines.ts';

const never = () => new Promise<never>(() => {});
const facts = factsOf({ method: 'GET', caller: 'anyone' });
let app: FastifyInstance;

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  app = fastify();
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
