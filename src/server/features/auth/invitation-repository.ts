import { createHash } from 'node:crypto';
import type { InvitedTier } from '#contract/rules/tiers.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';

/** An invitation link for one person. Instants are epoch milliseconds. */
export interface StoredInvitation {
  id: string;
  tier: InvitedTier;
  createdBy: string | null;
  createdAt: number;
  expiresAt: number;
  /** Null: not used yet. */
  usedAt: number | null;
  usedBy: string | null;
  revokedAt: number | null;
}

/** The hash of a token. The database never stores the token itself. */
export function hashInvitation(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

/** An invitation with display names. Null: nobody yet, or the account no longer exists. */
export interface ListedInvitation extends StoredInvitation {
  creatorName: string | null;
  userName: string | null;
}

/** Invitations and who used them. */
export const invitationRepository = {
  async insert(
    executor: Executor,
    invitation: Pick<StoredInvitation, 'id' | 'tier' | 'createdAt' | 'expiresAt'> & {
      createdBy: string;
      token: string;
    },
  ): Promise<void> {
    await executor
      .insertInto('invitations')
      .values({
        id: invitation.id,
        token_hash: hashInvitation(invitation.token),
        tier: invitation.tier,
        created_by: invitation.createdBy,
        created_at: invitation.createdAt,
        expires_at: invitation.expiresAt,
        used_at: null,
        used_by: null,
        revoked_at: null,
      })
      .execute();
  },

  async countOpen(executor: Executor, now: number): Promise<number> {
    const { count } = await executor
      .selectFrom('invitations')
      .select(countAll().as('count'))
      .where('used_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  async find(executor: Executor, column: 'id' | 'token_hash', value: string): Promise<StoredInvitation | null> {
    const row = await executor.selectFrom('invitations').selectAll().where(column, '=', value).executeTakeFirst();
    return row === undefined ? null : toInvitation(row);
  },

  /**
   * Marks an invitation as used. Of two concurrent claims the database lets one succeed.
   * @returns null for an invitation that is no longer valid
   */
  async claim(transaction: Executor, hash: string, now: number): Promise<StoredInvitation | null> {
    const row = await transaction
      .updateTable('invitations')
      .set({ used_at: now })
      .where('token_hash', '=', hash)
      .where('used_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', now)
      .returningAll()
      .executeTakeFirst();
    return row === undefined ? null : toInvitation(row);
  },

  async setUser(transaction: Executor, id: string, userId: string): Promise<void> {
    await transaction.updateTable('invitations').set({ used_by: userId }).where('id', '=', id).execute();
  },

  /** @returns whether it was neither used nor revoked before */
  async markRevoked(transaction: Executor, id: string, now: number): Promise<boolean> {
    const rows = await transaction
      .updateTable('invitations')
      .set({ revoked_at: now })
      .where('id', '=', id)
      .where('used_at', 'is', null)
      .where('revoked_at', 'is', null)
      .returning('id')
      .execute();
    return rows.length > 0;
  },

  /** Deletes invitations that expired or were revoked before the instant, used or not. */
  async deleteBefore(executor: Executor, instant: number): Promise<void> {
    await executor
      .deleteFrom('invitations')
      .where((row) => row.or([row('expires_at', '<', instant), row('revoked_at', '<', instant)]))
      .execute();
  },

  /** Invitations that are neither used, revoked nor expired, newest first. */
  async listOpen(executor: Executor, now: number): Promise<ListedInvitation[]> {
    const rows = await selectListed(executor).where('used_at', 'is', null).where('expires_at', '>', now).execute();
    return rows.map(toListed);
  },

  /** Used and expired invitations, newest first. */
  async listClosed(executor: Executor, now: number, limit: number): Promise<ListedInvitation[]> {
    const rows = await selectListed(executor)
      .where((row) => row.or([row('used_at', 'is not', null), row('expires_at', '<=', now)]))
      .limit(limit)
      .execute();
    return rows.map(toListed);
  },
};

interface InvitationRow {
  id: string;
  tier: InvitedTier;
  created_by: string | null;
  created_at: number;
  expires_at: number;
  used_at: number | null;
  used_by: string | null;
  revoked_at: number | null;
}

function toInvitation(row: InvitationRow): StoredInvitation {
  return {
    id: row.id,
    tier: row.tier,
    createdBy: row.created_by,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    usedAt: row.used_at,
    usedBy: row.used_by,
    revokedAt: row.revoked_at,
  };
}

function selectListed(executor: Executor) {
  return executor
    .selectFrom('invitations')
    .leftJoin('users as creator', 'creator.id', 'invitations.created_by')
    .leftJoin('users as guest', 'guest.id', 'invitations.used_by')
    .selectAll('invitations')
    .select((row) => [
      row.fn.coalesce('creator.display_name', 'creator.username').as('creator_name'),
      row.fn.coalesce('guest.display_name', 'guest.username').as('user_name'),
    ])
    .where('revoked_at', 'is', null)
    .orderBy('invitations.created_at', 'desc')
    .orderBy('invitations.id', 'desc');
}

type ListedRow = Awaited<ReturnType<ReturnType<typeof selectListed>['executeTakeFirstOrThrow']>>;

function toListed(row: ListedRow): ListedInvitation {
  return { ...toInvitation(row), creatorName: row.creator_name, userName: row.user_name };
}
