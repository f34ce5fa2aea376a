import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { createChannelList } from '#app/state/channels/channel-list.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Button } from '#app/ui/button.tsx';
import { Swatch } from '#app/ui/card/swatch.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { SearchField } from '#app/ui/form/search-field.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { Modal } from '#app/ui/overlay/modal.tsx';
import { useBackLayer } from '#app/ui/overlay/use-back-layer.ts';
import { closeBatchTags, toggleBatchTag } from './batch-store.ts';
import styles from './tags-dialog.module.css';

/** The first hundred by name; the search finds the others. */
const tagChoices = createChannelList();

/** The channels that all videos of the batch get; each press counts at once. */
export function TagsDialog() {
  useBackLayer(closeBatchTags);
  useEffect(() => tagChoices.open(), []);
  const list = useSnapshot(tagChoices.state, { sync: true });
  const { tagIds } = useSnapshot(uploads);
  const { items, total, search } = list;
  const foot = (
    <div className={styles.foot}>
      <Button label="Done" onPress={closeBatchTags} />
    </div>
  );
  return (
    <Modal title="Channels of these videos" onClose={closeBatchTags} foot={foot}>
      <SearchField
        label="Search channels..."
        value={search}
        onChange={(text) => tagChoices.typeSearch(text)}
        onApply={() => tagChoices.applySearch()}
        onClear={() => tagChoices.clearSearch()}
      />
      <ListBody
        face={faceOf(list)}
        failure={list.failure}
        onRetry={() => void tagChoices.reload()}
        cachedAt={list.cachedAt}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={
          <p className={styles.none}>{search === '' ? 'No channels available' : 'No channels match your search'}</p>
        }
      >
        <ul className={styles.list} data-focus-region>
          {items.map((tag) => (
            <li key={tag.id}>
              <CheckRow
                label={tag.name}
                isOn={tagIds.includes(tag.id)}
                start={<Swatch color={tag.color} />}
                onChange={() => toggleBatchTag(tag)}
              />
            </li>
          ))}
        </ul>
        {total !== null && total > items.length && (
          <p className={styles.none}>{`Showing ${items.length} of ${total} channels. The search finds the others.`}</p>
        )}
      </ListBody>
    </Modal>
  );
}
