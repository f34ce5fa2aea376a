import type { Tier } from './tiers.ts';

export const tierRanks: Record<Tier, number> = { basic: 1, pro: 2, lifetime: 3, admin: 4 };

export function isHigherTier(tier: Tier, than: Tier): boolean {
  return tierRanks[tier] > tierRanks[than];
}

/** The reason why this tier cannot be bought from that one; null when it can (§4 Subscription). */
export function checkUpgrade(to: Tier, from: Tier): string | null {
  if (to === 'admin') return 'Contact Admin';
  return isHigherTier(to, from) ? null : 'Downgrade Not Available';
}

/** The label of a plan's button. Signed out, `from` is basic (§4 Subscription). */
export function planButton(plan: { tier: Tier; name: string }, from: Tier): string {
  if (plan.tier === from) return 'Current Plan';
  return checkUpgrade(plan.tier, from) ?? `Upgrade to ${plan.name}`;
}

/** The price in dollars, with cents only when there are any. */
export function priceText(plan: { price: number; duration: 'month' | null }): string {
  if (plan.price === 0) return 'Free';
  const dollars = Number.isInteger(plan.price) ? String(plan.price) : plan.price.toFixed(2);
  return plan.duration === null ? `$${dollars}` : `$${dollars}/${plan.duration}`;
}

/**
 * Checks the last day of a plan that ends, as `2026-12-31`.
 * @param today the current day, in the same form
 */
export function checkLastDay(day: string, today: string): string | null {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day) || Number.isNaN(Date.parse(day))) return 'Choose the last day';
  return day < today ? 'This day has passed' : null;
}

/** The badge of the effective tier (§2 Profile). */
export const tierBadges: Record<Tier, string> = {
  basic: 'Basic (Free)',
  pro: 'Pro',
  lifetime: 'Lifetime',
  admin: 'Admin',
};
