import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import type { Tag } from '#contract/entities/tag.ts';
import { has } from '../edits/tag-edit.ts';
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
  const list = useSnapshot(tagChoices.state, { sync: true });
  const { total, search } = list;
  return (
    <section className={styles.part} aria-label="Add Tags">
      <h3 className={styles.heading}>Add Tags</h3>
      {(search !== '' || (total ?? 0) > maxWithoutSearch) && (
        <SearchField
          label="Search tags"
          value={search}
          onChange={(text) => tagChoices.typeSearch(text)}
          onApply={() => tagChoices.applySearch()}
          onClear={() => tagChoices.clearSearch()}
        />
      )}
      <ListBody
        face={faceOf(list)}
        failure={list.failure}
        onRetry={() => void tagChoices.reload()}
        cachedAt={list.cachedAt}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={<p className={styles.none}>No Tags Found</p>}
      >
        <ul className={styles.list}>
          {list.items.map((tag) => (
            <li key={tag.id}>
              <Choice tag={tag} items={items} />
            </li>
          ))}
        </ul>
        {total !== null && total > list.items.length && (
          <p className={styles.none}>{`Showing ${list.items.length} of ${total} tags. The search finds the others.`}</p>
        )}
      </ListBody>
    </section>
  );
}

function Choice({ tag, items }: Props & { tag: Snapshot<Tag> }) {
  const { ticked } = useSnapshot(tagging);
  const count = items.filter(({ tags }) => has(tags, tag)).length;
  const isAssigned = count === items.length;
  return (
    <CheckRow
      label={tag.name}
      isOn={!isAssigned && has(ticked, tag)}
      isDisabled={isAssigned}
      start={<Swatch color={tag.color} />}
      end={isAssigned ? 'Assigned' : count > 0 && `${count} of ${items.length}`}
      onChange={() => tick(tag)}
    />
  );
}
