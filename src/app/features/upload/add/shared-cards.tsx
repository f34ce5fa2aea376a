import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import type { SharedFiles } from '#app/state/uploads/uploads-state.ts';
import { uploads } from '#app/state/uploads/uploads-state.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import { filesShared } from '#contract/notices.ts';
import { claimShared, discardShared } from '../upload-store.ts';
import styles from './shared-cards.module.css';

/** So many names are listed. */
const maxNames = 5;

/** Files that were shared into the app: nobody sends them before somebody has added them. */
export function SharedCards() {
  const { shared } = useSnapshot(uploads);
  return shared.map((files) =>
    files.names.length === 0 ? (
      <Refusals key={files.batchId} batchId={files.batchId} />
    ) : (
      <SharedCard key={files.batchId} {...files} />
    ),
  );
}

/** All files were refused: there is nothing to add, and why is said at once. */
function Refusals({ batchId }: { batchId: string }) {
  useEffect(() => void claimShared(batchId), [batchId]);
  return null;
}

function SharedCard({ batchId, names, size }: Snapshot<SharedFiles>) {
  return (
    <div className={styles.place}>
      <Card title={filesShared(names.length)}>
        <p className={styles.names}>
          <bdi>{names.slice(0, maxNames).join(', ')}</bdi>
          {names.length > maxNames && ` and ${names.length - maxNames} more`}
          {`, ${sizeText(size)}`}
        </p>
        <div className={styles.buttons}>
          <Button kind="tonal" label="Add to my uploads" onPress={() => void claimShared(batchId)} />
          <Button kind="line" label="Discard" onPress={() => void discardShared(batchId)} />
        </div>
      </Card>
    </div>
  );
}
