import { CircleAlert, Trash2 } from 'lucide-react';
import { useEffect } from 'react';
import type { Snapshot } from 'valtio';
import { useSnapshot } from 'valtio';
import { proxy, subscribe } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { connection } from '#app/state/connection.ts';
import { isUnfinished, uploads } from '#app/state/uploads/uploads-state.ts';
import { IconButton } from '#app/ui/button.tsx';
import { ConfirmDialog } from '#app/ui/dialogs.tsx';
import { lateTeller } from '#app/ui/form/form.ts';
import { Select } from '#app/ui/form/select.tsx';
import { ListBody } from '#app/ui/list/list-body.tsx';
import { faceOf } from '#app/ui/list/list-state.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { Pagination } from '#app/ui/list/pagination.tsx';
import type { Column } from '#app/ui/list/table.tsx';
import { Table } from '#app/ui/list/table.tsx';
import { Skeleton } from '#app/ui/loading.tsx';
import { Banner } from '#app/ui/messages.tsx';
import { Resource } from '#app/ui/resource.ts';
import { countText, momentOf, sizeText } from '#app/ui/texts.ts';
import { confirmations } from '#contract/confirmations.ts';
import { deleteUploadedFile, listUploadHistory, readUploadStats } from '#contract/endpoints.ts';
import type { PastUpload, UploadStats } from '#contract/entities/upload.ts';
import { failures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import styles from './history-section.module.css';

/** The earlier uploads, with their totals. */
export function HistorySection() {
  useEffect(openHistory, []);
  const list = useSnapshot(history.state);
  const { failure } = useSnapshot(deletion);
  return (
    <section className={styles.section} aria-labelledby="past-uploads">
      <div className={styles.head}>
        <div className={styles.names}>
          <h2 id="past-uploads">Past uploads</h2>
          <Totals />
        </div>
        <Select
          label="Show"
          isLabelHidden
          options={statusOptions}
          value={list.filters.status}
          onChange={(status) => history.filter({ status })}
        />
      </div>
      {failure !== null && (
        <Banner
          kind="danger"
          icon={<CircleAlert aria-hidden="true" />}
          sentence={failure}
          onDismiss={dismissDeletionFailure}
        />
      )}
      <ListBody
        face={faceOf(list)}
        failure={list.failure}
        onRetry={() => void history.reload()}
        onDismiss={() => history.dismissFailure()}
        skeleton={<Skeleton className={styles.waiting} />}
        empty={
          <p className={styles.empty}>Nothing here yet. What you upload is listed here, also from other devices.</p>
        }
      >
        <PastUploads />
      </ListBody>
      <Pagination page={list.page} lastPage={list.lastPage} onGo={(page) => history.goTo(page)} />
      <Deletion />
    </section>
  );
}

function PastUploads() {
  const { items, isLoading } = useSnapshot(history.state);
  const { isReachable } = useSnapshot(connection);
  return (
    <div className={styles.table}>
      <Table
        label="Past uploads"
        columns={historyColumns}
        rows={items}
        idOf={({ id }) => id}
        nameOf={({ filename }) => filename}
        isBusy={isLoading}
        actions={(row) => (
          <IconButton
            label={`Delete ${row.filename}`}
            icon={<Trash2 aria-hidden="true" />}
            isDisabled={!isReachable}
            onPress={() => askToDelete(row)}
          />
        )}
      />
    </div>
  );
}

/**
 * The totals; hidden until they are known, and when there are no uploads, as the list below says
 * so.
 */
function Totals() {
  const { value } = useSnapshot(uploadStats.state);
  if (value === null || value.files === 0) return null;
  const parts = [
    `${countText(value.files, 'file')}, ${sizeText(value.bytes)}`,
    `${value.completed.toLocaleString()} completed`,
    value.in_progress > 0 && `${value.in_progress.toLocaleString()} in progress`,
    value.failed > 0 && `${value.failed.toLocaleString()} failed`,
  ];
  return <p className={styles.totals}>{parts.filter(Boolean).join(' · ')}</p>;
}

function Deletion() {
  const { asked } = useSnapshot(deletion);
  if (asked === null) return null;
  const ask = asked.hasVideo ? confirmations.deleteUpload : confirmations.deleteUnfinishedUpload;
  return (
    <ConfirmDialog
      title="Delete"
      sentence={ask(asked.filename)}
      action="Delete"
      onConfirm={() => void deleteAsked()}
      onClose={cancelDeletion}
    />
  );
}

type Row = Snapshot<PastUpload>;

const statusWords: Record<PastUpload['status'], string> = {
  pending: 'Waiting',
  uploading: 'Uploading',
  completed: 'Completed',
  failed: 'Failed',
};

const statusOptions: readonly { value: HistoryStatus; label: string }[] = [
  { value: 'all', label: 'All uploads' },
  ...Object.entries(statusWords).map(([value, label]) => ({ value: value as HistoryStatus, label })),
];

const historyColumns: readonly Column<Row>[] = [
  { title: 'Name', inList: 'name', cell: ({ filename }) => <bdi className={styles.name}>{filename}</bdi> },
  { title: 'Size', inList: 'fact', isNumber: true, cell: ({ size }) => shortCell(sizeText(size)) },
  { title: 'Status', inList: 'fact', cell: ({ status, error }) => wordsOf(status, error) },
  { title: 'Uploaded', inList: 'nowhere', cell: ({ created_at: time }) => shortCell(momentOf(time)) },
];

/** A cell without line breaks, so that names and reasons have room to wrap. */
function shortCell(words: string) {
  return <span className={styles.short}>{words}</span>;
}

function wordsOf(status: PastUpload['status'], error: string | null) {
  const words = error === null ? statusWords[status] : `${statusWords[status]}: ${error}`;
  return <span className={status === 'failed' ? styles.failed : undefined}>{words}</span>;
}

type HistoryStatus = PastUpload['status'] | 'all';

/** The signed-in user's uploads, latest first. */
const history = createPagedList<PastUpload, { status: HistoryStatus }>({
  limit: limits.uploadsPerPage,
  filters: { status: 'all' },
  load: async ({ page, filters: { status } }, signal) => {
    const query = { page, limit: limits.uploadsPerPage, ...(status !== 'all' && { status }) };
    const { uploads: items, total } = await call(listUploadHistory, { query, signal });
    return { items, total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadUploads,
});

const uploadStats = new Resource<UploadStats>({
  load: (signal) => call(readUploadStats, { query: {}, signal }),
  toSentence: failures.loadUploads,
});

const deletion = proxy<{
  asked: { id: string; filename: string; hasVideo: boolean } | null;
  failure: string | null;
}>({ asked: null, failure: null });

/**
 * Opens list and totals, which are read again when a file is done or was removed, and when the
 * server was told of that. Returns a function that closes them.
 */
function openHistory(): () => void {
  let before = countUploads();
  const stops = [
    history.open(),
    uploadStats.open(),
    subscribe(uploads, () => {
      const { done, listed, ending } = countUploads();
      if (done > before.done || listed < before.listed || ending < before.ending) reload();
      before = { done, listed, ending };
    }),
    cancelDeletion,
    dismissDeletionFailure,
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** A video that is withheld from its uploader has no id here, and would be deleted all the same. */
function askToDelete({ id, filename, status, error }: PastUpload): void {
  deletion.asked = { id, filename, hasVideo: status === 'completed' && error === null };
}

function cancelDeletion(): void {
  deletion.asked = null;
}

function dismissDeletionFailure(): void {
  deletion.failure = null;
}

/** Deletes the upload. The row disappears at once, and returns when the server refuses. */
async function deleteAsked(): Promise<void> {
  const { asked } = deletion;
  if (asked === null) return;
  Object.assign(deletion, { asked: null, failure: null });
  const tellLate = lateTeller();
  try {
    await history.remove(asked.id, () => call(deleteUploadedFile, { params: { id: asked.id } }));
  } catch (error) {
    const sentence = failures.deleteUpload(error);
    // The list knows nothing once it is closed.
    if (history.state.total !== null) deletion.failure = sentence;
    else tellLate(sentence);
  }
  void uploadStats.reload();
}

function countUploads() {
  const { rows, ending } = uploads;
  return { done: rows.filter((row) => !isUnfinished(row)).length, listed: rows.length, ending };
}

function reload(): void {
  void history.reload();
  void uploadStats.reload();
}
