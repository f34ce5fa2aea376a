import type { Tier } from '#contract/rules/tiers.ts';
import { tierColours } from '../tier-colours.ts';
import { Badge } from './badge.tsx';

/** The effective tier, by name and colour. */
export function TierBadge({ tier, words }: { tier: Tier; words: string }) {
  return <Badge words={words} colour={tierColours[tier]} />;
}
