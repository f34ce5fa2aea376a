import { ListFilter } from 'lucide-react';
import { useSyncExternalStore } from 'react';
import { useSnapshot } from 'valtio';
import { matches } from '#app/platform/capabilities.ts';
import { currentForm, formChanged } from '#app/platform/input/screen-form.ts';
import { canSetVolume } from '#app/platform/later-capabilities.ts';
import type { QuadrantFilter } from '#app/state/quadrant-filters.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { useDerived } from '#app/ui/store-hooks.ts';
import type { TagLabel } from '#contract/entities/tag.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { splitChips } from '#contract/rules/tag-filter.ts';
import { ControlButton } from '../controls/control-button.tsx';
import { openQuadrantMenu, quadrantMenu } from '../controls/controls-store.ts';
import { feed } from '../feed-state.ts';
import styles from './filter-bar.module.css';

/**
 * Opens the filter of a quadrant and shows its channels. A phone in portrait has room for the count
 * only.
 */
export function FilterBar({ quadrant }: { quadrant: Quadrant }) {
  const { filter } = useSnapshot(feed.quadrants[quadrant]);
  const isOpen = useDerived(quadrantMenu, () => quadrantMenu.of === quadrant && quadrantMenu.shows === 'filter');
  const room = useChipRoom();
  const tags = labelsOf(filter);
  const { shown, more } = splitChips(tags, room);
  return (
    <div className={canSetVolume() ? `${styles.bar} ${styles.besideVolume}` : styles.bar}>
      <ControlButton
        label={tags.length > 0 ? `Filter (${tags.length} active)` : 'Filter'}
        tip="Filter"
        isOn={isOpen}
        icon={<Icon count={tags.length} />}
        className={styles.button}
        onPress={() => openQuadrantMenu(quadrant, 'filter')}
      />
      <div className={styles.chips}>
        {shown.map(({ id, name, color }) => (
          <span key={id} className={styles.chip}>
            <Swatch color={color} />
            <bdi className={styles.name}>{name}</bdi>
          </span>
        ))}
        {room > 0 && more > 0 && <span className={styles.chip}>{`+${more}`}</span>}
      </div>
    </div>
  );
}

function Icon({ count }: { count: number }) {
  return (
    <>
      <ListFilter />
      {count > 0 && (
        <span className={styles.count} aria-hidden="true">
          {count}
        </span>
      )}
    </>
  );
}

/** How many chips fit next to the filter button. */
function useChipRoom(): number {
  return useSyncExternalStore(listen, chipRoom);
}

function chipRoom(): number {
  if (currentForm() !== 'phone') return limits.filterChips;
  return matches('(orientation: landscape)') ? limits.filterChipsPhoneLandscape : limits.filterChipsPhonePortrait;
}

function listen(listener: () => void): () => void {
  const stop = formChanged.listen(listener);
  window.addEventListener('resize', listener);
  return () => {
    stop();
    window.removeEventListener('resize', listener);
  };
}

/** The labels that a filter's chips and rows show. */
export function labelsOf(filter: QuadrantFilter | null): TagLabel[] {
  const { tagIds = [], labels = [] } = filter ?? {};
  return tagIds.map((id) => labels.find((label) => label.id === id) ?? { id, name: id, color: limits.tagColor });
}
