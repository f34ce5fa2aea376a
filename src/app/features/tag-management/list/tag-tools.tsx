import { ArrowDownAZ, ArrowDownZA } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { Select } from '#app/ui/form/select.tsx';
import { IconButton } from '#app/ui/icon-button.tsx';
import type { TagSort } from '../tags-store.ts';
import { tags, toggleOrder } from '../tags-store.ts';
import styles from './tag-tools.module.css';

const sorts: readonly { value: TagSort; label: string }[] = [
  { value: 'name', label: 'Name' },
  { value: 'created_at', label: 'Date' },
  { value: 'video_count', label: 'Usage' },
];

/** The search over names and descriptions, and the order of the list. */
export function TagTools() {
  const { search, filters } = useSnapshot(tags.state, { sync: true });
  const isAscending = filters.order === 'asc';
  const Icon = isAscending ? ArrowDownAZ : ArrowDownZA;
  return (
    <div className={styles.tools}>
      <div className={styles.search}>
        <SearchField
          label="Search by name or description"
          value={search}
          onChange={(text) => tags.typeSearch(text)}
          onApply={() => tags.applySearch()}
          onClear={() => tags.clearSearch()}
        />
      </div>
      <div className={styles.order}>
        <div className={styles.sort}>
          <Select
            label="Sort by"
            isLabelHidden
            options={sorts}
            value={filters.sort}
            onChange={(sort) => tags.filter({ sort })}
          />
        </div>
        <IconButton
          className={styles.direction}
          label={isAscending ? 'Ascending. Sort descending' : 'Descending. Sort ascending'}
          icon={<Icon aria-hidden="true" />}
          onPress={toggleOrder}
        />
      </div>
    </div>
  );
}
