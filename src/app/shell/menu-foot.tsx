import { useSnapshot } from 'valtio';
import { matches } from '../platform/capabilities.ts';
import { initialOf, nameOf, session, tierOf } from '../state/session.ts';
import styles from './menu-foot.module.css';
import { useScreenForm } from './screen-form-hook.ts';

const tierStyles = { basic: styles.basic, pro: styles.pro, lifetime: styles.lifetime, admin: styles.admin };

/** Who is here, and how the menu is used. */
export function MenuFoot() {
  const { user } = useSnapshot(session);
  const { tier, words } = tierOf(user);
  const hint = useHint();
  return (
    <div className={styles.foot}>
      <div className={styles.person}>
        {user?.avatar_url ? <img className={styles.avatar} src={user.avatar_url} alt="" /> : <span className={styles.avatar}>{initialOf(user)}</span>}
        <div className={styles.words}>
          <p className={styles.name}>{nameOf(user)}</p>
          <p className={`${styles.tier} ${tierStyles[tier]}`}>{words}</p>
        </div>
      </div>
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}

/** Nothing, where nothing can hover and there is no remote. */
function useHint(): string | null {
  const form = useScreenForm();
  if (form === 'tv') return 'Press Back to close';
  return matches('(hover: hover)') ? 'Hover to navigate' : null;
}
