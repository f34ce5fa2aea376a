import { now } from '#app/platform/timers.ts';
import { secondsLeft } from '#app/transfer/transfer-rate.ts';
import type { UploadEngine } from '#app/transfer/upload-engine.ts';
import { uploadNetwork } from '#contract/failures.ts';
import type { StoredBatch } from '#device/uploads/batch-rows.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import type { UploadRow, UploadStatus, UploadWait } from './uploads-state.ts';

export interface RowsContext {
  /** Null: another tab sends. */
  engine: UploadEngine | null;
  link: { isOnline: boolean; isAllowed: boolean };
  /** False: nothing is stored for longer than the page lives. */
  isLasting: boolean;
}

/** What the screen shows of one person's files. */
export function toRows(batches: readonly StoredBatch[], context: RowsContext): UploadRow[] {
  const rows: UploadRow[] = [];
  for (const { batch, uploads } of batches)
    if (batch.state !== 'cancelling')
      for (const upload of uploads) if (!isRemoved(upload)) rows.push(toRow(batch, upload, context));
  return rows;
}

/** Of all that moves or goes on by itself; null while unknown. */
export function totalSecondsLeft(rows: readonly UploadRow[]): number | null {
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
  if (state === 'failed') return { kind: 'failed', message: message ?? uploadNetwork };
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
  const isWaiting = transfer?.backoff.isWaiting() || upload.nextAttemptAt > now();
  return isWaiting ? (transfer?.wait ?? 'retry') : 'turn';
}
