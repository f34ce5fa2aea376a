import { readAvatar } from '#contract/endpoints.ts';
import type { User, UserReply } from '#contract/entities/people/user.ts';
import { limits } from '#contract/limits.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';
import type { Account } from './account.ts';
import { tierOf } from './account.ts';

/** What travels of a person, and nothing else. */
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
