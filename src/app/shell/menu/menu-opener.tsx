import { LayoutGrid } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { controls } from '#app/features/feed/controls/controls-store.ts';
import { navigation, openMenu } from '#app/state/navigation.ts';
import { IconButton } from '#app/ui/icon-button.tsx';
import { Logo } from '#app/ui/logo.tsx';
import { chooseView } from './choose-view.ts';
import styles from './menu-opener.module.css';

/**
 * Opens the closed side menu: a tab at the left edge of the feed while controls are shown, a strip on every other view.
 */
export function MenuOpener({ isFeed }: { isFeed: boolean }) {
  return isFeed ? <EdgeTab /> : <Strip />;
}

/** §2 Side menu: collapsed, only Feed can be used. */
function Strip() {
  const { isMenuOpen } = useSnapshot(navigation);
  return (
    <nav className={styles.strip} aria-label="Menu, collapsed">
      <button
        type="button"
        className={styles.opener}
        aria-label="Menu"
        aria-expanded={isMenuOpen}
        onClick={() => openMenu()}
      >
        <Logo />
      </button>
      <IconButton label="Feed" icon={<LayoutGrid aria-hidden="true" />} onPress={() => chooseView('feed')} />
    </nav>
  );
}

function EdgeTab() {
  const { active } = useSnapshot(controls);
  const { isMenuOpen } = useSnapshot(navigation);
  if (active === null || isMenuOpen) return null;
  return (
    <button type="button" className={styles.tab} aria-label="Menu" aria-expanded={false} onClick={() => openMenu()} />
  );
}
