import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { usualFacts } from '#contract/endpoint.ts';
import { toErrorReply, Unavailable } from '../pipeline/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    deadline: NodeJS.Timeout | null;
  }
}

/** Headers that speak of an answer which is not the one that is sent. */
const headersOfAnotherAnswer = [
  'content-encoding',
  'content-length',
  'content-range',
  'etag',
  'last-modified',
  'set-cookie',
  'transfer-encoding',
  'vary',
];

/**
 * Answers 503 when nothing has been answered by the deadline of the call, whatever it waits for. Bytes that are on
 * their way by then go on. Work that is only for the answer ends by the `signal` of its handler, also when the client
 * goes; what writes comes to its end by itself, and its answer goes nowhere. After the hook that provides facts.
 */
export function enforceDeadlines(app: FastifyInstance): void {
  app.decorateRequest('deadline', null);
  app.decorateRequest('abandonment', null);
  app.addHook('onRequest', (request, reply, done) => {
    const seconds = request.facts?.deadlineSeconds ?? usualFacts.deadlineSeconds;
    if (seconds !== Number.POSITIVE_INFINITY)
      request.deadline = setTimeout(giveUp, seconds * 1_000, request, reply).unref();
    const abandonment = new AbortController();
    request.abandonment = abandonment;
    reply.raw.once('close', () => {
      if (!reply.raw.writableFinished) abandonment.abort(new Unavailable());
    });
    done();
  });
  app.addHook('onResponse', (request, _reply, done) => {
    if (request.deadline !== null) clearTimeout(request.deadline);
    done();
  });
}

/**
 * The last of the hooks that see an answer: one that comes after the deadline must not be written, and waits here for
 * ever.
 */
export function dropOverdueAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.sent) done(null, payload);
  });
}

/** Past all hooks: they may be what it waits for. */
function giveUp(request: FastifyRequest, reply: FastifyReply): void {
  if (reply.sent || reply.raw.headersSent || reply.raw.destroyed) return;
  const refusal = new Unavailable();
  for (const name of headersOfAnotherAnswer) reply.removeHeader(name);
  const body = JSON.stringify(toErrorReply(refusal, request.id));
  const headers = reply
    .headers({
      ...refusal.headers,
      'cache-control': 'no-store',
      'content-type': 'application/json; charset=utf-8',
      'content-length': Buffer.byteLength(body),
    })
    .getHeaders();
  reply.hijack();
  reply.raw.writeHead(503, headers as Record<string, string | number | string[]>);
  reply.raw.end(body);
  request.abandonment?.abort(refusal);
  request.log.warn({ request_id: request.id }, 'a call was not answered in time');
}
