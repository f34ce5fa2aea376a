import { tierOf } from '#app/state/session.ts';
import { TierBadge } from '#app/ui/card/tier-badge.tsx';
import { dayOf } from '#app/ui/time-text.ts';
import { tierBadges } from '#contract/rules/tiers.ts';
import type { Person } from './people-store.ts';
import styles from './person-tier.module.css';

type Subscribed = Pick<Person, 'subscription_tier' | 'effective_tier' | 'subscription_expires_at'>;

/** The effective tier with its end; or which one has run out, and when. */
export function PersonTier({ user }: { user: Subscribed }) {
  const end = endOf(user);
  return (
    <span className={styles.tier}>
      <TierBadge {...tierOf(user)} />
      {end && <span className={styles.end}>{end}</span>}
    </span>
  );
}

function endOf({ subscription_tier: tier, effective_tier, subscription_expires_at: expiresAt }: Subscribed) {
  if (expiresAt === null || tier === 'basic') return null;
  return effective_tier === tier ? `Until ${dayOf(expiresAt)}` : `${tierBadges[tier]} until ${dayOf(expiresAt)}`;
}
