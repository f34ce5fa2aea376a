import type { Plan } from '#contract/entities/user.ts';
import { isHigherTier, planButton } from '#contract/rules/plans.ts';
import type { Tier } from '#contract/rules/tiers.ts';

/** The viewer of the plans; signed out, the tier is basic. */
export interface PlanViewer {
  tier: Tier;
  /** Whether users can change plans by themselves. */
  isBillingOpen: boolean;
}

export interface PlanOffer {
  label: string;
  isChoosable: boolean;
}

/** Label of a plan's button, and whether it is enabled (§4 Subscription). */
export function offerOf(plan: Pick<Plan, 'tier' | 'name'>, { tier, isBillingOpen }: PlanViewer): PlanOffer {
  const isForSale = plan.tier !== 'admin' && isHigherTier(plan.tier, tier);
  if (isForSale && !isBillingOpen) return { label: 'Contact Admin', isChoosable: false };
  return { label: planButton(plan, tier), isChoosable: isForSale };
}
