import { ChevronDown } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { holdFocus } from '#app/platform/focus/focus-scopes.ts';
import { closeMenu, navigation } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import { Logo } from '#app/ui/logo.tsx';
import { UpdateEntry } from '../update/update-entry.tsx';
import { UploadLine } from '../uploads/upload-badge.tsx';
import { chooseView } from './choose-view.ts';
import type { MenuEntry } from './menu-entries.ts';
import { isWithin, menuEntriesFor } from './menu-entries.ts';
import { MenuFoot } from './menu-foot.tsx';
import styles from './side-menu.module.css';

/** §2 Side menu, open. Choosing an entry closes it. */
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
        </ul>
        <MenuFoot />
      </nav>
    </>
  );
}

/**
 * A press beside the menu closes it, except the end of the touch that opened it, which lands here while the menu slides
 * in.
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
