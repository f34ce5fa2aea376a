import type { Session as SessionReply } from '#contract/entities/account.ts';
import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { SignedIn } from '../../../http/pipeline/guards.ts';
import type { Account } from '../../users/account.ts';
import { userChangeRepository } from '../../users/user-change-repository.ts';
import { userRepository } from '../../users/user-repository.ts';
import type { AuthDeps } from '../auth-deps.ts';
import { sessionRepository } from './session-repository.ts';
import type { AuthSession } from './session-tokens.ts';
import { readRefreshToken, sessionLifeMs, writeRefreshToken } from './session-tokens.ts';

/** A user who has just proven their identity, with the session. */
export interface SignedInAnew {
  account: Account;
  session: AuthSession;
}

const ended = 'Your session has ended. Please sign in again.';

/** Sessions of signed-in people. */
export const authSessions = {
  /** Starts a session in the transaction of the sign-in. */
  async start(
    transaction: Executor,
    { ids, clock }: Pick<AuthDeps, 'ids' | 'clock'>,
    { userId, device, isRemembered }: Pick<AuthSession, 'userId' | 'device' | 'isRemembered'>,
  ): Promise<AuthSession> {
    const now = clock.now();
    const expiresAt = now + sessionLifeMs(isRemembered);
    const times = { rotatedAt: now, createdAt: now, lastUsedAt: now, provenAt: null, expiresAt };
    const session = { id: ids.long(), userId, generation: 0, device, isRemembered, ...times };
    await sessionRepository.insert(transaction, session);
    return session;
  },

  /** Issues the access token and the current refresh token of a session. */
  async issueTokens(
    { tokens, keys }: Pick<AuthDeps, 'tokens' | 'keys'>,
    { id: sessionId, userId, generation }: AuthSession,
  ) {
    return {
      access_token: await tokens.issue({ sessionId, userId }),
      refresh_token: await writeRefreshToken(keys, { sessionId, generation }),
    };
  },

  /**
   * Exchanges a refresh token for its successor, which has the same lifetime.
   * @throws Refusal 401 `unauthorized` for an invalid token, `token_reused` for one that was already
   * exchanged, which ends its whole family
   */
  async refresh(deps: AuthDeps, token: string): Promise<SignedInAnew> {
    const number = await readRefreshToken(deps.keys, token);
    if (number === null) throw new Refusal('unauthorized', { message: ended });
    const { database, clock } = deps;
    const rotation = await database
      .write((transaction) => rotate(transaction, number.sessionId, number.generation, clock.now()))
      .catch(async (error: unknown): Promise<Rotation> => {
        const session = await sessionRepository.findUnrotated(database.reader, number, clock.now(), error);
        return { kind: 'rotated', session };
      });
    if (rotation.kind === 'reused') {
      const { id, userId } = rotation.session;
      deps.changes.notify(userId);
      deps.log.warn(
        { event: 'token_reused', session_id: id, user_id: userId },
        'a refresh token came a second time; its session has ended',
      );
      throw new Refusal('token_reused');
    }
    const account =
      rotation.kind === 'ended' ? null : await userRepository.find(database.reader, rotation.session.userId);
    if (rotation.kind === 'ended' || account === null) throw new Refusal('unauthorized', { message: ended });
    return { account, session: rotation.session };
  },

  async list({ database, clock }: AuthDeps, { userId, sessionId }: SignedIn): Promise<SessionReply[]> {
    const sessions = await sessionRepository.listLive(database.reader, userId, clock.now());
    return sessions.map(({ id, createdAt, lastUsedAt, device }) => ({
      id,
      created_at: new Date(createdAt).toISOString(),
      last_used_at: new Date(lastUsedAt).toISOString(),
      device,
      current: id === sessionId,
    }));
  },

  /**
   * Ends the caller's own session, or another one of the same user. That may be a stranger's: TVs
   * that were approved and have not signed in yet are not signed in.
   * @throws NotFound, also for a session of another user
   */
  async end({ database, changes }: AuthDeps, { userId, sessionId: own }: SignedIn, sessionId: string): Promise<void> {
    const isEnded = await database.write(async (transaction) => {
      if (sessionId !== own) await userChangeRepository.deleteApprovals(transaction, userId);
      return sessionRepository.delete(transaction, sessionId, userId);
    });
    if (!isEnded) throw new NotFound('session');
    changes.notify(userId);
  },

  async endAll({ database, changes, log }: AuthDeps, userId: string): Promise<void> {
    await database.write((transaction) => userChangeRepository.deleteSessions(transaction, userId));
    changes.notify(userId);
    log.info({ event: 'signed_out_everywhere', user_id: userId }, 'all sessions of a person have ended');
  },
};

type Rotation = { kind: 'rotated' | 'reused'; session: AuthSession } | { kind: 'ended' };

async function rotate(transaction: Executor, sessionId: string, generation: number, now: number): Promise<Rotation> {
  const session = await sessionRepository.find(transaction, sessionId);
  if (session === null || session.expiresAt <= now || generation > session.generation) return { kind: 'ended' };
  if (generation === session.generation) {
    const expiresAt = now + sessionLifeMs(session.isRemembered);
    const isFirst = await sessionRepository.rotate(transaction, session, now, expiresAt);
    return isFirst
      ? { kind: 'rotated', session: { ...session, generation: generation + 1, expiresAt } }
      : rotate(transaction, sessionId, generation, now);
  }
  const isInGrace =
    generation === session.generation - 1 && now - session.rotatedAt <= limits.refreshGraceSeconds * 1000;
  if (isInGrace) return { kind: 'rotated', session };
  await userChangeRepository.deleteApprovals(transaction, session.userId);
  await sessionRepository.delete(transaction, session.id, session.userId);
  return { kind: 'reused', session };
}
