import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { nameKey } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { Account } from './account.ts';
import { selectAccounts, toAccount } from './user-repository.ts';

export interface AccountSearch {
  /** Part of a username, an address or a display name. */
  search?: string | undefined;
  /** The effective one. */
  tier?: Tier | undefined;
  now: number;
}

export async function listAccounts(
  executor: Executor,
  search: AccountSearch,
  { limit, offset }: { limit: number; offset: number },
): Promise<Account[]> {
  const rows = await matching(selectAccounts(executor), search)
    .orderBy('username_key')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map(toAccount);
}

export async function countAccounts(executor: Executor, search: AccountSearch): Promise<number> {
  const { count } = await matching(executor.selectFrom('users'), search)
    .select(countAll().as('count'))
    .executeTakeFirstOrThrow();
  return Number(count);
}

function matching<Query extends SelectQueryBuilder<Tables, 'users', object>>(
  query: Query,
  { search = '', tier, now }: AccountSearch,
): Query {
  const key = `%${nameKey(search).replaceAll(/[\\%_]/g, '\\$&')}%`;
  const named = ['username_key', 'email_key', 'display_name'].map(
    (column) => sql<boolean>`lower(${sql.ref(`users.${column}`)}) like ${key} escape '\\'`,
  );
  const searched = search === '' ? query : query.where((users) => users.or(named));
  return (tier === undefined ? searched : searched.where(hasTier(tier, now))) as Query;
}

function hasTier(tier: Tier, now: number) {
  const holds = sql<boolean>`(tier = ${tier} and (tier_expires_at is null or tier_expires_at > ${now}))`;
  return tier === 'basic' ? sql<boolean>`(${holds} or tier_expires_at <= ${now})` : holds;
}
