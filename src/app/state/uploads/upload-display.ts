import { after, now } from '#app/platform/timers.ts';
import type { UploadEngine } from '#app/transfer/upload-engine.ts';
import type { StoredBatch } from '#device/uploads/batch-rows.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { showRows } from './show-uploads.ts';
import type { RowsReport } from './tab-messages.ts';
import { toRows, totalSecondsLeft } from './to-rows.ts';
import { readLink } from './upload-link.ts';
import { uploads } from './uploads-state.ts';

/** The list is drawn, and told to the other tabs, at most so often. */
const shownEveryMs = 500;
/** Without a report for so long the tab that sends is asked; a page in the background reports once a minute. */
const reportMaxAgeMs = 3_000;

interface DisplayDeps {
  userId: string;
  /** Null: another tab sends. */
  engine: () => UploadEngine | null;
  /** To the other tabs. */
  report: (report: RowsReport) => void;
}

/**
 * Shows one person's uploads: as this tab's engine has them, as the tab that sends reports them, or, without either, as
 * they are stored.
 */
export class UploadDisplay {
  private readonly deps: DisplayDeps;
  private isStopped = false;
  private isLasting = true;
  private stored: StoredBatch[] = [];
  private reportedAt = 0;
  private shownAt = 0;
  private cancelShow = () => {};
  private isShowPlanned = false;

  constructor(deps: DisplayDeps) {
    this.deps = deps;
  }

  stop(): void {
    this.isStopped = true;
    this.cancelShow();
  }

  /** Whether the tab that sends has been silent for long. */
  isReportOld(): boolean {
    return now() - this.reportedAt >= reportMaxAgeMs;
  }

  showReport({ userId, rows, secondsLeft }: RowsReport): void {
    if (this.deps.engine() || userId !== this.deps.userId) return;
    this.reportedAt = now();
    showRows(rows, secondsLeft);
  }

  /** Reads what is stored, and shows it. */
  async read(): Promise<void> {
    const [stored, shared, isLasting] = await Promise.all([
      uploadStore.list(this.deps.userId).catch(() => this.stored),
      uploadStore.list(null).catch(() => []),
      uploadStore.isLasting(),
    ]);
    if (this.isStopped) return;
    Object.assign(this, { stored, isLasting });
    const pending = stored.find(({ batch: { state } }) => state === 'draft' || state === 'open');
    Object.assign(uploads, {
      isLoaded: true,
      isLasting,
      tagIds: pending?.batch.tagIds ?? (stored.length === 0 ? uploads.tagIds : []),
      shared: shared.map(({ batch, uploads: files }) => ({
        batchId: batch.id,
        names: files.map(({ name }) => name),
        size: files.reduce((sum, { size }) => sum + size, 0),
      })),
    });
    this.show();
  }

  /** Progress comes more often than anybody can read it. */
  showSoon(): void {
    if (this.isShowPlanned || this.isStopped) return;
    this.isShowPlanned = true;
    this.cancelShow = after(Math.max(0, this.shownAt + shownEveryMs - now()), () => this.show());
  }

  show(): void {
    this.cancelShow();
    this.isShowPlanned = false;
    this.shownAt = now();
    const engine = this.deps.engine();
    if (!engine && !this.isReportOld()) return;
    const batches = engine?.list.isRead ? engine.list.batches : this.stored;
    const rows = toRows(batches, { engine, link: readLink(), isLasting: this.isLasting });
    const secondsLeft = totalSecondsLeft(rows);
    showRows(rows, secondsLeft);
    if (engine) this.deps.report({ userId: this.deps.userId, rows, secondsLeft });
  }
}
