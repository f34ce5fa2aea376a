import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { createChannelList } from '#app/state/channel-list.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { TagChoices } from '#app/ui/list/tag-choices.tsx';
import { Modal, useBackLayer } from '#app/ui/modal.tsx';
import styles from './upload-screen.module.css';
import { closeBatchTags, toggleBatchTag } from './upload-store.ts';

/** The first 100 channels by name; the search finds the others. */
const tagChoices = createChannelList();

/** The channels of all videos of the batch; each choice takes effect at once. */
export function TagsDialog() {
  useBackLayer(closeBatchTags);
  useEffect(() => tagChoices.open(), []);
  const { tagIds } = useSnapshot(uploads);
  const foot = (
    <div className={styles.foot}>
      <Button label="Done" onPress={closeBatchTags} />
    </div>
  );
  return (
    <Modal title="Channels of these videos" onClose={closeBatchTags} foot={foot}>
      <TagChoices
        list={tagChoices}
        noun="channels"
        searchLabel="Search channels..."
        empty={(isSearched) => (isSearched ? 'No channels match your search' : 'No channels available')}
      >
        {(tag) => (
          <CheckRow
            label={tag.name}
            isOn={tagIds.includes(tag.id)}
            start={<Swatch color={tag.color} />}
            onChange={() => toggleBatchTag(tag)}
          />
        )}
      </TagChoices>
    </Modal>
  );
}
