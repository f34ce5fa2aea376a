import { readAvatar } from '#contract/endpoints.ts';
import type { Settings, User, UserReply } from '#contract/entities/user.ts';
import { isSameAddress } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { effectiveTier, featuresByTier } from '#contract/rules/tiers.ts';
import { isEulaAccepted } from '#contract/rules/upload-file.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import type { Env } from '../../env.ts';

/** A user as the server knows them, without the password hash. */
export interface Account {
  id: string;
  username: string;
  email: string;
  /** Whether a provider verified the address. */
  isEmailVerified: boolean;
  displayName: string | null;
  /** Content hash that names the avatar; null without one. */
  avatar: string | null;
  tier: Tier;
  /** Epoch milliseconds; null: never. */
  tierExpiresAt: number | null;
  hasPassword: boolean;
  eulaVersion: string | null;
  settings: Settings;
  revision: number;
  /** Epoch milliseconds. */
  createdAt: number;
}

export function tierOf({ tier, tierExpiresAt }: Pick<Account, 'tier' | 'tierExpiresAt'>, now: number): Tier {
  return effectiveTier(tier, tierExpiresAt, now);
}

/**
 * The changes when an address is typed: a provider's verification is kept only if the address is
 * the same.
 */
export function emailChange(
  account: Pick<Account, 'email' | 'isEmailVerified'>,
  email: string | undefined,
): { email?: string; isEmailVerified?: boolean } {
  return email === undefined
    ? {}
    : { email, isEmailVerified: account.isEmailVerified && isSameAddress(account.email, email) };
}

/** The services on which the fields of a user depend. */
interface UserContext {
  clock: Clock;
  settings: { env: Pick<Env, 'agreementVersion'> };
}

/** The user fields that are sent to clients, and no others. */
export function toUser(account: Account, { clock, settings }: UserContext): User {
  const tier = tierOf(account, clock.now());
  return {
    id: account.id,
    username: account.username,
    email: account.email,
    display_name: account.displayName,
    avatar_url:
      account.avatar === null ? null : `${readAvatar.path.replace('{id}', account.id)}?version=${account.avatar}`,
    has_password: account.hasPassword,
    subscription_tier: account.tier,
    effective_tier: tier,
    subscription_expires_at: account.tierExpiresAt === null ? null : new Date(account.tierExpiresAt).toISOString(),
    eula_accepted: isEulaAccepted(account.eulaVersion, settings.env.agreementVersion),
    features: featuresByTier[tier],
    settings: account.settings,
    created_at: new Date(account.createdAt).toISOString(),
  };
}

interface OwnUserContext extends UserContext {
  database: Pick<Database, 'reader'>;
  findSuccessors: FindSuccessors;
}

/** The id of the tag that each of these went into by a merge; the others have none. */
export type FindSuccessors = (from: Executor, ids: readonly string[]) => Promise<Map<string, string>>;

/** The user as they read themselves: a blocked tag that was merged is the one that it went into. */
export async function toUserReply(account: Account, context: OwnUserContext): Promise<UserReply> {
  const { settings } = account;
  const stored = settings.blocked_tag_ids;
  const successors = await context.findSuccessors(context.database.reader, stored);
  const user = toUser(
    { ...account, settings: { ...settings, blocked_tag_ids: followMerges(stored, successors) } },
    context,
  );
  return { user, features: user.features };
}

export function followMerges(ids: readonly string[], by: Map<string, string>): string[] {
  return [...new Set(ids.map((id) => by.get(id) ?? id))];
}
