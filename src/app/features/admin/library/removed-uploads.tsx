import { useEffect, useState } from 'react';
import { useSnapshot } from 'valtio';
import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { Button } from '#app/ui/button.tsx';
import { Card, Notice } from '#app/ui/card.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { readRefusal } from '#app/ui/form/form.ts';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { countText, dayOf, sizeText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { listRemovedUploads, purgeUpload, restoreUpload } from '#contract/endpoints.ts';
import type { RemovedUpload } from '#contract/entities/upload.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import shared from '../section.module.css';
import { EntryRow, Moment } from '../section-parts.tsx';
import styles from './library-section.module.css';
import { library } from './library-store.ts';

/** Uploads that users removed, each with buttons to restore or purge it. */
export function RemovedUploadsCard() {
  const state = useSnapshot(removedUploads.state);
  const { sentence } = useSnapshot(removedRefusal);
  const [asked, setAsked] = useState<RemovedUpload | null>(null);
  useEffect(openRemoved, []);
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
        <>
          <Button
            kind="line"
            label="Bring back"
            name={`Bring back ${filename}`}
            isDisabled={!isReachable}
            onPress={() => void bringBack(id)}
          />
          <Button
            kind="danger"
            label="Delete now"
            name={`Delete now: ${filename}`}
            isDisabled={!isReachable}
            onPress={onDelete}
          />
        </>
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

const limit = limits.uploadsPerPage;

/** Removed uploads that can still be restored. */
const removedUploads = createPagedList<RemovedUpload, object>({
  limit,
  filters: {},
  load: async ({ page }, signal) => {
    const { uploads, total } = await call(listRemovedUploads, { query: { page, limit }, signal });
    return { items: uploads, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadRemovedUploads,
});

/** Why an upload could not be restored or purged. */
const removedRefusal = proxy<{ sentence: string | null }>({ sentence: null });

/** Opens the list. Returns a function that closes it. */
function openRemoved(): () => void {
  removedRefusal.sentence = null;
  return removedUploads.open();
}

async function bringBack(id: string): Promise<void> {
  await leaveList(id, () => call(restoreUpload, { params: { id } }));
  void library.reload();
}

/** Purges an upload: its file is deleted at once. */
async function deleteNow(id: string): Promise<void> {
  await leaveList(id, () => call(purgeUpload, { params: { id } }));
}

async function leaveList(id: string, send: () => Promise<unknown>): Promise<void> {
  removedRefusal.sentence = null;
  try {
    await removedUploads.change((items) => items.filter((item) => item.id !== id), send);
  } catch (error) {
    removedRefusal.sentence = readRefusal(error);
  }
}
