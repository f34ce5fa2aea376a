import { Keyboard } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { Button } from '#app/ui/button.tsx';
import { countText } from '#app/ui/count-text.ts';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import { BulkBar } from '#app/ui/list/bulk-bar.tsx';
import { useNarrow } from '#app/ui/use-narrow.ts';
import { openPanel, showHelp, startSelecting, stopSelecting, tagging } from '../tagging-store.ts';
import { videos } from '../videos-store.ts';
import styles from './tagging-tools.module.css';

/** The search, which acts on Enter, the two switches, and the ways to select and to the keys. */
export function TaggingTools({ isEditor }: { isEditor: boolean }) {
  const { search, filters, items } = useSnapshot(videos.state, { sync: true });
  const { isSelecting } = useSnapshot(tagging);
  return (
    <div className={styles.tools}>
      <div className={styles.search}>
        <SearchField
          label="Search videos"
          value={search}
          onChange={(text) => videos.typeSearch(text)}
          onApply={() => videos.applySearch()}
          onClear={() => videos.clearSearch()}
        />
      </div>
      <CheckRow
        label="Show untagged only"
        isOn={filters.isUntaggedOnly}
        onChange={(isUntaggedOnly) => videos.filter({ isUntaggedOnly })}
      />
      <CheckRow
        label="Untagged first"
        isOn={filters.isUntaggedFirst}
        onChange={(isUntaggedFirst) => videos.filter({ isUntaggedFirst })}
      />
      <div className={styles.end} data-focus-first={items.length === 0 || undefined} data-awaits-cards>
        {isEditor && !isSelecting && <Button kind="quiet" label="Select" onPress={startSelecting} />}
        <IconButton
          className={styles.keys}
          label="Shortcuts"
          icon={<Keyboard aria-hidden="true" />}
          onPress={() => showHelp(true)}
        />
      </div>
    </div>
  );
}

/** While several are selected, or about to be. */
export function SelectionBar() {
  const { selectedIds } = useSnapshot(videos.state);
  const { isSelecting } = useSnapshot(tagging);
  const isNarrow = useNarrow();
  if (selectedIds.length === 0 && !isSelecting) return null;
  return (
    <BulkBar sentence={`${countText(selectedIds.length, 'video')} selected`}>
      {isNarrow && selectedIds.length > 0 && <Button kind="quiet" label="Add Tags" onPress={openPanel} />}
      <Button kind="quiet" label="Select all" onPress={() => videos.toggleAll()} />
      <Button kind="quiet" label="Clear Selection" onPress={stopSelecting} />
    </BulkBar>
  );
}
