import type { Snapshot } from 'valtio';
import type { uploads } from '#app/state/uploads/uploads-state.ts';
import { isMoving, isUnfinished, waitsFor } from '#app/state/uploads/uploads-state.ts';
import { countText } from '#app/ui/texts.ts';
import { failures } from '#contract/failures.ts';
import { notices } from '#contract/notices.ts';
import type { UploadNotice, UploadTone } from './upload-notice.tsx';

type Uploads = Pick<Snapshot<typeof uploads>, 'rows' | 'shared' | 'secondsLeft'>;

/** Texts for files that are neither uploaded nor failed; the first one that applies is shown. */
const standings: ReadonlyArray<{
  tone: UploadTone;
  isMeant: (row: Uploads['rows'][number]) => boolean;
  toWords: (files: string, count: number) => string;
}> = [
  {
    tone: 'warn',
    isMeant: ({ status }) => waitsFor(status, 'network'),
    toWords: (files, count) => `${files} ${count === 1 ? 'waits' : 'wait'} for the network`,
  },
  {
    tone: 'warn',
    isMeant: ({ status }) => waitsFor(status, 'wifi'),
    toWords: (files, count) => `${files} ${count === 1 ? 'waits' : 'wait'} for Wi-Fi`,
  },
  {
    tone: 'plain',
    isMeant: ({ status }) => waitsFor(status, 'other-tab'),
    toWords: (files) => `${files} in another tab`,
  },
  {
    tone: 'plain',
    isMeant: ({ status }) => status.kind === 'sent' || status.kind === 'processing',
    toWords: (files) => `${files} in processing`,
  },
  {
    tone: 'warn',
    isMeant: ({ status }) => waitsFor(status, 'start', 'pick-again', 'permission', 'sign-in'),
    toWords: (files, count) => `${files} ${count === 1 ? 'waits' : 'wait'} for you`,
  },
  {
    tone: 'plain',
    isMeant: ({ status }) => waitsFor(status, 'paused'),
    toWords: (files) => `${files} paused`,
  },
];

/** Summarizes all uploads in a few words, the failed ones first. */
export function noticeOf(state: Uploads): UploadNotice {
  const failed = state.rows.filter(({ status }) => status.kind === 'failed').length;
  const shared = state.shared.reduce((sum, { names }) => sum + names.length, 0);
  const count = state.rows.filter(isUnfinished).length + shared + failed;
  const rest = restOf(state) ?? sharedOf(shared);
  if (failed === 0) return { count, words: '', tone: 'plain', ...rest };
  const words = `${countText(failed, 'file')} failed`;
  return { count, words: rest ? `${words}\u00a0· ${rest.words}` : words, tone: 'danger' };
}

function restOf({ rows, secondsLeft }: Uploads): Pick<UploadNotice, 'words' | 'tone'> | null {
  const moving = rows.filter(isMoving).length;
  if (moving > 0) {
    const files = countText(moving, 'file');
    return { words: secondsLeft === null ? files : `${files}, ${leftText(secondsLeft)}`, tone: 'plain' };
  }
  for (const { tone, isMeant, toWords } of standings) {
    const { length } = rows.filter(isMeant);
    if (length > 0) return { words: toWords(countText(length, 'file'), length), tone };
  }
  return null;
}

function sharedOf(count: number): Pick<UploadNotice, 'words' | 'tone'> | null {
  return count === 0 ? null : { words: `${countText(count, 'shared file')} to add`, tone: 'warn' };
}

/**
 * Remaining time in whole minutes, so that the text seldom changes: '3 min left', '2 h 5 min left'.
 */
function leftText(seconds: number): string {
  if (seconds < 60) return 'less than 1 min left';
  const minutes = Math.ceil(seconds / 60);
  if (minutes < 60) return `${minutes} min left`;
  const rest = minutes % 60;
  const hours = `${Math.floor(minutes / 60)} h`;
  return rest === 0 ? `${hours} left` : `${hours} ${rest} min left`;
}

type Rows = Snapshot<typeof uploads>['rows'];
type Kind = Rows[number]['status']['kind'];

/**
 * Announces when a batch of files starts to upload, when files fail, and when a batch is complete.
 */
export class UploadAnnouncer {
  /** The status of each file at the last change, by id. */
  private known = new Map<string, Kind>();
  private readonly begun = new Set<string>();

  /** @returns the sentences to announce after a change */
  update(rows: Rows): string[] {
    const sentences = [...this.failuresIn(rows), ...this.newsOfBatches(rows)];
    this.known = new Map(rows.map(({ id, status }) => [id, status.kind]));
    return sentences;
  }

  private failuresIn(rows: Rows): string[] {
    const failed = rows.filter((row) => this.hasBecome(row, 'failed'));
    if (failed.length > 1) return [`${failures.filesFailed(failed.length)}.`];
    return failed.map(({ name }) => notices.uploadFailed(name));
  }

  private newsOfBatches(rows: Rows): string[] {
    const ids = [...new Set(rows.map(({ batchId }) => batchId))];
    return ids.flatMap((id) =>
      this.newsOf(
        id,
        rows.filter(({ batchId }) => batchId === id),
      ),
    );
  }

  private newsOf(batchId: string, batch: Rows): string[] {
    if (!this.begun.has(batchId) && batch.some(({ status }) => status.kind === 'uploading')) {
      this.begun.add(batchId);
      return [notices.uploadsBegun(batch.filter(isUnfinished).length)];
    }
    const isThrough = !batch.some(isUnfinished) && batch.some((row) => this.hasBecome(row, 'completed'));
    const completed = batch.filter(({ status }) => status.kind === 'completed').length;
    if (!isThrough) return [];
    return [
      completed < batch.length
        ? notices.someVideosUploaded(completed, batch.length)
        : notices.videosUploaded(completed),
    ];
  }

  /**
   * A row seen for the first time does not count: its change happened before, or in another tab.
   */
  private hasBecome({ id, status }: Rows[number], kind: Kind): boolean {
    const before = this.known.get(id);
    return status.kind === kind && before !== undefined && before !== kind;
  }
}
