import type { Tier } from '#contract/rules/tiers.ts';
import { tierColours } from '../tier-colours.ts';
import styles from './tier-badge.module.css';

/** The effective tier, by name and colour. */
export function TierBadge({ tier, words }: { tier: Tier; words: string }) {
  return <span className={`${styles.badge} ${tierColours[tier]}`}>{words}</span>;
}
