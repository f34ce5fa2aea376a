import type { FeatureName, Features } from '#contract/rules/tiers.ts';
import { featuresByTier, isTakenAway } from '#contract/rules/tiers.ts';
import { session } from './session.ts';

/**
 * Whether a feature is available to the viewer (§6 Features); the only place that decides it. After the server's answer
 * only an explicit false removes a feature; before it the features of anonymous viewers apply.
 * @param viewer the session, or its snapshot where a component draws by it
 */
export function may(
  feature: FeatureName,
  { features }: { readonly features: Readonly<Features> | null } = session,
): boolean {
  return !isTakenAway(features ?? featuresByTier.basic, feature);
}
