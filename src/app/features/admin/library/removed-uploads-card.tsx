import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card } from '#app/ui/card/card.tsx';
import { Notice } from '#app/ui/card/notice.tsx';
import { countText } from '#app/ui/count-text.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading/skeleton.tsx';
import { ConfirmDialog } from '#app/ui/overlay/confirm-dialog.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import { dayOf } from '#app/ui/time-text.ts';
import * as confirmations from '#contract/confirmations.ts';
import type { RemovedUpload } from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { EntryRow } from '../entry-row.tsx';
import { Moment } from '../moment.tsx';
import shared from '../section.module.css';
import styles from './library-section.module.css';
import removed from './removed-uploads-card.module.css';
import { bringBack, deleteNow, removedRefusal, removedUploads } from './removed-uploads-store.ts';

/** Uploads that people have removed, and their way back. */
export function RemovedUploadsCard() {
  const state = useSnapshot(removedUploads.state);
  const { sentence } = useSnapshot(removedRefusal);
  const [asked, setAsked] = useState<RemovedUpload | null>(null);
  useEffect(() => removedUploads.open(), []);
  const confirm = () => {
    setAsked(null);
    if (asked) void deleteNow(asked.id);
  };
  return (
    <Card title="Removed uploads">
      <ListBody
        face={faceOf(state)}
        failure={state.failure}
        onRetry={() => void removedUploads.reload()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={
          <p className={shared.empty}>
            {`No upload was removed. What people remove is listed here, and can be brought back for ${limits.uploadKeptDays} days.`}
          </p>
        }
      >
        <ul aria-label="Removed uploads" aria-busy={state.isLoading}>
          {state.items.map((upload) => (
            <RemovedRow key={upload.id} upload={upload} onDelete={() => setAsked(upload)} />
          ))}
        </ul>
      </ListBody>
      <Notice notice={sentence === null ? null : { kind: 'danger', sentence }} />
      <Pagination
        page={state.page}
        lastPage={state.lastPage}
        onGo={(page) => removedUploads.goTo(page)}
        note={countText(state.total ?? 0, 'upload')}
      />
      {asked && (
        <ConfirmDialog
          title="Delete Now"
          sentence={confirmations.purgeUpload(asked.filename)}
          action="Delete"
          onConfirm={confirm}
          onClose={() => setAsked(null)}
        />
      )}
    </Card>
  );
}

function RemovedRow({ upload, onDelete }: { upload: RemovedUpload; onDelete: () => void }) {
  const { id, filename, size, uploaded_by, removed_by, removed_at, kept_until } = upload;
  const { isReachable } = useSnapshot(connection);
  return (
    <EntryRow
      label={<bdi>{filename}</bdi>}
      actions={
        <div className={removed.actions}>
          <Button
            kind="line"
            label="Bring back"
            name={`Bring back ${filename}`}
            isDisabled={!isReachable}
            onPress={() => void bringBack(id)}
          />
          <div className={removed.second}>
            <Button
              kind="danger"
              label="Delete now"
              name={`Delete ${filename} now`}
              isDisabled={!isReachable}
              onPress={onDelete}
            />
          </div>
        </div>
      }
    >
      <p>
        {sizeText(size)}, uploaded by <Account name={uploaded_by} />
      </p>
      <p>
        Removed <Moment time={removed_at} /> by <Account name={removed_by} />. Can be brought back until{' '}
        {dayOf(kept_until)}
      </p>
    </EntryRow>
  );
}

function Account({ name }: { name: string | null }) {
  return name === null ? 'a deleted account' : <bdi>{name}</bdi>;
}
