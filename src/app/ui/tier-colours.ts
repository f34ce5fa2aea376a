import type { Tier } from '#contract/rules/tiers.ts';
import styles from './tier-colours.module.css';

/** The class for text in the colour of its tier. */
export const tierColours: Readonly<Record<Tier, string | undefined>> = {
  basic: styles.basic,
  pro: styles.pro,
  lifetime: styles.lifetime,
  admin: styles.admin,
};
