import type { Snapshot } from 'valtio';
import type { Column } from '#app/ui/list/table.tsx';
import { sizeText } from '#app/ui/size-text.ts';
import { momentOf } from '#app/ui/time-text.ts';
import type { PastUpload } from '#contract/entities/upload.ts';
import styles from './history-section.module.css';
import type { HistoryStatus } from './history-store.ts';

type Row = Snapshot<PastUpload>;

const statusWords: Record<PastUpload['status'], string> = {
  pending: 'Waiting',
  uploading: 'Uploading',
  completed: 'Completed',
  failed: 'Failed',
};

export const statusOptions: readonly { value: HistoryStatus; label: string }[] = [
  { value: 'all', label: 'All uploads' },
  ...Object.entries(statusWords).map(([value, label]) => ({ value: value as HistoryStatus, label })),
];

export const historyColumns: readonly Column<Row>[] = [
  { title: 'Name', inList: 'name', cell: ({ filename }) => <bdi className={styles.name}>{filename}</bdi> },
  { title: 'Size', inList: 'fact', isNumber: true, cell: ({ size }) => shortCell(sizeText(size)) },
  { title: 'Status', inList: 'fact', cell: ({ status, error }) => wordsOf(status, error) },
  { title: 'Uploaded', inList: 'nowhere', cell: ({ created_at: time }) => shortCell(momentOf(time)) },
];

/** In one line: names and reasons have the room to wrap. */
function shortCell(words: string) {
  return <span className={styles.short}>{words}</span>;
}

function wordsOf(status: PastUpload['status'], error: string | null) {
  const words = error === null ? statusWords[status] : `${statusWords[status]}: ${error}`;
  return <span className={status === 'failed' ? styles.failed : undefined}>{words}</span>;
}
