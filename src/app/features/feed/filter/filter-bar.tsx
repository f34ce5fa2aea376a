import { ListFilter } from 'lucide-react';
import { useSnapshot } from 'valtio';
import { Swatch } from '#app/ui/card/swatch.tsx';
import type { Quadrant } from '#contract/quadrants.ts';
import { splitChips } from '#contract/rules/tags/tag-lists.ts';
import { ControlButton } from '../controls/control-button.tsx';
import { openQuadrantMenu, quadrantMenu } from '../menu/quadrant-menu-store.ts';
import { feed } from '../quadrant/feed-state.ts';
import { useDerived } from '../view/derived-hook.ts';
import { useChipRoom } from './chip-room.ts';
import styles from './filter-bar.module.css';
import { labelsOf } from './labels-of.ts';

/** Opens the filter of a quadrant, and says what it is. A phone held upright has no room but for the count. */
export function FilterBar({ quadrant }: { quadrant: Quadrant }) {
  const { filter } = useSnapshot(feed.quadrants[quadrant]);
  const isOpen = useDerived(quadrantMenu, () => quadrantMenu.of === quadrant && quadrantMenu.shows === 'filter');
  const room = useChipRoom();
  const tags = labelsOf(filter);
  const { shown, more } = splitChips(tags, room);
  return (
    <div className={styles.bar}>
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
