import type { Plan } from '#contract/entities/plan.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { isHigherTier, planButton } from '#contract/rules/tiers.ts';

/** Who looks at the plans: signed out, the tier is basic. */
export interface PlanViewer {
  tier: Tier;
  /** Whether people change plans by themselves here. */
  isBillingOpen: boolean;
}

export interface PlanOffer {
  label: string;
  isChoosable: boolean;
}

/** What a plan's button says to somebody, and whether it does anything (§4 Subscription). */
export function offerOf(plan: Pick<Plan, 'tier' | 'name'>, { tier, isBillingOpen }: PlanViewer): PlanOffer {
  const isForSale = plan.tier !== 'admin' && isHigherTier(plan.tier, tier);
  if (isForSale && !isBillingOpen) return { label: 'Contact Admin', isChoosable: false };
  return { label: planButton(plan, tier), isChoosable: isForSale };
}
