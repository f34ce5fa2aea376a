import { ChevronRight } from 'lucide-react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { closeMenu, openDialog } from '#app/state/navigation.ts';
import { initialOf, nameOf, session, tierOf } from '#app/state/session.ts';
import { tierColours } from '#app/ui/tier-colours.ts';
import type { User } from '#contract/entities/user.ts';
import { useScreenForm } from '../screen/screen-form-hook.ts';
import styles from './menu-foot.module.css';

/** Who is here, which leads to the plans, and how the menu is used. */
export function MenuFoot() {
  const { user } = useSnapshot(session);
  const { tier, words } = tierOf(user);
  const hint = useHint();
  return (
    <div className={styles.foot}>
      <button type="button" className={styles.person} onClick={showPlans}>
        <Picture user={user} />
        <span className={styles.words}>
          <bdi className={styles.name}>{nameOf(user)}</bdi>
          <span className={`${styles.tier} ${tierColours[tier]}`}>{words}</span>
        </span>
        <span className="visually-hidden">{user ? 'View Plans & Upgrade' : 'View Subscription Plans'}</span>
        <ChevronRight aria-hidden="true" />
      </button>
      {hint && <p className={styles.hint}>{hint}</p>}
    </div>
  );
}

function Picture({ user }: { user: Snapshot<User> | null }) {
  if (user?.avatar_url) return <img className={styles.avatar} src={user.avatar_url} alt="" />;
  return (
    <span className={styles.avatar} aria-hidden="true">
      {initialOf(user)}
    </span>
  );
}

/** The dialog comes in place of the menu: one layer for another. */
function showPlans(): void {
  closeMenu();
  openDialog('plans');
}

/** Nothing, where nothing can hover and there is no remote. */
function useHint(): string | null {
  const form = useScreenForm();
  if (form === 'tv') return 'Press Back to close';
  return matches('(hover: hover)') ? 'Hover to navigate' : null;
}
