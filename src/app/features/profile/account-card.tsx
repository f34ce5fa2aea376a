import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { Avatar, TierBadge, tierBadgeOf } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice, Row } from '#app/ui/card.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { dayOf, initialOf, nameOf } from '#app/ui/texts.ts';
import type { User } from '#contract/entities/user.ts';
import styles from './account-card.module.css';
import { accountNotice, openForm, removeAvatar } from './account-forms.ts';
import { startSignOut } from './sign-out-dialog.tsx';

/** The signed-in user, a welcome for anonymous visitors, or nothing until the session is known. */
export function IdentityCard() {
  const { phase, user } = useSnapshot(session);
  if (user) return <Person user={user} />;
  return phase === 'loading' ? <Waiting /> : <Welcome />;
}

function Person({ user }: { user: Snapshot<User> }) {
  return (
    <section className={styles.card} aria-label={nameOf(user)}>
      <Avatar url={user.avatar_url} initial={initialOf(user)} className={styles.avatar} />
      <div className={styles.words}>
        <h2 className={styles.name}>
          <bdi>{nameOf(user)}</bdi>
        </h2>
        <p className={styles.email}>
          <bdi>{user.email}</bdi>
        </p>
        <TierBadge {...tierBadgeOf(user)} />
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
      <TierBadge {...tierBadgeOf(null)} />
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

/** The parts of the account, each with a button that changes it. */
export function AccountCard({ user }: { user: Snapshot<User> }) {
  const { notice } = useSnapshot(accountNotice);
  const { isReachable } = useSnapshot(connection);
  const change = (form: Parameters<typeof openForm>[0], name: string, label = 'Change') => (
    <Button
      kind="line"
      label={label}
      name={`${label} ${name}`}
      isDisabled={!isReachable}
      onPress={() => openForm(form)}
    />
  );
  return (
    <Card
      title="Account"
      foot={
        <Button kind="danger" label="Delete Account" isDisabled={!isReachable} onPress={() => openForm('deletion')} />
      }
    >
      <ul>
        <Row label="Username" value={user.username} />
        <Row label="Display name" value={user.display_name ?? 'None'}>
          {change('display-name', 'display name')}
        </Row>
        <Row label="Email" value={user.email}>
          {change('email', 'email')}
        </Row>
        <Row label="Password" value={user.has_password ? null : 'None'}>
          {change('password', 'password', user.has_password ? 'Change' : 'Set')}
        </Row>
        {user.avatar_url && (
          <Row label="Picture" value="From the provider that you signed in with">
            <Button
              kind="line"
              label="Remove"
              name="Remove picture"
              isDisabled={!isReachable}
              onPress={() => void removeAvatar()}
            />
          </Row>
        )}
        <Row label="Sign in a TV" value="With the code that it shows">
          <Button kind="line" label="Enter Code" isDisabled={!isReachable} onPress={() => openDialog('device')} />
        </Row>
      </ul>
      <Notice notice={notice} />
    </Card>
  );
}
