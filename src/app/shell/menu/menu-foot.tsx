import { ChevronRight } from 'lucide-react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { closeMenu, openDialog } from '#app/state/navigation.ts';
import { initialOf, nameOf, session, tierOf } from '#app/state/session.ts';
import { tierColours } from '#app/ui/tier-colours.ts';
import type { User } from '#contract/entities/people/user.ts';
import { useScreenForm } from '../screen/screen-form-hook.ts';
import styles from './menu-foot.module.css';

/** The viewer's name and tier, which open the plans, and a hint how to use the menu. */
export function MenuFoot() {
  const { user } = useSnapshot(session);
  const { tier, words } = tierOf(user);
  const hint = useHint();
  return (
    <div className={styles.foot}>
      <button type="button" className={styles.person} onClick={showPlans}>
        <Avatar user={user} />
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

function Avatar({ user }: { user: Snapshot<User> | null }) {
  if (user?.avatar_url) return <img className={styles.avatar} src={user.avatar_url} alt="" />;
  return (
    <span className={styles.avatar} aria-hidden="true">
      {initialOf(user)}
    </span>
  );
}

/** Closes the menu and opens the dialog in one step, so that the history keeps its length. */
function showPlans(): void {
  closeMenu();
  openDialog('plans');
}

/** Null where there is neither hover nor a remote. */
function useHint(): string | null {
  const form = useScreenForm();
  if (form === 'tv') return 'Press Back to close';
  return matches('(hover: hover)') ? 'Hover to navigate' : null;
}
