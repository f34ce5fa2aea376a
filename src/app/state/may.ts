import type { User } from '#contract/entities/user.ts';
import { seekStep } from '#contract/rules/settings.ts';
import type { FeatureName, Features } from '#contract/rules/tiers.ts';
import { featuresByTier, isTakenAway } from '#contract/rules/tiers.ts';
import { isAmong, session } from './session.ts';
import { settings } from './settings.ts';
import { siteConfig } from './site-config.ts';

/**
 * Whether a feature is available to the viewer (§6 Features); the only place that decides it. After
 * the server's answer only an explicit false removes a feature; before it the features of anonymous
 * viewers apply.
 * @param viewer the session, or its snapshot where a component draws by it
 */
export function may(
  feature: FeatureName,
  { features }: { readonly features: Readonly<Features> | null } = session,
): boolean {
  return !isTakenAway(features ?? featuresByTier.basic, feature);
}

/**
 * Whether the viewer may change tags and assign them to videos (`TAG_EDITING`).
 * @param viewer the session, or its snapshot where a component draws by it
 */
export function mayEditTags(
  { user }: { readonly user: Pick<User, 'effective_tier'> | null } = session,
  { isTagEditingOpen }: { readonly isTagEditingOpen: boolean } = siteConfig,
): boolean {
  return isAmong(user, isTagEditingOpen ? 'signed-in' : 'admin');
}

/**
 * Seconds of one step back or forward: the viewer's own where the tier allows one.
 * @param viewer the session, or its snapshot where a component draws by it, as are the settings
 */
export function stepSeconds(
  viewer: Parameters<typeof may>[1] = session,
  { seekStepSeconds }: { readonly seekStepSeconds: number } = settings,
): number {
  return seekStep({ customizable_skip_limits: may('customizable_skip_limits', viewer) }, seekStepSeconds);
}
