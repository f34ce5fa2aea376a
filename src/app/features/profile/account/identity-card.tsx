import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { openDialog } from '#app/state/navigation.ts';
import { initialOf, nameOf, session, tierOf } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Button } from '#app/ui/button.tsx';
import { TierBadge } from '#app/ui/card/tier-badge.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { dayOf } from '#app/ui/time-text.ts';
import type { User } from '#contract/entities/user.ts';
import { startSignOut } from '../outbox/sign-out-store.ts';
import styles from './identity-card.module.css';

/** The signed-in user, a welcome for anonymous visitors, or nothing until the session is known. */
export function IdentityCard() {
  const { phase, user } = useSnapshot(session);
  if (user) return <Person user={user} />;
  return phase === 'loading' ? <Waiting /> : <Welcome />;
}

function Person({ user }: { user: Snapshot<User> }) {
  return (
    <section className={styles.card} aria-label={nameOf(user)}>
      {user.avatar_url ? (
        <img className={styles.avatar} src={user.avatar_url} alt="" />
      ) : (
        <span className={styles.avatar}>{initialOf(user)}</span>
      )}
      <div className={styles.words}>
        <h2 className={styles.name}>
          <bdi>{nameOf(user)}</bdi>
        </h2>
        <p className={styles.email}>
          <bdi>{user.email}</bdi>
        </p>
        <TierBadge {...tierOf(user)} />
        {user.subscription_expires_at && user.effective_tier !== 'basic' && (
          <p className={styles.until}>Until {dayOf(user.subscription_expires_at)}</p>
        )}
      </div>
      <Button kind="line" label="Sign Out" onPress={() => startSignOut('here')} />
    </section>
  );
}

function Welcome() {
  const { isRegistrationOpen } = useSnapshot(siteConfig);
  return (
    <section className={styles.welcome} aria-labelledby="welcome">
      <h2 id="welcome">Welcome to Fourfold</h2>
      <p className={styles.invitation}>
        You are watching as Anonymous User. Sign in to upload, tag videos and keep your own channels.
      </p>
      <TierBadge {...tierOf(null)} />
      <div className={styles.buttons}>
        <Button label="Sign In" onPress={() => openDialog('sign-in')} />
        {isRegistrationOpen && <Button kind="line" label="Create Account" onPress={() => openDialog('register')} />}
      </div>
    </section>
  );
}

function Waiting() {
  return (
    <section className={styles.card} role="status" aria-label="Loading...">
      <Skeleton className={`${styles.avatar} ${styles.waiting}`} />
      <div className={styles.words}>
        <Skeleton className={`${styles.line} ${styles.waiting}`} />
        <Skeleton className={`${styles.line} ${styles.waiting}`} />
      </div>
    </section>
  );
}
