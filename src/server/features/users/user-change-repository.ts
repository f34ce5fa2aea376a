import { sql } from 'kysely';
import type { Settings } from '#contract/entities/user.ts';
import { nameKey } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Dialect } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';

interface NewAccount {
  id: string;
  username: string;
  email: string;
  isEmailVerified: boolean;
  displayName: string | null;
  tier: Tier;
  passwordHash: string | null;
  createdAt: number;
}

export interface AccountChange {
  /** Null removes the name; absent leaves it unchanged. */
  displayName?: string | null | undefined;
  email?: string | undefined;
  /** Set together with `email`. Absent: false, because a typed address is not verified. */
  isEmailVerified?: boolean;
  tier?: Tier;
  tierExpiresAt?: number | null;
  passwordHash?: string;
  eulaVersion?: string;
  settings?: Settings;
}

interface ChangedPeople {
  next: number;
  /** A list in JSON; null: nobody. */
  people: string | null;
}

export interface Avatar {
  /** Content hash that names the avatar. */
  content: string;
  webp: Buffer;
}

/** Changes accounts and their avatars. */
export const userChangeRepository = {
  async insert(executor: Executor, account: NewAccount): Promise<void> {
    await executor
      .insertInto('users')
      .values({
        id: account.id,
        username: account.username,
        username_key: nameKey(account.username),
        email: account.email,
        email_key: nameKey(account.email),
        email_verified: account.isEmailVerified ? 1 : 0,
        display_name: account.displayName,
        tier: account.tier,
        tier_expires_at: null,
        password_hash: account.passwordHash,
        eula_version: null,
        settings: '{}',
        revision: 0,
        created_at: account.createdAt,
      })
      .execute();
  },

  /** Locks the user's row until the transaction ends. */
  async hold(transaction: Executor, id: string): Promise<void> {
    await transaction
      .updateTable('users')
      .set((row) => ({ username: row.ref('username') }))
      .where('id', '=', id)
      .execute();
  },

  /**
   * Updates the account and raises its revision, so that the user's clients reload the profile.
   * @returns whether the user exists
   */
  async update(executor: Executor, id: string, change: AccountChange): Promise<boolean> {
    const { email, settings } = change;
    const rows = await executor
      .updateTable('users')
      .set({
        ...(change.displayName === undefined ? {} : { display_name: change.displayName }),
        ...(email === undefined
          ? {}
          : { email, email_key: nameKey(email), email_verified: change.isEmailVerified === true ? 1 : 0 }),
        ...(change.tier === undefined ? {} : { tier: change.tier }),
        ...(change.tierExpiresAt === undefined ? {} : { tier_expires_at: change.tierExpiresAt }),
        ...(change.passwordHash === undefined ? {} : { password_hash: change.passwordHash }),
        ...(change.eulaVersion === undefined ? {} : { eula_version: change.eulaVersion }),
        ...(settings === undefined ? {} : { settings: JSON.stringify(settings) }),
      })
      .set((row) => ({ revision: row('revision', '+', 1) }))
      .where('id', '=', id)
      .returning('id')
      .execute();
    return rows.length > 0;
  },

  async delete(executor: Executor, id: string): Promise<boolean> {
    const rows = await executor.deleteFrom('users').where('id', '=', id).returning('id').execute();
    return rows.length > 0;
  },

  /**
   * Deletes the user's approvals of TVs that have not signed in yet. None is added until the
   * transaction ends.
   */
  async deleteApprovals(transaction: Executor, userId: string): Promise<void> {
    await userChangeRepository.hold(transaction, userId);
    await transaction.deleteFrom('device_sign_ins').where('user_id', '=', userId).execute();
  },

  /**
   * Deletes the user's sessions, and what would outlive them: approvals of TVs, and the keys of
   * uploads.
   * @param except id of a session to keep
   */
  async deleteSessions(executor: Executor, userId: string, except = ''): Promise<void> {
    // The approvals come first: a TV that uses one meanwhile has its session once this has waited.
    await userChangeRepository.deleteApprovals(executor, userId);
    await executor.deleteFrom('sessions').where('user_id', '=', userId).where('id', '<>', except).execute();
    await executor
      .updateTable('upload_sessions')
      .set({ key_hash: '' })
      .where('user_id', '=', userId)
      .where('key_hash', '<>', '')
      .execute();
  },

  /**
   * Reads who has changed since an earlier call, maybe with some who had changed before it.
   * @param after `next` of the earlier call; null: nobody, from now on
   */
  async readChanged(
    executor: Executor,
    { kind }: Pick<Dialect, 'kind'>,
    after: number | null,
  ): Promise<{ people: string[]; next: number }> {
    // On PostgreSQL, a transaction that is still open has the mark of the oldest one or a higher
    // one; on SQLite, transactions become visible in the order of their numbers.
    const { rows } = await (kind === 'postgres'
      ? sql<ChangedPeople>`select pg_snapshot_xmin(pg_current_snapshot())::text::bigint as next,
          (select json_agg(distinct user_id)::text from people_changes where mark >= ${after}) as people`
      : sql<ChangedPeople>`select
          (select coalesce(max(number), 0) from people_changes) as next,
          (select json_group_array(distinct user_id) from people_changes where number > ${after}) as people`
    ).execute(executor);
    const { next, people } = rows[0] ?? { next: 0, people: null };
    return { next, people: JSON.parse(people ?? '[]') };
  },

  async deleteChangesBefore(executor: Executor, instant: number): Promise<void> {
    await executor.deleteFrom('people_changes').where('changed_at', '<', instant).execute();
  },

  async findAvatar(executor: Executor, userId: string): Promise<Avatar | null> {
    const row = await executor
      .selectFrom('avatars')
      .select(['content', 'webp'])
      .where('user_id', '=', userId)
      .executeTakeFirst();
    return row ?? null;
  },

  async writeAvatar(executor: Executor, userId: string, avatar: Avatar): Promise<void> {
    await executor
      .insertInto('avatars')
      .values({ user_id: userId, ...avatar })
      .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ ...avatar }))
      .execute();
  },

  async deleteAvatar(executor: Executor, userId: string): Promise<void> {
    await executor.deleteFrom('avatars').where('user_id', '=', userId).execute();
  },
};
