import type { Settings } from '#contract/entities/people/user.ts';
import { isSameAddress } from '#contract/rules/text.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { effectiveTier } from '#contract/rules/tiers.ts';

/** A person, as the server knows them. The password's hash is no part of it. */
export interface Account {
  id: string;
  username: string;
  email: string;
  /** Whether a provider vouched for the address. */
  isEmailVerified: boolean;
  displayName: string | null;
  /** Names the avatar by its content; null without one. */
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

/** What a typed address makes of an account: a provider vouched for the one before, not for another. */
export function emailChange(
  account: Pick<Account, 'email' | 'isEmailVerified'>,
  email: string | undefined,
): { email?: string; isEmailVerified?: boolean } {
  return email === undefined
    ? {}
    : { email, isEmailVerified: account.isEmailVerified && isSameAddress(account.email, email) };
}
