import type { FeatureName, Features } from '#contract/rules/tiers.ts';
import { featuresByTier, isTakenAway } from '#contract/rules/tiers.ts';
import { session } from './session.ts';

/**
 * What a viewer may do (§6 Features), asked for nowhere else: once a server has answered only an explicit false takes something away, and before that
 * viewers have what anonymous ones have.
 * @param viewer the session, or its snapshot where a component draws by it
 */
export function may(feature: FeatureName, { features }: { readonly features: Readonly<Features> | null } = session): boolean {
  return !isTakenAway(features ?? featuresByTier.basic, feature);
}
