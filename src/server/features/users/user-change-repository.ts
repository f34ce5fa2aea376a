import type { Settings } from '#contract/entities/people/user.ts';
import { nameKey } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Executor } from '../../database/tables.ts';

export interface NewAccount {
  id: string;
  username: string;
  email: string;
  isEmailVerified: boolean;
  displayName: string | null;
  tier: Tier;
  passwordHash: string | null;
  createdAt: number;
}

export async function insertAccount(executor: Executor, account: NewAccount): Promise<void> {
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
}

/** Until the transaction ends nobody else changes this person. */
export async function holdAccount(transaction: Executor, id: string): Promise<void> {
  await transaction
    .updateTable('users')
    .set((row) => ({ username: row.ref('username') }))
    .where('id', '=', id)
    .execute();
}

export interface AccountChange {
  /** Null and absent differ: null takes the name away. */
  displayName?: string | null | undefined;
  email?: string | undefined;
  /** Goes with `email`; absent: an address that somebody typed proves nothing. */
  isEmailVerified?: boolean;
  tier?: Tier;
  tierExpiresAt?: number | null;
  passwordHash?: string;
  eulaVersion?: string;
  settings?: Settings;
}

/** Clients of this person are told to read the profile again. @returns whether there is such a person */
export async function updateAccount(executor: Executor, id: string, change: AccountChange): Promise<boolean> {
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
}

export async function deleteUserRow(executor: Executor, id: string): Promise<boolean> {
  const rows = await executor.deleteFrom('users').where('id', '=', id).returning('id').execute();
  return rows.length > 0;
}
