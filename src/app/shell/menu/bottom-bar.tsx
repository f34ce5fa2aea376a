import { useLayoutEffect, useSyncExternalStore } from 'react';
import { useSnapshot } from 'valtio';
import { subscribeKey } from 'valtio/vanilla/utils';
import { chooseView, navigation, taggingPages } from '#app/state/navigation.ts';
import { session } from '#app/state/session.ts';
import styles from './bottom-bar.module.css';
import { isWithin, menuEntriesFor, UpdateEntry, UploadCount } from './menu-entries.tsx';

/**
 * The menu of a phone: tabs at the bottom, or at the left in landscape. Performance is opened from
 * Profile.
 */
export function BottomBar() {
  const { user } = useSnapshot(session);
  const { view } = useSnapshot(navigation);
  useBarMark(useSyncExternalStore(listenToResize, isSideways) ? 'rail' : 'bottom');
  return (
    <nav className={styles.bar} aria-label="Menu">
      <ul className={styles.tabs}>
        {menuEntriesFor(user)
          .filter((entry) => entry.view !== 'performance')
          .map((entry) => (
            <li key={entry.label}>
              <button
                type="button"
                className={styles.tab}
                aria-current={isWithin(entry, view) ? 'page' : undefined}
                onClick={() => chooseView(entry.pages.length > 0 ? lastTaggingPage() : entry.view)}
              >
                <entry.Icon aria-hidden="true" />
                {entry.label}
                {entry.view === 'upload' && <UploadCount />}
              </button>
            </li>
          ))}
        <UpdateEntry className={styles.tab} />
      </ul>
    </nav>
  );
}

/** Marks the bar's position on the root element, for style sheets that leave room for it. */
function useBarMark(place: 'bottom' | 'rail'): void {
  useLayoutEffect(() => {
    document.documentElement.dataset.bar = place;
    return () => void delete document.documentElement.dataset.bar;
  }, [place]);
}

function isSideways(): boolean {
  return innerWidth > innerHeight;
}

function listenToResize(listener: () => void): () => void {
  window.addEventListener('resize', listener);
  return () => window.removeEventListener('resize', listener);
}

type TaggingPage = (typeof taggingPages)[number]['name'];

let last: TaggingPage = 'tag-management';

subscribeKey(navigation, 'view', (view) => {
  last = taggingPages.find(({ name }) => name === view)?.name ?? last;
});

/** The last tagging page used, which a phone's Tagging tab opens. */
function lastTaggingPage(): TaggingPage {
  return last;
}
