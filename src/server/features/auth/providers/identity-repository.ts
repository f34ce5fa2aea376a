import type { Executor } from '../../../database/tables.ts';

/** A provider's account that opens one of ours. */
export interface StoredIdentity {
  issuer: string;
  subject: string;
  provider: string;
  userId: string;
  email: string | null;
  /** Epoch milliseconds. */
  linkedAt: number;
}

export async function insertIdentity(
  executor: Executor,
  { issuer, subject, provider, userId, email, linkedAt }: StoredIdentity,
): Promise<void> {
  await executor
    .insertInto('identities')
    .values({ issuer, subject, provider, user_id: userId, email, linked_at: linkedAt })
    .execute();
}

/** Whose account it opens; null: nobody's. */
export async function findIdentityUser(executor: Executor, issuer: string, subject: string): Promise<string | null> {
  const row = await executor
    .selectFrom('identities')
    .select('user_id')
    .where('issuer', '=', issuer)
    .where('subject', '=', subject)
    .executeTakeFirst();
  return row?.user_id ?? null;
}

export async function listIdentitiesOf(executor: Executor, userId: string): Promise<StoredIdentity[]> {
  const rows = await executor
    .selectFrom('identities')
    .selectAll()
    .where('user_id', '=', userId)
    .orderBy('linked_at')
    .orderBy('provider')
    .execute();
  return rows.map(({ user_id, linked_at, ...row }) => ({ ...row, userId: user_id, linkedAt: linked_at }));
}

export async function deleteIdentity(executor: Executor, userId: string, provider: string): Promise<void> {
  await executor.deleteFrom('identities').where('user_id', '=', userId).where('provider', '=', provider).execute();
}
