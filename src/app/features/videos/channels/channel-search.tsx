import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { useSnapshot } from 'valtio';
import { focusOn } from '#app/platform/focus/focusables.ts';
import { currentForm } from '#app/platform/input/screen-form.ts';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { channels } from '../browse-store.ts';
import styles from './channel-search.module.css';

const label = 'Search channels...';

/** The search over channel names, and how many channels the blocklist hides. On TVs a button opens the field. */
export function ChannelSearch({ hidden }: { hidden: number }) {
  const { search } = useSnapshot(channels.state, { sync: true });
  const [isOpened, setOpened] = useState(false);
  const isField = currentForm() !== 'tv' || isOpened || search !== '';
  const field = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const input = isOpened ? field.current?.querySelector('input') : null;
    if (input) focusOn(input);
  }, [isOpened]);
  return (
    <div className={styles.bar}>
      {isField ? (
        <div ref={field} className={styles.field}>
          <SearchField
            label={label}
            value={search}
            onChange={(text) => channels.typeSearch(text)}
            onApply={() => channels.applySearch()}
            onClear={() => channels.clearSearch()}
          />
        </div>
      ) : (
        <IconButton
          className={styles.button}
          label={label}
          icon={<Search aria-hidden="true" />}
          onPress={() => setOpened(true)}
        />
      )}
      {hidden > 0 && (
        <p className={styles.hidden}>{`${hidden} ${hidden === 1 ? 'channel' : 'channels'} hidden by your blocklist`}</p>
      )}
    </div>
  );
}
