import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../database/connection.ts';
import { clientAddress } from './client-address.ts';
import { Invalid, Refusal, Unavailable } from './errors.ts';
import type { RepeatableAnswer } from './repeatable-answer-repository.ts';
import { claimAnswer, dropAnswer, keepAnswer } from './repeatable-answer-repository.ts';
import { openText, sealText } from './sealed-text.ts';
import type { SigningKeys } from './signing-keys.ts';
import { viewerOf } from './viewer-cookie.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Names the answer that is to be kept; null for a call that need not be repeatable. */
    repeatable: string | null;
  }
}

export interface RepeatParts {
  database: Database;
  clock: Clock;
  keys: SigningKeys;
}

/** What is said again. */
interface Answer {
  body: string;
  headers: Record<string, string | string[]>;
}

const keptMs = limits.idempotencyHours * 3_600_000;
/** Longer than any call runs. A process that died meanwhile has to leave the key to the next try. */
const runsMs = 60_000;
const headersKept = ['content-type', 'set-cookie'];

/**
 * Writes with an `Idempotency-Key` act once: the same key by the same caller gets the same answer again for a day. What failed on our side, or was
 * refused for now, may be tried again.
 */
export function repeatAnswers(app: FastifyInstance, parts: RepeatParts): void {
  app.decorateRequest('repeatable', null);
  app.addHook('preHandler', async (request, reply) => {
    const key = keyOf(request);
    if (key === null) return;
    const name = hashOf([callerOf(request), request.method, request.url, key]);
    const known = await claim(parts, name, hashOf([JSON.stringify(request.body ?? null)]));
    if (known !== null) return repeat(parts, reply, known);
    request.repeatable = name;
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.repeatable !== null) await keep(parts, request.repeatable, reply, payload).catch((error: unknown) => warn(request, error));
    return payload;
  });
}

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.facts?.isRepeatable !== true) return null;
  const isUsable = typeof key === 'string' && key !== '' && key.length <= limits.idempotencyKeyCharacters;
  if (!isUsable) throw new Invalid([{ field: 'Idempotency-Key', message: `A key has 1 to ${limits.idempotencyKeyCharacters} characters` }]);
  return key;
}

function callerOf(request: FastifyRequest): string {
  const user = request.caller?.user;
  if (user) return `user ${user.userId}`;
  const viewer = viewerOf(request);
  return viewer === undefined ? `address ${clientAddress(request)}` : `viewer ${viewer}`;
}

/** Null for the first call. @throws Refusal 409 for a key that was used for something else, 503 while the first call runs */
async function claim({ database, clock }: RepeatParts, name: string, bodyHash: string): Promise<RepeatableAnswer | null> {
  const now = clock.now();
  const known = await database.write((transaction) => claimAnswer(transaction, name, bodyHash, now, now + runsMs));
  if (known !== null && known.bodyHash !== bodyHash) throw new Refusal('conflict', { message: 'This key was used for something else.' });
  if (known !== null && known.status === null) throw new Unavailable('This is being done already.', 1);
  return known;
}

/** Returns the reply, which keeps the framework from calling the route. */
async function repeat({ keys }: RepeatParts, reply: FastifyReply, { status, answer }: RepeatableAnswer): Promise<FastifyReply> {
  const [id = '', sealed = ''] = (answer ?? '').split(' ', 2);
  const key = await keys.find('repeatable-answer', id);
  if (key === null || status === null) throw new Unavailable();
  const { body, headers } = JSON.parse(openText(key.key, sealed)) as Answer;
  return reply
    .code(status)
    .headers(headers)
    .send(body === '' ? undefined : body);
}

async function keep({ database, clock, keys }: RepeatParts, name: string, reply: FastifyReply, payload: unknown): Promise<void> {
  const status = reply.statusCode;
  const isForNow = status >= 500 || status === 401 || status === 429;
  const body = payload === undefined || payload === null ? '' : payload;
  if (isForNow || typeof body !== 'string') return database.write((transaction) => dropAnswer(transaction, name));
  const kept = headersKept.map((header) => [header, reply.getHeader(header)]).filter(([, value]) => value !== undefined);
  const { id, key } = await keys.newest('repeatable-answer');
  const sealed = sealText(key, JSON.stringify({ body, headers: Object.fromEntries(kept) } satisfies Answer));
  await database.write((transaction) => keepAnswer(transaction, name, status, `${id} ${sealed}`, clock.now() + keptMs));
}

/** The answer itself matters more than that it can be repeated. */
function warn(request: FastifyRequest, error: unknown): void {
  request.log.warn({ err: error, request_id: request.id }, 'an answer could not be kept for a repetition');
}

/** Parts apart: JSON keeps them from running together. */
function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
