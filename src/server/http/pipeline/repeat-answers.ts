import { createHash } from 'node:crypto';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { RateLimits } from '../../limits/rate-limits.ts';
import { clientAddress } from '../client-address.ts';
import type { SigningKeys } from '../signing.ts';
import { openText, sealText } from '../signing.ts';
import { viewerOf } from './cookies.ts';
import { Invalid, Refusal, Unavailable } from './errors.ts';
import type { AnswerClaim, RepeatableAnswer } from './repeatable-answer-repository.ts';
import { repeatableAnswerRepository } from './repeatable-answer-repository.ts';

/**
 * Claims the key of a call, which is then executed; does nothing for a call without a key.
 * @throws Refusal 409 or 503 when another call has the key
 */
export type ClaimKey = () => Promise<void>;

declare module 'fastify' {
  interface FastifyInstance {
    /**
     * Sends the stored answer of the first call with this `Idempotency-Key`.
     * @param body the parsed body
     * @returns null if it was sent; otherwise the function that claims the key
     */
    answerAgain(request: FastifyRequest, reply: FastifyReply, body: unknown): Promise<ClaimKey | null>;
  }
  interface FastifyRequest {
    /** The key and the owner of the answer to store; null for a call that has claimed no key. */
    claimed: Pick<AnswerClaim, 'key' | 'owner'> | null;
  }
}

interface RepeatDeps {
  database: Database;
  clock: Clock;
  keys: SigningKeys;
}

/** A stored answer. */
interface Answer {
  body: string;
  headers: Record<string, string | string[]>;
}

const keptMs = limits.idempotencyHours * 3_600_000;
/** Longer than any call runs. If a process dies during a call, its key is free after this time. */
const runsMs = 60_000;
const headersKept = ['content-type', 'set-cookie'];
const strangers = 'strangers';

/**
 * Writes with an `Idempotency-Key` are executed once: the same key of the same caller gets the same
 * answer again for a day. A call claims its key once it is valid and within its limits, and its
 * answer is stored once it has succeeded. Refusals change nothing, so their keys are released and
 * may be tried again.
 */
export function repeatAnswers(app: FastifyInstance, deps: RepeatDeps): void {
  app.decorateRequest('claimed', null);
  app.decorate('answerAgain', async (request: FastifyRequest, reply: FastifyReply, body: unknown) => {
    const key = keyOf(request);
    if (key === null) return async () => {};
    const answerClaim = claimOf(deps, request, key, body);
    const known = await repeatableAnswerRepository.find(deps.database.reader, answerClaim.key, deps.clock.now());
    if (known !== null) {
      await repeat(deps, reply, answerClaim, known);
      return null;
    }
    return async () => {
      await claim(deps, answerClaim);
      request.claimed = answerClaim;
    };
  });
  app.addHook('onSend', async (request, reply, payload) => {
    if (request.claimed !== null)
      await keep(deps, request.claimed, reply, payload).catch((error: unknown) => warn(request, error));
    return payload;
  });
}

/** Wraps rate limits so that the key of a call is claimed as soon as they let it through. */
export function claimAfterLimits(rateLimits: RateLimits, claimKey: ClaimKey): RateLimits {
  return {
    ...rateLimits,
    async consume(...attempts) {
      await rateLimits.consume(...attempts);
      await claimKey();
    },
  };
}

function keyOf(request: FastifyRequest): string | null {
  const key = request.headers['idempotency-key'];
  if (key === undefined || request.facts?.isRepeatable !== true) return null;
  const isUsable = typeof key === 'string' && key !== '' && key.length <= limits.idempotencyKeyCharacters;
  if (!isUsable)
    throw new Invalid([
      { field: 'Idempotency-Key', message: `A key has 1 to ${limits.idempotencyKeyCharacters} characters` },
    ]);
  return key;
}

function claimOf({ clock }: RepeatDeps, request: FastifyRequest, key: string, body: unknown): AnswerClaim {
  const user = request.caller?.user ?? null;
  const owner = user === null ? strangers : `user ${user.userId}`;
  const caller = user === null ? strangerOf(request) : owner;
  return {
    key: hashOf([caller, request.method, request.url, key]),
    owner,
    bodyHash: hashOf([JSON.stringify(body ?? null)]),
    forgottenAt: clock.now() + runsMs,
  };
}

function strangerOf(request: FastifyRequest): string {
  const viewer = viewerOf(request);
  return viewer === undefined ? `address ${clientAddress(request)}` : `viewer ${viewer}`;
}

async function claim({ database, clock }: RepeatDeps, answerClaim: AnswerClaim): Promise<void> {
  const isFirst = await database.write((transaction) =>
    repeatableAnswerRepository.claim(transaction, answerClaim, clock.now()),
  );
  if (!isFirst) throw new Unavailable('This is being done already.', 1);
}

/** @throws Refusal 409 for a key that was used for something else, 503 while the first call runs */
async function repeat(
  { keys }: RepeatDeps,
  reply: FastifyReply,
  { bodyHash }: AnswerClaim,
  known: RepeatableAnswer,
): Promise<void> {
  if (known.bodyHash !== bodyHash) throw new Refusal('conflict', { message: 'This key was used for something else.' });
  if (known.status === null) throw new Unavailable('This is being done already.', 1);
  if (known.answer === null)
    throw new Refusal('conflict', { message: 'This was done already. Its answer was too long to be kept.' });
  const [id = '', sealed = ''] = known.answer.split(' ', 2);
  const key = await keys.find('repeatable-answer', id);
  if (key === null) throw new Unavailable();
  const { body, headers } = JSON.parse(openText(key.key, sealed)) as Answer;
  reply
    .code(known.status)
    .headers(headers)
    .send(body === '' ? undefined : body);
}

async function keep(
  deps: RepeatDeps,
  { key, owner }: Pick<AnswerClaim, 'key' | 'owner'>,
  reply: FastifyReply,
  payload: unknown,
): Promise<void> {
  const { database, clock } = deps;
  const status = reply.statusCode;
  const body = payload ?? '';
  if (status >= 400 || typeof body !== 'string')
    return database.write((transaction) => repeatableAnswerRepository.drop(transaction, key));
  const answer = await seal(deps, reply, body);
  const most = owner === strangers ? limits.idempotencyAnswersOfStrangers : limits.idempotencyAnswersPerPerson;
  await database.write(async (transaction) => {
    await repeatableAnswerRepository.store(transaction, key, status, answer, clock.now() + keptMs);
    await repeatableAnswerRepository.deleteOldest(transaction, { key, owner }, most);
  });
}

/** Encrypts an answer; null if it is too long to be stored. */
async function seal({ keys }: RepeatDeps, reply: FastifyReply, body: string): Promise<string | null> {
  const kept = headersKept
    .map((header) => [header, reply.getHeader(header)])
    .filter(([, value]) => value !== undefined);
  const text = JSON.stringify({ body, headers: Object.fromEntries(kept) } satisfies Answer);
  if (Buffer.byteLength(text) > limits.idempotencyAnswerBytes) return null;
  const { id, key } = await keys.newest('repeatable-answer');
  return `${id} ${sealText(key, text)}`;
}

/** A failure here is only logged: sending the answer matters more than repeating it. */
function warn(request: FastifyRequest, error: unknown): void {
  request.log.warn({ err: error, request_id: request.id }, 'an answer could not be kept for a repetition');
}

/** JSON keeps the parts apart, so that different parts never give the same text. */
function hashOf(parts: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}
