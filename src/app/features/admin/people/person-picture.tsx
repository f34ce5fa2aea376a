import { initialOf } from '#app/state/session.ts';
import type { Person } from './people-store.ts';
import styles from './person-picture.module.css';

interface Props {
  user: Pick<Person, 'avatar_url' | 'username' | 'display_name'>;
  /** Sets the size. */
  className: string | undefined;
}

/** The avatar, or the first letter of the name. */
export function PersonPicture({ user, className }: Props) {
  return user.avatar_url ? (
    <img className={`${styles.picture} ${className}`} src={user.avatar_url} alt="" />
  ) : (
    <span className={`${styles.picture} ${className}`} aria-hidden="true">
      {initialOf(user)}
    </span>
  );
}
