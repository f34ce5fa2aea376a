/** The tiers in ascending rank (§4 Subscription). */
export const tiers = ['basic', 'pro', 'lifetime', 'admin'] as const;

export type Tier = (typeof tiers)[number];

/** The badge of the effective tier (§2 Profile). */
export const tierBadges: Record<Tier, string> = {
  basic: 'Basic (Free)',
  pro: 'Pro',
  lifetime: 'Lifetime',
  admin: 'Admin',
};

export const featureNames = [
  'quad_stream',
  'video_controls',
  'customizable_skip_limits',
  'hd_streaming',
  'admin_panel',
  'user_management',
] as const;

export type FeatureName = (typeof featureNames)[number];

export type Features = Record<FeatureName, boolean>;

/** The features that apply until the server answers, and when a profile has none (§3 User). */
export const defaultFeatures: Features = {
  quad_stream: true,
  video_controls: false,
  customizable_skip_limits: false,
  hd_streaming: false,
  admin_panel: false,
  user_management: false,
};

const basicFeatures: Features = { ...defaultFeatures, video_controls: true };
const paidFeatures: Features = { ...basicFeatures, customizable_skip_limits: true, hd_streaming: true };

/** The features of each tier; anonymous viewers have those of basic (§6). */
export const featuresByTier: Record<Tier, Features> = {
  basic: basicFeatures,
  pro: paidFeatures,
  lifetime: paidFeatures,
  admin: { ...paidFeatures, admin_panel: true, user_management: true },
};

/** Only an explicit false removes a control (§6 Features). */
export function isTakenAway(features: Partial<Features> | null, name: FeatureName): boolean {
  return features !== null && features[name] === false;
}

export function isTier(name: string): name is Tier {
  return (tiers as readonly string[]).includes(name);
}

/**
 * The subscription's tier, or basic after a dated subscription has expired. Both times are epoch
 * milliseconds; null means no end.
 */
export function effectiveTier(subscriptionTier: Tier, expiresAt: number | null, now: number): Tier {
  return expiresAt !== null && expiresAt <= now ? 'basic' : subscriptionTier;
}

/** The tiers that an invitation may grant: a link makes nobody an administrator. */
export const invitedTiers = ['basic', 'pro', 'lifetime'] as const satisfies readonly Tier[];

export type InvitedTier = (typeof invitedTiers)[number];

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
