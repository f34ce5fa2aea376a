import { useEffect } from 'react';
import { useSnapshot } from 'valtio';
import { ChannelCreation, readGivenIds } from '#app/state/channel-creation.ts';
import { onOutboxSent } from '#app/state/outbox/outbox-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Swatch } from '#app/ui/badge.tsx';
import { Button } from '#app/ui/button.tsx';
import { CheckRow } from '#app/ui/form/check-row.tsx';
import { TagChoices } from '#app/ui/list/tag-choices.tsx';
import { Modal } from '#app/ui/modal.tsx';
import { useBackLayer } from '#app/ui/store-hooks.ts';
import styles from './upload-screen.module.css';
import { closeBatchTags, settleBatchTags, toggleBatchTag } from './upload-store.ts';

const choices = new ChannelCreation();

function open(): () => void {
  const stops = [choices.open(), onOutboxSent(showSent)];
  void settleBatchTags(readGivenIds);
  return () => {
    for (const stop of stops) stop();
  };
}

function showSent(): void {
  void choices.refresh();
  void settleBatchTags(readGivenIds);
}

async function createChosen(): Promise<void> {
  const label = await choices.create();
  if (label) toggleBatchTag(label);
}

/** The channels of all videos of the batch; each choice takes effect at once. */
export function TagsDialog() {
  useBackLayer(closeBatchTags);
  useEffect(open, []);
  const { tagIds } = useSnapshot(uploads);
  const foot = (
    <div className={styles.foot}>
      <Button label="Done" onPress={closeBatchTags} />
    </div>
  );
  return (
    <Modal title="Channels of these videos" onClose={closeBatchTags} foot={foot}>
      <TagChoices
        list={choices.list}
        noun="channels"
        searchLabel="Search channels..."
        creation={{ state: choices.state, onCreate: () => void createChosen() }}
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
