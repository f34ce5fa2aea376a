import type { Tier } from '#contract/rules/tiers.ts';
import styles from './tier-badge.module.css';

const colours = { basic: styles.basic, pro: styles.pro, lifetime: styles.lifetime, admin: styles.admin };

/** The effective tier, in its colour and its words. */
export function TierBadge({ tier, words }: { tier: Tier; words: string }) {
  return <span className={`${styles.badge} ${colours[tier]}`}>{words}</span>;
}
