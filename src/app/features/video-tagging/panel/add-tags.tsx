import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { TagChoices } from '#app/ui/list/tag-choices.tsx';
import type { Tag } from '#contract/entities/tag.ts';
import { has, isPutBySomebody } from '../edits/tag-edit.ts';
import { FolderSign } from '../tag-chip.tsx';
import { tagChoices, tagging, tick } from '../tagging-store.ts';
import type { TaggingVideo } from '../videos-store.ts';
import styles from './panel-part.module.css';

/** So many are found without a search. */
const maxWithoutSearch = 12;

interface Props {
  items: readonly TaggingVideo[];
}

/** All active tags to tick; those that the videos have already are marked, and no choice. */
export function AddTags({ items }: Props) {
  return (
    <section className={styles.part} aria-label="Add Tags">
      <h3 className={styles.heading}>Add Tags</h3>
      <TagChoices
        list={tagChoices}
        noun="tags"
        searchLabel="Search tags"
        maxWithoutSearch={maxWithoutSearch}
        empty={() => 'No Tags Found'}
      >
        {(tag) => <Choice tag={tag} items={items} />}
      </TagChoices>
    </section>
  );
}

function Choice({ tag, items }: Props & { tag: Snapshot<Tag> }) {
  const { ticked } = useSnapshot(tagging);
  const count = items.filter(({ tags }) => isPutBySomebody(tags, tag)).length;
  const isAssigned = count === items.length;
  const drawEnd = () => {
    if (isAssigned) return 'Assigned';
    if (count > 0) return `${count} of ${items.length}`;
    return items.every(({ tags }) => has(tags, tag)) && <FolderSign />;
  };
  return (
    <CheckRow
      label={tag.name}
      isOn={!isAssigned && has(ticked, tag)}
      isDisabled={isAssigned}
      start={<Swatch color={tag.color} />}
      end={drawEnd()}
      onChange={() => tick(tag)}
    />
  );
}
