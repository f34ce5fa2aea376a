import type { Plan } from '#contract/entities/people/plan.ts';
import { checkUpgrade } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { Invalid, Refusal } from '../../http/pipeline/errors.ts';
import { recordActivity } from '../activity/activity-log.ts';
import type { Account } from '../users/account.ts';
import { tierOf } from '../users/account.ts';
import type { UserDeps } from '../users/profile.ts';
import { changeAccount } from '../users/profile.ts';

export interface PlanDeps extends UserDeps {
  plans: readonly Plan[];
  /** False: tiers are given by administrators alone. */
  isBillingOpen: boolean;
}

/**
 * Takes effect at once and has no end (§4 Subscription).
 * @throws Refusal 403 for admin and where billing is closed, 400 for a tier that is not higher or not on offer
 */
export async function upgrade(deps: PlanDeps, userId: string, to: Tier): Promise<Account> {
  if (to === 'admin') throw new Refusal('forbidden', { message: 'Contact Admin' });
  if (!deps.isBillingOpen) throw new Refusal('forbidden', { message: 'Plans cannot be changed here. Contact Admin' });
  if (!deps.plans.some((plan) => plan.tier === to))
    throw new Invalid([{ field: 'to_tier', message: 'This plan is not on offer' }]);
  return changeAccount(deps, userId, async (transaction, account) => {
    const now = deps.clock.now();
    const sentence = checkUpgrade(to, tierOf(account, now));
    if (sentence !== null) throw new Refusal('downgrade_not_available', { message: sentence });
    const upgraded = { actorId: userId, kind: 'tier_changed', subject: account.username, detail: to } as const;
    await recordActivity(transaction, upgraded, now);
    return { tier: to, tierExpiresAt: null };
  });
}
