import { broadcastChannel } from '#app/platform/later-capabilities.ts';
import { secondsLeft } from '#app/transfer/file-transfer.ts';
import type { UploadEngine } from '#app/transfer/upload-engine.ts';
import { failures } from '#contract/failures.ts';
import { after, msUntil, now } from '#device/timers.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { readLink } from '../link-choice.ts';
import type { UploadRow, UploadStatus, UploadWait } from './uploads-state.ts';
import { uploads } from './uploads-state.ts';

/** The shortest interval between updates of the list, here and in the other tabs. */
const shownEveryMs = 500;
/** A report of this age is outdated; a tab in the background reports once a minute. */
const reportMaxAgeMs = 3_000;

/** The number of choices of tags that are being stored: the stored tags are older. */
export const tagChoices = { pending: 0 };

interface DisplayDeps {
  userId: string;
  /** Null while another tab sends. */
  engine: () => UploadEngine | null;
  /** Sends a report to the other tabs. */
  report: (report: RowsReport) => void;
}

/**
 * Shows one user's uploads: from this tab's engine, from the reports of the sending tab, or without
 * either from the store.
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

  /** Whether the sending tab has not reported for too long. */
  isReportOld(): boolean {
    return Math.abs(now() - this.reportedAt) >= reportMaxAgeMs;
  }

  showReport(report: RowsReport): void {
    if (this.deps.engine() || report.userId !== this.deps.userId) return;
    this.reportedAt = now();
    showRows(report);
  }

  /** Reads the stored uploads, and shows them. */
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
      ...(pending && tagChoices.pending === 0 && { tagIds: pending.batch.tagIds }),
      shared: shared.map(({ batch, uploads: files }) => ({
        batchId: batch.id,
        names: files.map(({ name }) => name),
        size: files.reduce((sum, { size }) => sum + size, 0),
      })),
    });
    this.show();
  }

  /** Shows the list soon: progress events are more frequent than anyone can read. */
  showSoon(): void {
    if (this.isShowPlanned || this.isStopped) return;
    this.isShowPlanned = true;
    const restMs = Math.max(0, this.shownAt + shownEveryMs - now());
    // A clock that was set back does not prolong the wait.
    this.cancelShow = after(Math.min(shownEveryMs, restMs), () => this.show());
  }

  show(): void {
    this.cancelShow();
    this.isShowPlanned = false;
    this.shownAt = now();
    const engine = this.deps.engine();
    if (!engine && !this.isReportOld()) return;
    const batches = engine?.list.isRead ? engine.list.batches : this.stored;
    const rows = toRows(batches, { engine, link: readLink('uploads'), isLasting: this.isLasting });
    const { userId } = this.deps;
    const report = { userId, rows, secondsLeft: totalSecondsLeft(rows), ending: countEnding(batches) };
    showRows(report);
    if (engine) this.deps.report(report);
  }
}

interface RowsContext {
  /** Null while another tab sends. */
  engine: UploadEngine | null;
  link: { isOnline: boolean; isAllowed: boolean };
  /** False when stored uploads are lost with the page. */
  isLasting: boolean;
}

/** The rows of one user's files. */
function toRows(batches: readonly StoredBatch[], context: RowsContext): UploadRow[] {
  const rows: UploadRow[] = [];
  for (const { batch, uploads } of batches)
    if (batch.state !== 'cancelling')
      for (const upload of uploads) if (!isRemoved(upload)) rows.push(toRow(batch, upload, context));
  return rows;
}

function countEnding(batches: readonly StoredBatch[]): number {
  return batches.filter(({ batch, uploads }) => batch.state === 'cancelling' || uploads.some(isRemoved)).length;
}

/** Seconds left for all files that are sent or continue automatically; null while unknown. */
function totalSecondsLeft(rows: readonly UploadRow[]): number | null {
  let [bytes, speed] = [0, 0];
  for (const { status, size, acknowledgedBytes, speed: own } of rows) {
    if (!goesOn(status)) continue;
    bytes += size - acknowledgedBytes;
    speed += own ?? 0;
  }
  return secondsLeft(bytes, speed);
}

function goesOn(status: UploadStatus): boolean {
  if (status.kind === 'waiting') return ['turn', 'retry', 'network', 'wifi'].includes(status.reason);
  return status.kind === 'uploading';
}

function toRow(batch: UploadBatch, upload: QueuedUpload, context: RowsContext): UploadRow {
  const { id, batchId, name, size, acknowledgedBytes, source } = upload;
  const transfer = context.engine?.transfers.get(id);
  const speed = transfer?.isActive ? transfer.rate.perSecond(now()) : null;
  return {
    id,
    batchId,
    name,
    size,
    acknowledgedBytes,
    speed,
    secondsLeft: transfer ? secondsLeft(size - Math.max(transfer.sent, acknowledgedBytes), speed) : null,
    status: statusOf(batch, upload, context),
    resumesByItself: context.isLasting && source.kind !== 'picked-again',
    note: transfer?.note ?? null,
  };
}

function statusOf(batch: UploadBatch, upload: QueuedUpload, context: RowsContext): UploadStatus {
  const { state, message, videoId } = upload;
  if (state === 'completed') return { kind: 'completed', videoId, note: message };
  if (state === 'failed') return { kind: 'failed', message: message ?? failures.uploadNetwork };
  if (state === 'sent') return { kind: batch.state === 'completing' ? 'processing' : 'sent' };
  const transfer = context.engine?.transfers.get(upload.id);
  if (transfer?.isActive) return { kind: 'uploading', resumedAt: transfer.resumedAt };
  return { kind: 'waiting', reason: waitOf(batch, upload, context) };
}

function waitOf(batch: UploadBatch, upload: QueuedUpload, { engine, link }: RowsContext): UploadWait {
  if (batch.state === 'draft') return 'start';
  if (upload.isPaused) return 'paused';
  if (!engine) return 'other-tab';
  const transfer = engine.transfers.get(upload.id);
  if (transfer?.wait === 'pick-again' || transfer?.wait === 'permission') return transfer.wait;
  if (!link.isOnline) return 'network';
  if (!link.isAllowed) return 'wifi';
  const sessionWait = batch.key === null ? engine.sessions.waitOf(batch.id) : null;
  if (sessionWait) return sessionWait;
  const isWaiting = transfer?.backoff.isWaiting() || msUntil(upload.nextAttemptAt) > 0;
  return isWaiting ? (transfer?.wait ?? 'retry') : 'turn';
}

/** Unchanged rows stay the same objects, so that only the others are drawn again. */
function showRows({ rows, secondsLeft, ending }: RowsReport): void {
  const known = new Map(uploads.rows.map((row) => [row.id, row]));
  const next = rows.map((row) => {
    const before = known.get(row.id);
    return before && JSON.stringify(before) === JSON.stringify(row) ? before : row;
  });
  const isSame = next.length === uploads.rows.length && next.every((row, at) => row === uploads.rows[at]);
  if (!isSame) uploads.rows = next;
  Object.assign(uploads, { secondsLeft, ending });
}

export function hideUploads(): void {
  Object.assign(uploads, { rows: [], shared: [], tagIds: [], secondsLeft: null, ending: 0, startFailure: null });
}

interface RowsReport {
  userId: string;
  rows: UploadRow[];
  secondsLeft: number | null;
  ending: number;
}

/** The messages about uploads between the tabs of a browser. */
export type TabMessage =
  /** The stored uploads have changed: the sending tab reads them again. */
  | { kind: 'changed' }
  /** A tab asks for the list. */
  | { kind: 'ask' }
  | { kind: 'rows'; report: RowsReport }
  /** A file was chosen, or may be read now. `file` is null when its handle is stored. */
  | { kind: 'source'; id: string; file: File | null }
  /** The sending tab needs this file: a tab that has it passes it on. */
  | { kind: 'want'; id: string }
  | { kind: 'refused'; sentence: string };

/**
 * Sends and receives messages between tabs. In engines without channels, the store is read instead.
 */
export class TabMessages {
  private readonly channel = broadcastChannel('fourfold.uploads');

  constructor(onMessage: (message: TabMessage) => void) {
    this.channel?.addEventListener('message', ({ data }: MessageEvent<TabMessage>) => onMessage(data));
  }

  post(message: TabMessage): void {
    try {
      this.channel?.postMessage(message);
    } catch {
      // The file cannot be passed on: the tab that chose it sends it when it becomes the sending
      // tab.
    }
  }

  close(): void {
    this.channel?.close();
  }
}
