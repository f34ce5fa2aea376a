import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyError, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { ErrorCode, ErrorReply, FieldProblem } from '#contract/entities/error-reply.ts';
import { errorStatuses } from '#contract/entities/error-reply.ts';
import { limits } from '#contract/limits.ts';
import { DatabaseBusy } from '../../database/connection.ts';
import { isDatabaseAway, isDatabaseFull, isUnstorableText } from '../../database/dialect.ts';
import type { Ids } from '../../ids.ts';
import { isDiskFull, isOutOfDescriptors, isSystemExhausted } from '../../storage/disk-space.ts';
import { isStoreFault } from '../../storage/stores/store-calls.ts';

/** The default sentence of each error code, for people. */
const sentences: Record<ErrorCode, string> = {
  bad_request: 'This request cannot be understood.',
  validation_failed: 'Some of what was sent is not usable.',
  downgrade_not_available: 'Only a higher plan can be chosen.',
  authorization_pending: 'The sign-in has not been approved yet.',
  slow_down: 'Please ask less often.',
  expired_token: 'This code has run out.',
  unauthorized: 'Please sign in.',
  token_expired: 'Your session has to be renewed.',
  token_reused: 'Your session has ended. Please sign in again.',
  invalid_credentials: 'Invalid username or password',
  site_password_required: 'This site requires a password.',
  forbidden: 'You may not do this.',
  eula_required: 'Please accept the terms and conditions first.',
  registration_closed: 'New accounts cannot be created here.',
  invitation_invalid: 'This invitation is not valid any more. Please ask for another one.',
  quota_exceeded: 'Your space for uploads is used up.',
  not_found: 'There is nothing here.',
  no_videos_available: 'No videos match.',
  method_not_allowed: 'This cannot be done here.',
  conflict: 'This is already taken.',
  gone: 'This is not there any more.',
  precondition_failed: 'Only tus 1.0.0 is spoken here.',
  too_large: 'This is more than can be taken.',
  unsupported_media_type: 'Only JSON can be read here.',
  range_not_satisfiable: 'The video has no such part.',
  bad_host: 'This site does not go by that name.',
  locked: 'This file is being sent by another request.',
  rate_limited: 'Too many tries. Please wait a little.',
  checksum_mismatch: 'These bytes are not those of their checksum.',
  internal: 'Something went wrong on the server.',
  unavailable: 'The server is busy for a moment. Please try again.',
  overloaded: 'The server has too much to do. Please try again.',
  out_of_space: 'There is no space left on the server.',
};

interface RefusalOptions {
  message?: string;
  details?: ErrorReply['details'];
  headers?: Record<string, string>;
}

/** A refused request. Thrown anywhere below a route; its status and sentence are in the tables. */
export class Refusal extends Error {
  readonly code: ErrorCode;
  readonly details: ErrorReply['details'];
  readonly headers: Record<string, string>;

  constructor(code: ErrorCode, options: RefusalOptions = {}) {
    super(options.message ?? sentences[code]);
    this.code = code;
    this.details = options.details;
    this.headers = options.headers ?? {};
  }
}

/** `new NotFound('video')`: the same words whether it never existed or belongs to somebody else. */
export class NotFound extends Refusal {
  constructor(thing: string) {
    super('not_found', { message: `This ${thing} does not exist.` });
  }
}

export class Invalid extends Refusal {
  /** @param problems only the first `refusedFieldsTold` are reported */
  constructor(problems: FieldProblem[]) {
    super('validation_failed', { message: problems[0]?.message, details: problems.slice(0, limits.refusedFieldsTold) });
  }
}

export class RateLimited extends Refusal {
  constructor(waitMs: number, message?: string) {
    super('rate_limited', { message, headers: { 'retry-after': String(Math.max(1, Math.ceil(waitMs / 1_000))) } });
  }
}

export class Unavailable extends Refusal {
  constructor(message?: string, retryAfterSeconds = 5) {
    super('unavailable', { message, headers: { 'retry-after': String(retryAfterSeconds) } });
  }
}

/**
 * The one error handler: turns the errors of all routes into answers, and logs unexpected ones.
 * @param toBody what is sent; JSON unless given
 */
export function answerError(
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
  toBody: (refusal: Refusal) => unknown = (refusal) => toErrorReply(refusal, request.id),
): FastifyReply {
  const refusal = toRefusal(error);
  if (isOutOfDescriptors(error))
    request.log.error(
      { request_id: request.id },
      'no descriptor is left: the limit of open files is too low, or the machine has none',
    );
  else if (isSystemExhausted(error))
    request.log.error({ err: error, request_id: request.id }, 'the system has no memory or process left');
  else if (isStoreFault(error))
    request.log.warn({ err: error, request_id: request.id }, 'the store did not give what was asked of it');
  if (refusal.code === 'internal') request.log.error({ err: error, request_id: request.id }, 'a request failed');
  return reply
    .code(errorStatuses[refusal.code])
    .header('cache-control', 'no-store')
    .headers(refusal.headers)
    .send(toBody(refusal));
}

export function toErrorReply(refusal: Refusal, requestId: string): ErrorReply {
  return {
    error: refusal.code,
    message: refusal.message,
    ...(refusal.details === undefined ? {} : { details: refusal.details }),
    ...(refusal.code === 'internal' ? { request_id: requestId } : {}),
  };
}

/** Turns any error into the refusal that the client receives. */
export function toRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  if (error instanceof z.ZodError)
    return new Invalid(error.issues.slice(0, limits.refusedFieldsTold).map(toFieldProblem));
  if (isDatabaseFull(error) || isDiskFull(error)) return new Refusal('out_of_space');
  if (error instanceof DatabaseBusy || isDatabaseAway(error) || isSystemExhausted(error)) return new Unavailable();
  if (isStoreFault(error)) return new Unavailable();
  if (isUnstorableText(error)) return new Refusal('bad_request');
  return fromFramework(error) ?? new Refusal('internal');
}

/** Zod's own messages for wrong types are meant for programmers, so they are replaced. */
function toFieldProblem(issue: z.core.$ZodIssue): FieldProblem {
  const isForProgrammers = issue.message.startsWith('Invalid ');
  return {
    field: issue.path.join('.'),
    message: isForProgrammers ? 'This field is missing or has the wrong form.' : issue.message,
  };
}

/**
 * Translates Fastify's errors by status; their messages, which name the framework, are replaced.
 */
function fromFramework(error: unknown): Refusal | null {
  const status = error instanceof Error ? (error as FastifyError).statusCode : undefined;
  if (status === undefined || status >= 500) return null;
  if (status === 404) return new Refusal('not_found');
  if (status === 413) return new Refusal('too_large');
  if (status === 414) return new Refusal('bad_request', { message: 'This address is too long.' });
  return new Refusal(status === 415 ? 'unsupported_media_type' : 'bad_request');
}

const statusByCode: Record<string, number> = { HPE_HEADER_OVERFLOW: 431, ERR_HTTP_REQUEST_TIMEOUT: 408 };

/** Answers a request that is not valid HTTP, in the usual error format, and ends the connection. */
export function answerClientError(error: Error & { code?: string }, socket: Socket, ids: Ids): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const status = statusByCode[error.code ?? ''] ?? 400;
  const requestId = ids.request();
  const body = JSON.stringify(toErrorReply(new Refusal('bad_request'), requestId));
  const head = [
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
    'Connection: close',
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Cache-Control: no-store',
    `X-Request-Id: ${requestId}`,
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n${body}`);
}

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

declare module 'fastify' {
  interface FastifyContextConfig {
    /** True for routes that only refuse other methods. */
    refusesMethod?: boolean;
  }
  interface FastifyInstance {
    /** The methods of each URL, except files. */
    allowedMethods: ReadonlyMap<string, ReadonlySet<string>>;
  }
}

/**
 * Collects the methods of every URL from now on. The returned function makes all other methods
 * answer 405 with `Allow`.
 */
export function watchMethods(app: FastifyInstance): () => void {
  const allowed = new Map<string, Set<string>>();
  app.decorate('allowedMethods', allowed);
  app.addHook('onRoute', ({ method, url, config }) => {
    if (config?.refusesMethod === true || url.includes('*')) return;
    const known = allowed.get(url) ?? new Set();
    for (const name of [method].flat()) known.add(name);
    allowed.set(url, known);
  });
  return () => {
    for (const [url, known] of [...allowed]) refuseOthers(app, url, known);
  };
}

function refuseOthers(app: FastifyInstance, url: string, allowed: Set<string>): void {
  const headers = { allow: [...allowed].sort().join(', ') };
  app.route({
    method: methods.filter((method) => !allowed.has(method)),
    url,
    config: { refusesMethod: true },
    handler: async () => {
      throw new Refusal('method_not_allowed', { headers });
    },
  });
}
