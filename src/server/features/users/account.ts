import { readAvatar } from '#contract/endpoints.ts';
import type { Settings, User, UserReply } from '#contract/entities/user.ts';
import { limits } from '#contract/limits.ts';
import { isSameAddress } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { effectiveTier, featuresByTier } from '#contract/rules/tiers.ts';

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

/** The user fields that are sent to clients, and no others. */
export function toUser(account: Account, now: number): User {
  const tier = tierOf(account, now);
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
    eula_accepted: account.eulaVersion === limits.eulaVersion,
    features: featuresByTier[tier],
    settings: account.settings,
    created_at: new Date(account.createdAt).toISOString(),
  };
}

export function toUserReply(account: Account, now: number): UserReply {
  const user = toUser(account, now);
  return { user, features: user.features };
}
