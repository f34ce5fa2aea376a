/** The tiers in ascending rank (§4 Subscription). */
export const tiers = ['basic', 'pro', 'lifetime', 'admin'] as const;

export type Tier = (typeof tiers)[number];

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
