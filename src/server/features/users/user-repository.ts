import type { SelectQueryBuilder } from 'kysely';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Settings } from '#contract/entities/user.ts';
import { limits } from '#contract/limits.ts';
import { shuffles } from '#contract/rules/settings.ts';
import { nameKey } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import type { Dialect } from '../../database/dialect.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { Account } from './account.ts';

const accountColumns = [
  'users.id',
  'username',
  'email',
  'email_verified',
  'display_name',
  'tier',
  'tier_expires_at',
  'eula_version',
  'settings',
  'revision',
  'created_at',
  'avatars.content as avatar',
] as const;

type AccountRow = Awaited<ReturnType<ReturnType<typeof selectAccounts>['executeTakeFirstOrThrow']>>;

/** The settings that decide about a user's picks. */
export type PickSettings = Pick<Settings, 'blocked_tag_ids' | 'shuffle'>;

/** Reads accounts. */
export const userRepository = {
  async find(executor: Executor, id: string): Promise<Account | null> {
    const row = await selectAccounts(executor).where('users.id', '=', id).executeTakeFirst();
    return row === undefined ? null : toAccount(row);
  },

  /** The user with a username or email address, and their password hash. */
  async findForSignIn(
    executor: Executor,
    identifier: string,
  ): Promise<{ id: string; passwordHash: string | null } | null> {
    const key = nameKey(identifier);
    const row = await executor
      .selectFrom('users')
      .select(['id', 'password_hash'])
      .where((users) => users.or([users('username_key', '=', key), users('email_key', '=', key)]))
      .executeTakeFirst();
    return row === undefined ? null : { id: row.id, passwordHash: row.password_hash };
  },

  async findByEmail(executor: Executor, email: string): Promise<Account | null> {
    const row = await selectAccounts(executor).where('email_key', '=', nameKey(email)).executeTakeFirst();
    return row === undefined ? null : toAccount(row);
  },

  async readPasswordHash(executor: Executor, id: string): Promise<string | null> {
    const row = await executor.selectFrom('users').select('password_hash').where('id', '=', id).executeTakeFirst();
    return row?.password_hash ?? null;
  },

  /** The fields whose value another user has. */
  async findTaken(
    executor: Executor,
    wanted: { username?: string; email?: string },
    except = '',
  ): Promise<('username' | 'email')[]> {
    const taken: ('username' | 'email')[] = [];
    for (const field of ['username', 'email'] as const) {
      const name = wanted[field];
      if (name === undefined) continue;
      const row = await executor
        .selectFrom('users')
        .select('id')
        .where(`${field}_key`, '=', nameKey(name))
        .where('id', '<>', except)
        .executeTakeFirst();
      if (row !== undefined) taken.push(field);
    }
    return taken;
  },

  async isEmpty(executor: Executor): Promise<boolean> {
    return (await executor.selectFrom('users').select('id').limit(1).executeTakeFirst()) === undefined;
  },

  /**
   * Locks the rows of all administrators, so that two who lower each other cannot both succeed.
   * @returns ids of those whose tier has no end
   */
  async holdLastingAdmins(transaction: Executor): Promise<string[]> {
    const admins = await transaction
      .updateTable('users')
      .set((row) => ({ tier: row.ref('tier') }))
      .where('tier', '=', 'admin')
      .returning(['id', 'tier_expires_at'])
      .execute();
    return admins.filter((admin) => admin.tier_expires_at === null).map((admin) => admin.id);
  },

  /** The settings of one user; the defaults for an unknown user, and for nobody. */
  async readPickSettings(executor: Executor, userId: string | null): Promise<PickSettings> {
    if (userId === null) return defaultSettings;
    const row = await executor.selectFrom('users').select('settings').where('id', '=', userId).executeTakeFirst();
    return row === undefined ? defaultSettings : readSettings(row.settings);
  },

  /** The stored blocklist of one user; empty for an unknown user. */
  async readBlockedTagIds(executor: Executor, userId: string): Promise<string[]> {
    const row = await executor.selectFrom('users').select('settings').where('id', '=', userId).executeTakeFirst();
    return row === undefined ? [] : readSettings(row.settings).blocked_tag_ids;
  },

  async list(
    executor: Executor,
    search: AccountSearch,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<Account[]> {
    const rows = await matchingAccounts(selectAccounts(executor), search)
      .orderBy('username_key')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(toAccount);
  },

  async count(executor: Executor, search: AccountSearch): Promise<number> {
    const { count } = await matchingAccounts(executor.selectFrom('users'), search)
      .select(countAll().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  },
};

/** Accounts in the form that `toAccount` reads. */
function selectAccounts(executor: Executor) {
  return executor
    .selectFrom('users')
    .leftJoin('avatars', 'avatars.user_id', 'users.id')
    .select(accountColumns)
    .select((row) => row('password_hash', 'is not', null).as('has_password'));
}

function toAccount(row: AccountRow): Account {
  return {
    id: row.id,
    username: row.username,
    email: row.email,
    isEmailVerified: row.email_verified === 1,
    displayName: row.display_name,
    avatar: row.avatar,
    tier: row.tier,
    tierExpiresAt: row.tier_expires_at,
    hasPassword: Boolean(row.has_password),
    eulaVersion: row.eula_version,
    settings: readSettings(row.settings),
    revision: row.revision,
    createdAt: row.created_at,
  };
}

interface AccountSearch {
  /** Part of a username, an email address or a display name. */
  search?: string | undefined;
  /** The effective tier. */
  tier?: Tier | undefined;
  now: number;
  dialect: Pick<Dialect, 'containsName'>;
}

function matchingAccounts<Query extends SelectQueryBuilder<Tables, 'users', object>>(
  query: Query,
  { search = '', tier, now, dialect }: AccountSearch,
): Query {
  const key = nameKey(search);
  const named = ['username_key', 'email_key', 'display_name'].map((column) =>
    dialect.containsName(`users.${column}`, key),
  );
  const searched = search === '' ? query : query.where((users) => users.or(named));
  return (tier === undefined ? searched : searched.where(hasTier(tier, now))) as Query;
}

function hasTier(tier: Tier, now: number) {
  const holds = sql<boolean>`(tier = ${tier} and (tier_expires_at is null or tier_expires_at > ${now}))`;
  return tier === 'basic' ? sql<boolean>`(${holds} or tier_expires_at <= ${now})` : holds;
}

const defaultSettings: Settings = {
  skip_duration_seconds: limits.skipDurationSeconds,
  blocked_tag_ids: [],
  shortcut_keys: true,
  subtitle_language: null,
  shuffle: 'once',
};

const storedSettingsSchema = z.object({
  skip_duration_seconds: z.int().positive().catch(defaultSettings.skip_duration_seconds),
  blocked_tag_ids: z.array(z.string()).catch(defaultSettings.blocked_tag_ids),
  shortcut_keys: z.boolean().catch(defaultSettings.shortcut_keys),
  subtitle_language: z.string().nullable().catch(defaultSettings.subtitle_language),
  shuffle: z.enum(shuffles).catch(defaultSettings.shuffle),
});

/** Parses saved settings. Missing and outdated values get their defaults. */
function readSettings(json: string): Settings {
  return storedSettingsSchema.parse(parseSettings(json));
}

function parseSettings(json: string): unknown {
  try {
    return JSON.parse(json) ?? {};
  } catch {
    return {};
  }
}
