import type { User } from '#contract/entities/user.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { featuresByTier } from '#contract/rules/tiers.ts';

/** Somebody as the server tells of them. */
export function person(tier: Tier = 'basic', facts: Partial<User> = {}): User {
  return {
    id: 'user-1',
    username: 'mara',
    email: 'mara@example.com',
    display_name: null,
    avatar_url: null,
    has_password: true,
    subscription_tier: tier,
    effective_tier: tier,
    subscription_expires_at: null,
    eula_accepted: false,
    features: featuresByTier[tier],
    settings: {
      skip_duration_seconds: 60,
      blocked_tag_ids: [],
      shortcut_keys: true,
      subtitle_language: null,
      shuffle: 'once',
    },
    created_at: '2026-11-21T12:00:00.000Z',
    ...facts,
  };
}

export const nobody = { json: { authenticated: false, user: null, features: featuresByTier.basic } };

export function profileOf(tier: Tier = 'basic', revision?: string) {
  const user = person(tier);
  return {
    json: { authenticated: true, user, features: user.features },
    ...(revision === undefined ? {} : { revision }),
  };
}

/** The answer that lets somebody in, with the tokens of that number. */
export function letIn(number = 1, tier: Tier = 'basic') {
  const user = person(tier);
  return { json: { ...tokens(number), user, features: user.features } };
}

export function tokens(number = 1) {
  return { access_token: `access-${number}`, refresh_token: `refresh-${number}` };
}

/** An access token that says of itself when it runs out, in epoch seconds. */
export function tokenUntil(expiresAt: number): string {
  return ['e30', btoa(JSON.stringify({ exp: expiresAt })).replace(/=+$/, ''), 'signature'].join('.');
}
