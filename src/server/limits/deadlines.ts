import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { usualFacts } from '#contract/endpoint.ts';
import { toErrorReply, Unavailable } from '../http/pipeline/errors.ts';

declare module 'fastify' {
  interface FastifyRequest {
    deadline: NodeJS.Timeout | null;
  }
}

/** Headers that describe the prepared answer instead of the one that is sent. */
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
 * Answers 503 when a call has no answer by its deadline, whatever it waits for. An answer whose
 * bytes are being sent goes on. Work that serves only the answer is aborted by the `signal` of its
 * handler, also when the client disconnects; writes finish, and their answer is dropped. Must be
 * added after the hook that provides facts.
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
 * Drops an answer that comes after the deadline: its hook never calls `done`. Must be the last hook
 * that sees an answer.
 */
export function dropOverdueAnswers(app: FastifyInstance): void {
  app.addHook('onSend', (_request, reply, payload, done) => {
    if (!reply.sent) done(null, payload);
  });
}

/** Writes the answer without any hooks, since the call may be waiting for one of them. */
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
