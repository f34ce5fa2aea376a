/** From the least to the most (§4 Subscription). */
export const tiers = ['basic', 'pro', 'lifetime', 'admin'] as const;

export type Tier = (typeof tiers)[number];

/** What an invitation may give: nobody becomes an administrator by a link. */
export const invitedTiers = ['basic', 'pro', 'lifetime'] as const satisfies readonly Tier[];

export type InvitedTier = (typeof invitedTiers)[number];

export const tierRanks: Record<Tier, number> = { basic: 1, pro: 2, lifetime: 3, admin: 4 };

/** What a badge says of the effective tier (§2 Profile). */
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

/** What stands until a server has answered, and where a profile carries no features (§3 User). */
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

/** What each tier grants; anonymous viewers have what basic has (§6). */
export const featuresByTier: Record<Tier, Features> = {
  basic: basicFeatures,
  pro: paidFeatures,
  lifetime: paidFeatures,
  admin: { ...paidFeatures, admin_panel: true, user_management: true },
};

/** Only an explicit false takes a control away (§6 Features). */
export function isTakenAway(features: Partial<Features> | null, name: FeatureName): boolean {
  return features !== null && features[name] === false;
}

export function isTier(name: string): name is Tier {
  return (tiers as readonly string[]).includes(name);
}

export function isHigherTier(tier: Tier, than: Tier): boolean {
  return tierRanks[tier] > tierRanks[than];
}

/**
 * The subscription's tier, or basic once a dated subscription has run out. Both times are epoch milliseconds; null is
 * undated.
 */
export function effectiveTier(subscriptionTier: Tier, expiresAt: number | null, now: number): Tier {
  return expiresAt !== null && expiresAt <= now ? 'basic' : subscriptionTier;
}

/** Why this tier cannot be bought from that one; null when it can (§4 Subscription). */
export function checkUpgrade(to: Tier, from: Tier): string | null {
  if (to === 'admin') return 'Contact Admin';
  return isHigherTier(to, from) ? null : 'Downgrade Not Available';
}

/** The label of a plan's button. Signed out, `from` is basic (§4 Subscription). */
export function planButton(plan: { tier: Tier; name: string }, from: Tier): string {
  if (plan.tier === from) return 'Current Plan';
  return checkUpgrade(plan.tier, from) ?? `Upgrade to ${plan.name}`;
}

/** Dollars; cents only where there are any. */
export function priceText(plan: { price: number; duration: 'month' | null }): string {
  if (plan.price === 0) return 'Free';
  const dollars = Number.isInteger(plan.price) ? String(plan.price) : plan.price.toFixed(2);
  return plan.duration === null ? `$${dollars}` : `$${dollars}/${plan.duration}`;
}
