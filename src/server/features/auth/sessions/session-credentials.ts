import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuthReply } from '#contract/entities/account.ts';
import { tierRanks } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { tiers } from '#contract/rules/tiers.ts';
import { ownCookie } from '../../../http/pipeline/cookies.ts';
import type { Caller, IdentifyCaller } from '../../../http/pipeline/guards.ts';
import { anonymous, callerFor, readBearerToken } from '../../../http/pipeline/guards.ts';
import type { SigningKeys } from '../../../http/signing.ts';
import { tierOf, toUserReply } from '../../users/account.ts';
import type { AuthDeps } from '../auth-deps.ts';
import type { SessionFacts } from './session-repository.ts';
import { sessionRepository } from './session-repository.ts';
import type { AuthSession } from './session-tokens.ts';
import { sessionLifeMs } from './session-tokens.ts';
import type { SignedInAnew } from './sessions.ts';
import { authSessions } from './sessions.ts';

/** How long a cached session is used while the log of changes cannot be followed. */
const freshForMs = 5_000;

/** How long it is used while nothing is said against it, or while the database does not reply. */
const keptForMs = 300_000;

const maxKept = 20_000;

type CallerDeps = Pick<AuthDeps, 'database' | 'clock' | 'keys' | 'tokens' | 'changes'>;

interface KnownSession {
  facts: SessionFacts | null;
  readAt: number;
}

export function createIdentifyCaller(deps: CallerDeps): IdentifyCaller {
  const { clock, tokens } = deps;
  const find = rememberSessions(deps);

  const callerOf = async (sessionId: string): Promise<Caller> => {
    const facts = await find(sessionId);
    const now = clock.now();
    if (facts === null || facts.expiresAt <= now) return anonymous;
    const tier = tierOf(facts, now);
    return callerFor({ userId: facts.userId, sessionId, tier, revision: ownRevision(facts, tier) });
  };

  return async (request) => {
    const token = readBearerToken(request.headers.authorization);
    if (token === null) {
      const sessionId =
        request.facts?.credential === 'bearer-or-cookie' ? await sessionCookie.read(deps.keys, request) : null;
      return sessionId === null ? anonymous : callerOf(sessionId);
    }
    const read = await tokens.read(token);
    if (read.kind === 'none') return anonymous;
    const caller = await callerOf(read.subject.sessionId);
    if (caller.user?.userId !== read.subject.userId) return anonymous;
    return read.kind === 'good' ? caller : { ...anonymous, hasExpired: true };
  };
}

/**
 * The revision that a person's clients compare, next to the revision for all. An expired
 * subscription, and a tier that an operator changed in the database, change the profile without
 * raising the counter, so the tier is included. It is never 0, the value for signed-out clients, so
 * that clients notice the end of their session in any reply.
 */
function ownRevision({ revision, tier: subscribed }: SessionFacts, tier: Tier): number {
  const hasRunOut = tier !== subscribed;
  return revision * 2 * tiers.length + tierRanks[subscribed] + (hasRunOut ? tiers.length : 0);
}

function rememberSessions({
  database,
  clock,
  changes,
}: CallerDeps): (sessionId: string) => Promise<SessionFacts | null> {
  const known = new Map<string, KnownSession>();
  let told = 0;
  changes.listen((userId) => {
    told += 1;
    for (const [id, { facts }] of known) if (facts?.userId === userId) known.delete(id);
  });

  /** The log says nothing of sessions that are used again, which makes them last longer. */
  const isGood = ({ facts, readAt }: KnownSession, now: number) => {
    const lasts = facts !== null && facts.expiresAt > clock.now() && changes.holds(readAt);
    return now - readAt < (lasts ? keptForMs : freshForMs);
  };

  return async (sessionId) => {
    const kept = known.get(sessionId);
    const now = clock.elapsed();
    const toldBefore = told;
    if (kept !== undefined && isGood(kept, now)) return kept.facts;
    try {
      const facts = await sessionRepository.findFacts(database.reader, sessionId);
      known.delete(sessionId);
      // A result read during a change may be outdated, so it is not cached.
      if (told === toldBefore) known.set(sessionId, { facts, readAt: now });
      const oldest = known.size > maxKept ? known.keys().next().value : undefined;
      if (oldest !== undefined) known.delete(oldest);
      return facts;
    } catch (error) {
      if (kept === undefined || now - kept.readAt > keptForMs) throw error;
      return kept.facts;
    }
  };
}

/** The tokens, the user, and the session cookie for requests that cannot send a token. */
export async function answerSignedIn(
  deps: AuthDeps,
  request: FastifyRequest,
  reply: FastifyReply,
  { account, session }: SignedInAnew,
): Promise<AuthReply> {
  await sessionCookie.set(deps.keys, request, reply, session);
  const tokens = await authSessions.issueTokens(deps, session);
  return { ...tokens, ...(await toUserReply(account, deps)) };
}

const cookieName = 'session';

export const sessionCookie = {
  /**
   * Sets the cookie that names the browser's session for requests that cannot send a token. It
   * allows no changes, and ends with the session.
   */
  async set(keys: SigningKeys, request: FastifyRequest, reply: FastifyReply, session: AuthSession): Promise<void> {
    const value = `${session.id}.${await keys.sign('session-cookie', session.id)}`;
    ownCookie.set(request, reply, cookieName, value, sessionLifeMs(session.isRemembered) / 1000);
  },

  clear(request: FastifyRequest, reply: FastifyReply): void {
    ownCookie.clear(request, reply, cookieName);
  },

  /** Id of the session; null without a valid cookie. */
  async read(keys: SigningKeys, request: FastifyRequest): Promise<string | null> {
    const [, sessionId = '', signature = ''] =
      /^([\w-]{1,64})\.(\d+\.[\w-]+)$/.exec(ownCookie.read(request, cookieName) ?? '') ?? [];
    return sessionId !== '' && (await keys.isSigned('session-cookie', sessionId, signature)) ? sessionId : null;
  },
};
