import { createHash } from 'node:crypto';
import type { InvitedTier } from '#contract/rules/plans.ts';
import { countAll } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';

/** A link that lets one person in. Instants are epoch milliseconds. */
export interface StoredInvitation {
  id: string;
  tier: InvitedTier;
  createdBy: string | null;
  createdAt: number;
  expiresAt: number;
  /** Null: not yet. */
  usedAt: number | null;
  usedBy: string | null;
  revokedAt: number | null;
}

/** All that the database keeps of a token. */
export function hashInvitation(token: string): string {
  return createHash('sha256').update(token).digest('base64url');
}

export async function insertInvitation(
  executor: Executor,
  invitation: Pick<StoredInvitation, 'id' | 'tier' | 'createdAt' | 'expiresAt'> & { createdBy: string; token: string },
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
}

export async function countOpenInvitations(executor: Executor, now: number): Promise<number> {
  const { count } = await executor
    .selectFrom('invitations')
    .select(countAll().as('count'))
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export async function findInvitation(
  executor: Executor,
  column: 'id' | 'token_hash',
  value: string,
): Promise<StoredInvitation | null> {
  const row = await executor.selectFrom('invitations').selectAll().where(column, '=', value).executeTakeFirst();
  return row === undefined ? null : toInvitation(row);
}

/** Of two at once the database lets one have it. @returns null for what is not good any more */
export async function claimInvitation(
  transaction: Executor,
  hash: string,
  now: number,
): Promise<StoredInvitation | null> {
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
}

export async function setInvitationUser(transaction: Executor, id: string, userId: string): Promise<void> {
  await transaction.updateTable('invitations').set({ used_by: userId }).where('id', '=', id).execute();
}

/** @returns whether it was neither used nor revoked before */
export async function markRevoked(transaction: Executor, id: string, now: number): Promise<boolean> {
  const rows = await transaction
    .updateTable('invitations')
    .set({ revoked_at: now })
    .where('id', '=', id)
    .where('used_at', 'is', null)
    .where('revoked_at', 'is', null)
    .returning('id')
    .execute();
  return rows.length > 0;
}

/** Whatever has run out before that instant, was used or not, and what was revoked before it. */
export async function deleteInvitationsBefore(executor: Executor, instant: number): Promise<void> {
  await executor
    .deleteFrom('invitations')
    .where((row) => row.or([row('expires_at', '<', instant), row('revoked_at', '<', instant)]))
    .execute();
}

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

export function toInvitation(row: InvitationRow): StoredInvitation {
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
