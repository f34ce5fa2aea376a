import { createHash } from 'node:crypto';
import type { Selectable } from 'kysely';
import { limits } from '#contract/limits.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { isDatabaseAway, isDatabaseFull } from '../../../database/dialect.ts';
import type { Executor, Tables } from '../../../database/tables.ts';
import type { AuthSession } from './session-tokens.ts';

/** The fields of a session and its user that permissions need. */
export interface SessionFacts {
  userId: string;
  expiresAt: number;
  tier: Tier;
  tierExpiresAt: number | null;
  revision: number;
}

/** At most this many sessions beyond the limit are ended at once; later sign-ins end the others. */
const endedTogether = 1_000;

/** Sessions of signed-in people, and the devices that they have used. */
export const sessionRepository = {
  /** Inserts a session, and ends those of this user beyond the limit, the least recently used first. */
  async insert(executor: Executor, session: AuthSession): Promise<void> {
    await executor
      .insertInto('sessions')
      .values({
        id: session.id,
        user_id: session.userId,
        generation: session.generation,
        rotated_at: session.rotatedAt,
        expires_at: session.expiresAt,
        remembered: session.isRemembered ? 1 : 0,
        device: session.device,
        created_at: session.createdAt,
        last_used_at: session.lastUsedAt,
        proven_at: session.provenAt,
      })
      .execute();
    const surplus = executor
      .selectFrom('sessions')
      .select('id')
      .where('user_id', '=', session.userId)
      .where('id', '!=', session.id)
      .orderBy('last_used_at', 'desc')
      .orderBy('id', 'desc')
      .limit(endedTogether)
      .offset(limits.sessionsPerPerson - 1);
    await executor.deleteFrom('sessions').where('id', 'in', surplus).execute();
  },

  async find(executor: Executor, id: string): Promise<AuthSession | null> {
    const row = await executor.selectFrom('sessions').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toSession(row);
  },

  async findFacts(executor: Executor, id: string): Promise<SessionFacts | null> {
    const row = await executor
      .selectFrom('sessions')
      .innerJoin('users', 'users.id', 'sessions.user_id')
      .select(['users.id', 'sessions.expires_at', 'tier', 'tier_expires_at', 'revision'])
      .where('sessions.id', '=', id)
      .executeTakeFirst();
    if (row === undefined) return null;
    return {
      userId: row.id,
      expiresAt: row.expires_at,
      tier: row.tier,
      tierExpiresAt: row.tier_expires_at,
      revision: row.revision,
    };
  },

  /**
   * Advances to the next generation unless a concurrent call has done so.
   * @returns whether it did
   */
  async rotate(executor: Executor, { id, generation }: AuthSession, now: number, expiresAt: number): Promise<boolean> {
    const rows = await executor
      .updateTable('sessions')
      .set({ generation: generation + 1, rotated_at: now, last_used_at: now, expires_at: expiresAt })
      .where('id', '=', id)
      .where('generation', '=', generation)
      .returning('id')
      .execute();
    return rows.length > 0;
  },

  /**
   * Finds the session of its newest token after its rotation could not be written: a database that
   * only reads, as on a full disk, must not end anybody's session.
   * @throws the error of the write in all other cases
   */
  async findUnrotated(
    executor: Executor,
    { sessionId, generation }: { sessionId: string; generation: number },
    now: number,
    error: unknown,
  ): Promise<AuthSession> {
    if (!isDatabaseFull(error) && !isDatabaseAway(error)) throw error;
    const session = await sessionRepository.find(executor, sessionId).catch(() => null);
    if (session?.generation !== generation || session.expiresAt <= now) throw error;
    return session;
  },

  async markProven(executor: Executor, id: string, now: number): Promise<void> {
    await executor.updateTable('sessions').set({ proven_at: now }).where('id', '=', id).execute();
  },

  /** The user's sessions, most recently used first. */
  async listLive(executor: Executor, userId: string, now: number): Promise<AuthSession[]> {
    const rows = await executor
      .selectFrom('sessions')
      .selectAll()
      .where('user_id', '=', userId)
      .where('expires_at', '>', now)
      .orderBy('last_used_at', 'desc')
      .orderBy('id', 'desc')
      .execute();
    return rows.map(toSession);
  },

  /** @returns whether this user had such a session */
  async delete(executor: Executor, id: string, userId: string): Promise<boolean> {
    const rows = await executor
      .deleteFrom('sessions')
      .where('id', '=', id)
      .where('user_id', '=', userId)
      .returning('id')
      .execute();
    return rows.length > 0;
  },

  async deleteExpired(executor: Executor, now: number): Promise<void> {
    await executor.deleteFrom('sessions').where('expires_at', '<=', now).execute();
  },

  /** Whether this user has signed in from this browser before. */
  async isKnownDevice(executor: Executor, userId: string, viewer: string): Promise<boolean> {
    const row = await executor
      .selectFrom('known_devices')
      .select('used_at')
      .where('user_id', '=', userId)
      .where('viewer_hash', '=', hashViewer(viewer))
      .executeTakeFirst();
    return row !== undefined;
  },

  async rememberDevice(executor: Executor, userId: string, viewer: string, now: number): Promise<void> {
    await executor
      .insertInto('known_devices')
      .values({ user_id: userId, viewer_hash: hashViewer(viewer), used_at: now })
      .onConflict((conflict) => conflict.columns(['user_id', 'viewer_hash']).doUpdateSet({ used_at: now }))
      .execute();
  },

  async deleteDevicesUnusedSince(executor: Executor, instant: number): Promise<void> {
    await executor.deleteFrom('known_devices').where('used_at', '<', instant).execute();
  },
};

function toSession(row: Selectable<Tables['sessions']>): AuthSession {
  return {
    id: row.id,
    userId: row.user_id,
    generation: row.generation,
    rotatedAt: row.rotated_at,
    expiresAt: row.expires_at,
    isRemembered: row.remembered === 1,
    device: row.device,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    provenAt: row.proven_at,
  };
}

/** Hashed, so that reading the database does not reveal a browser's id. */
function hashViewer(viewer: string): string {
  return createHash('sha256').update(viewer).digest('base64url');
}
