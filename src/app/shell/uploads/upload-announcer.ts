import type { Snapshot } from 'valtio';
import { isUnfinished } from '#app/state/uploads/upload-facts.ts';
import type { uploads } from '#app/state/uploads/uploads-state.ts';
import { filesFailed } from '#contract/failures.ts';
import { someVideosUploaded, uploadFailed, uploadsBegun, videosUploaded } from '#contract/notices.ts';

type Rows = Snapshot<typeof uploads>['rows'];
type Kind = Rows[number]['status']['kind'];

/** Says when a batch of files begins to move, when files fail, and when a batch is through; nothing in between. */
export class UploadAnnouncer {
  /** By id, as they were at the last change. */
  private known = new Map<string, Kind>();
  private readonly begun = new Set<string>();

  /** @returns what is to be said after a change, if anything */
  update(rows: Rows): string[] {
    const sentences = [...this.failuresIn(rows), ...this.newsOfBatches(rows)];
    this.known = new Map(rows.map(({ id, status }) => [id, status.kind]));
    return sentences;
  }

  private failuresIn(rows: Rows): string[] {
    const failed = rows.filter((row) => this.hasBecome(row, 'failed'));
    if (failed.length > 1) return [`${filesFailed(failed.length)}.`];
    return failed.map(({ name }) => uploadFailed(name));
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
      return [uploadsBegun(batch.filter(isUnfinished).length)];
    }
    const isThrough = !batch.some(isUnfinished) && batch.some((row) => this.hasBecome(row, 'completed'));
    const completed = batch.filter(({ status }) => status.kind === 'completed').length;
    if (!isThrough) return [];
    return [completed < batch.length ? someVideosUploaded(completed, batch.length) : videosUploaded(completed)];
  }

  /** Not of a row that is there for the first time: that happened before, or elsewhere. */
  private hasBecome({ id, status }: Rows[number], kind: Kind): boolean {
    const before = this.known.get(id);
    return status.kind === kind && before !== undefined && before !== kind;
  }
}
