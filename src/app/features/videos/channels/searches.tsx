import { Search } from 'lucide-react';
import type { ReactNode } from 'react';
import { useEffect, useRef } from 'react';
import { useSnapshot } from 'valtio';
import { focusOn } from '#app/platform/input/focus-scopes.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { browse, channels, openSearch, videos } from '../browse-store.ts';
import styles from './searches.module.css';

const label = 'Search channels...';

/** The searches over names of channels and of videos, and how many channels the blocklist hides. */
export function Searches({ hidden }: { hidden: number }) {
  const { search } = useSnapshot(channels.state, { sync: true });
  const { search: videoSearch } = useSnapshot(videos.state, { sync: true });
  return (
    <div className={styles.bar}>
      {areFieldsOpen(useSnapshot(browse).isSearchOpen) && (
        <Fields>
          <div className={styles.field}>
            <SearchField
              label={label}
              value={search}
              onChange={(text) => channels.typeSearch(text)}
              onApply={() => channels.applySearch()}
              onClear={() => channels.clearSearch()}
            />
          </div>
          <div className={styles.field}>
            <SearchField
              label="Search videos..."
              value={videoSearch}
              onChange={(text) => videos.typeSearch(text)}
              onApply={() => videos.applySearch()}
              onClear={() => videos.clearSearch()}
            />
          </div>
        </Fields>
      )}
      {hidden > 0 && (
        <p className={styles.hidden}>{`${hidden} ${hidden === 1 ? 'channel' : 'channels'} hidden by your blocklist`}</p>
      )}
    </div>
  );
}

/** On TVs a button opens the fields; the focus goes to the first one. */
function Fields({ children }: { children: ReactNode }) {
  const fields = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const input = currentForm() === 'tv' ? fields.current?.querySelector('input') : null;
    if (input) focusOn(input);
  }, []);
  return (
    <div ref={fields} className={styles.fields}>
      {children}
    </div>
  );
}

/** Before the chips of a TV, until the fields are open. */
export function SearchButton() {
  if (areFieldsOpen(useSnapshot(browse).isSearchOpen)) return null;
  return (
    <IconButton className={styles.button} label={label} icon={<Search aria-hidden="true" />} onPress={openSearch} />
  );
}

function areFieldsOpen(isSearchOpen: boolean): boolean {
  return isSearchOpen || currentForm() !== 'tv';
}
