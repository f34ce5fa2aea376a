import type { Executor } from '../../../database/tables.ts';
import type { StoredInvitation } from './invitation-repository.ts';
import { toInvitation } from './invitation-repository.ts';

/** With the names that people are shown by; null: nobody yet, or their account is gone. */
export interface ListedInvitation extends StoredInvitation {
  creatorName: string | null;
  userName: string | null;
}

/** Neither used nor revoked nor run out; the newest first. */
export async function listOpenInvitations(executor: Executor, now: number): Promise<ListedInvitation[]> {
  const rows = await selectListed(executor).where('used_at', 'is', null).where('expires_at', '>', now).execute();
  return rows.map(toListed);
}

/** Used, or run out without; the newest first. */
export async function listClosedInvitations(
  executor: Executor,
  now: number,
  limit: number,
): Promise<ListedInvitation[]> {
  const rows = await selectListed(executor)
    .where((row) => row.or([row('used_at', 'is not', null), row('expires_at', '<=', now)]))
    .limit(limit)
    .execute();
  return rows.map(toListed);
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
