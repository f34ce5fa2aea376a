import { nameOf } from '#app/state/session.ts';
import { Badge } from '#app/ui/card/badge.tsx';
import type { Person } from './people-store.ts';
import { openPerson } from './person-forms.ts';
import styles from './person-name.module.css';
import { PersonPicture } from './person-picture.tsx';
import { isOwn } from './person-store.ts';

/** Opens the person's page. */
export function PersonName({ user }: { user: Person }) {
  return (
    <button type="button" className={styles.open} data-person={user.id} onClick={() => openPerson(user.id)}>
      <PersonPicture user={user} className={styles.picture} />
      <bdi className={styles.name}>{nameOf(user)}</bdi>
      {isOwn(user) && (
        <span className={styles.own}>
          <Badge words="You" />
        </span>
      )}
    </button>
  );
}
