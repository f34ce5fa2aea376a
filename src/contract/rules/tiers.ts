/** From the least to the most (§4 Subscription). */
export const tiers = ['basic', 'pro', 'lifetime', 'admin'] as const;

export type Tier = (typeof tiers)[number];

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

/**
 * The subscription's tier, or basic once a dated subscription has run out. Both times are epoch milliseconds; null is
 * undated.
 */
export function effectiveTier(subscriptionTier: Tier, expiresAt: number | null, now: number): Tier {
  return expiresAt !== null && expiresAt <= now ? 'basic' : subscriptionTier;
}
