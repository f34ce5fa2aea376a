import { ChevronDown, ChevronRight } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { holdFocus } from '#app/platform/input/focus-scopes.ts';
import { chooseView, closeMenu, navigation, openDialog } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { Avatar, tierBadgeOf, tierColours } from '#app/ui/badge.tsx';
import { Logo } from '#app/ui/glyphs.tsx';
import { initialOf, nameOf } from '#app/ui/texts.ts';
import { useScreenForm } from '../../ui/store-hooks.ts';
import type { MenuEntry } from './menu-entries.tsx';
import { InstallEntry, isWithin, menuEntriesFor, UpdateEntry, UploadLine } from './menu-entries.tsx';
import styles from './side-menu.module.css';

/** The open side menu (§2 Side menu). Choosing an entry closes it. */
export function SideMenu() {
  const { user } = useSnapshot(session);
  const { isMenuHovered } = useSnapshot(navigation);
  const panel = useRef<HTMLElement>(null);
  useEffect(() => (isMenuHovered || !panel.current ? undefined : holdFocus(panel.current)), [isMenuHovered]);
  return (
    <>
      {!isMenuHovered && <Outside />}
      <nav ref={panel} className={styles.menu} aria-label="Menu" data-arrows data-focus-wrap>
        <p className={styles.brand}>
          <Logo className={styles.logo} />
          Fourfold
        </p>
        <ul className={styles.entries}>
          {menuEntriesFor(user).map((entry) => (
            <li key={entry.label}>{entry.pages.length > 0 ? <Group entry={entry} /> : <Entry entry={entry} />}</li>
          ))}
          <UpdateEntry className={styles.entry} />
          <InstallEntry className={styles.entry} />
        </ul>
        <MenuFoot />
      </nav>
    </>
  );
}

/**
 * Closes the menu on a press outside, except for the end of the touch that opened it, which lands
 * here while the menu slides in.
 */
function Outside() {
  const isPressed = useRef(false);
  const press = () => {
    isPressed.current = true;
  };
  return (
    <div
      className={styles.outside}
      onPointerDown={press}
      onClick={() => isPressed.current && closeMenu()}
      aria-hidden="true"
    />
  );
}

function Entry({ entry: { label, Icon, view } }: { entry: MenuEntry }) {
  const isCurrent = useSnapshot(navigation).view === view;
  return (
    <button
      type="button"
      className={styles.entry}
      aria-current={isCurrent ? 'page' : undefined}
      data-focus-first={isCurrent || undefined}
      onClick={() => chooseView(view)}
    >
      <Icon aria-hidden="true" />
      <span>
        {label}
        {view === 'upload' && <UploadLine />}
      </span>
    </button>
  );
}

/** An entry that expands to its pages. */
function Group({ entry }: { entry: MenuEntry }) {
  const { label, Icon, pages } = entry;
  const { view } = useSnapshot(navigation);
  const [isExpanded, setExpanded] = useState(isWithin(entry, view));
  return (
    <>
      <button
        type="button"
        className={styles.entry}
        aria-expanded={isExpanded}
        onClick={() => setExpanded(!isExpanded)}
      >
        <Icon aria-hidden="true" />
        {label}
        <ChevronDown
          aria-hidden="true"
          className={isExpanded ? `${styles.chevron} ${styles.turned}` : styles.chevron}
        />
      </button>
      {isExpanded && (
        <ul>
          {pages.map((page) => (
            <li key={page.name}>
              <button
                type="button"
                className={`${styles.entry} ${styles.page}`}
                aria-current={page.name === view ? 'page' : undefined}
                data-focus-first={page.name === view || undefined}
                onClick={() => chooseView(page.name)}
              >
                {page.title}
              </button>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** The viewer's name and tier, which open the plans, and a hint about using the menu. */
function MenuFoot() {
  const { user } = useSnapshot(session);
  const { tier, words } = tierBadgeOf(user);
  const hint = useHint();
  return (
    <div className={styles.foot}>
      <button type="button" className={styles.person} onClick={showPlans}>
        <Avatar url={user?.avatar_url} initial={initialOf(user)} className={styles.avatar} />
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

/** Closes the menu and opens the dialog in one step, so that the history keeps its length. */
function showPlans(): void {
  closeMenu();
  openDialog('plans');
}

/** Returns null without hover or a remote. */
function useHint(): string | null {
  const form = useScreenForm();
  if (form === 'tv') return 'Press Back to close';
  return matches('(hover: hover)') ? 'Hover to navigate' : null;
}
