import type { Tier } from '#contract/rules/tiers.ts';
import type { Executor } from '../../database/tables.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { Account } from '../users/account.ts';
import { emptyToNull } from '../users/profile.ts';

/** What an administrator changes of a person. */
export interface UserChange {
  displayName?: string | null | undefined;
  email?: string | undefined;
  newPassword?: string | undefined;
}

export interface Subscription {
  tier: Tier;
  /** Epoch milliseconds; null: no end. */
  expiresAt: number | null;
}

/** Which fields got another value, without the values. Part of the transaction that changes them. */
export async function recordUserChange(
  transaction: Executor,
  actorId: string,
  before: Account,
  { displayName, email, newPassword }: UserChange,
  now: number,
): Promise<void> {
  const subject = before.username;
  const fields = [
    displayName !== undefined && emptyToNull(displayName) !== before.displayName ? ['display name'] : [],
    email !== undefined && email !== before.email ? ['email'] : [],
  ].flat();
  if (fields.length > 0)
    await recordActivity(transaction, { actorId, kind: 'account_changed', subject, detail: fields.join(', ') }, now);
  if (newPassword !== undefined) await recordActivity(transaction, { actorId, kind: 'password_set', subject }, now);
}

/** `pro until 2026-12-31`: the day by UTC. */
export function subscriptionText({ tier, expiresAt }: Subscription): string {
  return expiresAt === null ? tier : `${tier} until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}
