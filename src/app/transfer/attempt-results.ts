import { limits } from '#contract/limits.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import type { BatchSessions } from './batch-sessions.ts';
import type { FileTransfer, TransferEnd } from './file-transfer.ts';
import type { FileTransfers } from './file-transfers.ts';
import { shrinkPart } from './part-size.ts';
import type { UploadList } from './upload-list.ts';
import type { Verdict } from './verdict.ts';
import { judge } from './verdict.ts';

export interface ResultDeps {
  list: UploadList;
  sessions: BatchSessions;
  transfers: FileTransfers;
  /** A request got no answer. */
  onUnanswered(): void;
}

/** What comes of an attempt: the file is sent, has failed, or waits for the next one. */
export class AttemptResults {
  private readonly deps: ResultDeps;

  constructor(deps: ResultDeps) {
    this.deps = deps;
  }

  /** @param key with which it was made */
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

  /** Another file of the batch may have found it out before. */
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
