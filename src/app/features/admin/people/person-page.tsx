import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef } from 'react';
import type { Snapshot } from 'valtio';
import { focusStart } from '#app/platform/input/focus-scopes.ts';
import { currentInput } from '#app/platform/input/screen-form.ts';
import { nameOf } from '#app/state/session.ts';
import { Badge } from '#app/ui/card/badge.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import { dayOf } from '#app/ui/time-text.ts';
import shared from '../section.module.css';
import { AccountCard } from './account-card.tsx';
import { DetailsCard } from './details-card.tsx';
import { PasswordCard } from './password-card.tsx';
import type { Person } from './people-store.ts';
import { leavePerson } from './person-forms.ts';
import styles from './person-page.module.css';
import { PersonPicture } from './person-picture.tsx';
import { isOwn } from './person-store.ts';
import { PersonTier } from './person-tier.tsx';
import { PlanCard } from './plan-card.tsx';

/** What an administrator can change of one person. Back closes it. */
export function PersonPage({ user }: { user: Snapshot<Person> }) {
  useBackLayer(leavePerson);
  return (
    <>
      <div className={styles.head}>
        <IconButton label="Back to all people" icon={<ArrowLeft aria-hidden="true" />} onPress={leavePerson} />
        <PersonPicture user={user} className={styles.picture} />
        <div className={styles.words}>
          <h2 className={styles.name}>
            <bdi>{nameOf(user)}</bdi>
          </h2>
          <p className={styles.facts}>
            <bdi>{user.username}</bdi> · <bdi>{user.email}</bdi> · Joined {dayOf(user.created_at)}
          </p>
          <PersonTier user={user} />
          {isOwn(user) && (
            <span className={styles.own}>
              <Badge words="You" />
            </span>
          )}
        </div>
      </div>
      <div ref={useStart()} className={shared.columns}>
        <div className={styles.column}>
          <PlanCard />
          <PasswordCard user={user} />
        </div>
        <div className={styles.column}>
          <DetailsCard />
          <AccountCard user={user} />
        </div>
      </div>
    </>
  );
}

/** The page starts at its top, and the focus at the plan; a finger needs none. */
function useStart() {
  const cards = useRef<HTMLDivElement>(null);
  useEffect(() => {
    window.scrollTo(0, 0);
    if (cards.current && currentInput() !== 'touch') focusStart(cards.current);
  }, []);
  return cards;
}
