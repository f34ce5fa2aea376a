import { deviceFailures } from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import type { AttemptEnd } from './attempt.ts';
import { shrinkPart } from './attempt.ts';
import type { BatchSessions } from './batch-sessions.ts';
import type { FileTransfer, FileTransfers, TransferEnd } from './file-transfer.ts';
import type { UploadList } from './upload-list.ts';

interface ResultDeps {
  list: UploadList;
  sessions: BatchSessions;
  transfers: FileTransfers;
  /** Called when a request got no answer. */
  onUnanswered(): void;
}

/** Applies the end of an attempt: the file is sent, has failed, or waits for another attempt. */
export class AttemptResults {
  private readonly deps: ResultDeps;

  constructor(deps: ResultDeps) {
    this.deps = deps;
  }

  /** @param key the session key that the attempt used */
  async apply({ id, size }: QueuedUpload, transfer: FileTransfer, end: TransferEnd, key: string): Promise<void> {
    const { list } = this.deps;
    if (end.kind === 'sent')
      return list.changeUpload(id, { state: 'sent', acknowledgedBytes: size, attempts: 0, message: null });
    if (end.kind === 'needs') transfer.wait = end.need;
    await list.changeUpload(id, { state: 'pending' });
    if (end.kind !== 'needs' && end.kind !== 'aborted') await this.applyVerdict(id, transfer, judge(end), key);
  }

  fail(id: string, message: string): Promise<void> {
    this.deps.transfers.forget(id);
    return this.deps.list.changeUpload(id, { state: 'failed', message });
  }

  private applyVerdict(id: string, transfer: FileTransfer, verdict: Verdict, key: string): Promise<void> | void {
    switch (verdict.kind) {
      case 'network':
        return this.waitForNetwork(transfer);
      case 'key':
        return this.renewKey(id, transfer, key);
      case 'gone':
        return this.askWhyGone(id, transfer);
      case 'smaller-parts':
        return this.shrinkParts(id, transfer, verdict.message);
      case 'later':
        return this.waitForRetry(id, transfer, verdict);
      default:
        return this.fail(id, verdict.message);
    }
  }

  private waitForNetwork(transfer: FileTransfer): void {
    transfer.wait = 'network';
    transfer.backoff.fail();
    this.deps.onUnanswered();
  }

  private waitForRetry(
    id: string,
    transfer: FileTransfer,
    { isCounted, askedMs, message }: Extract<Verdict, { kind: 'later' }>,
  ): Promise<void> {
    const attempts = (this.deps.list.find(id)?.upload.attempts ?? 0) + (isCounted ? 1 : 0);
    if (attempts >= limits.uploadAttempts) return this.fail(id, message);
    transfer.wait = 'retry';
    transfer.backoff.fail(askedMs);
    return this.deps.list.changeUpload(id, { attempts, nextAttemptAt: transfer.backoff.waitUntil });
  }

  /** Requests a new key, unless another file of the batch has done so before. */
  private async renewKey(id: string, transfer: FileTransfer, key: string): Promise<void> {
    const batch = this.deps.list.find(id)?.batch;
    if (!batch || batch.key !== key) return;
    if (transfer.hasNewKey) return this.askWhyGone(id, transfer);
    transfer.hasNewKey = true;
    await this.deps.list.changeBatch(batch.id, { key: null });
  }

  private async askWhyGone(id: string, transfer: FileTransfer): Promise<void> {
    const { list, sessions } = this.deps;
    const found = list.find(id);
    const stored = list.batches.find(({ batch }) => batch.id === found?.batch.id);
    if (!found || !stored || stored.batch.sessionId === null) return;
    transfer.hasNewKey = false;
    if (!(await sessions.checkGone(stored, found.upload))) this.waitForNetwork(transfer);
  }

  private async shrinkParts(id: string, transfer: FileTransfer, message: string): Promise<void> {
    const isInParts = this.deps.list.find(id)?.upload.destination?.protocol === 'tus';
    const bound = isInParts ? shrinkPart(transfer.maxPartBytes) : null;
    if (bound === null) return this.fail(id, message);
    transfer.maxPartBytes = bound;
  }
}

/** The reaction to a failed attempt. */
type Verdict =
  /** Try again as soon as the server is reachable. */
  | { kind: 'network' }
  /**
   * Try again after a wait, of `askedMs` when the server says so. Counted attempts end in a failure
   * with `message`.
   */
  | { kind: 'later'; askedMs: number | null; isCounted: boolean; message: string }
  /** A proxy refuses bodies of that size. */
  | { kind: 'smaller-parts'; message: string }
  /** The session has another key, or does not exist any more. */
  | { kind: 'key' }
  /** The session is over, or the upload of this file in it. */
  | { kind: 'gone' }
  | { kind: 'failed'; message: string };

/**
 * Another request locks the file, or has sent bytes of it: the next attempt asks for the offset.
 */
const offsetChanged = [409, 423, 460];
/** Too many requests, or a proxy cannot reach the server. */
const busy = [408, 425, 429, 502, 503, 504];
/** The wait for a full disk, which is not freed within seconds. */
const fullDiskWaitMs = 60_000;

function judge(end: Extract<AttemptEnd, { kind: 'answered' | 'unanswered' }>): Verdict {
  if (end.kind === 'unanswered') return { kind: 'network' };
  const { status, statusText, retryAfterMs: askedMs } = end;
  const message = deviceFailures.uploadStatus(status, statusText).trim();
  if (status === 401 || status === 404) return { kind: 'key' };
  if (status === 410) return { kind: 'gone' };
  if (status === 413) return { kind: 'smaller-parts', message };
  if (offsetChanged.includes(status)) return { kind: 'later', askedMs, isCounted: true, message };
  if (busy.includes(status)) return { kind: 'later', askedMs, isCounted: false, message };
  if (status === 507) return { kind: 'later', askedMs: askedMs ?? fullDiskWaitMs, isCounted: true, message };
  if (status >= 500) return { kind: 'later', askedMs, isCounted: true, message };
  return { kind: 'failed', message };
}
