import { uploadBeginsAnew } from '#contract/failures.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import type { TransferDeps } from './file-transfer.ts';
import { FileTransfer } from './file-transfer.ts';

/** What this page knows of how each file is sent, by the file's id. */
export class FileTransfers {
  private readonly transfers = new Map<string, FileTransfer>();
  private readonly deps: TransferDeps;

  constructor(deps: TransferDeps) {
    this.deps = deps;
  }

  of(upload: QueuedUpload): FileTransfer {
    const known = this.transfers.get(upload.id);
    if (known) return known;
    const transfer = new FileTransfer(this.deps);
    if (upload.state === 'uploading' && upload.destination?.protocol === 'put') transfer.note = uploadBeginsAnew;
    this.transfers.set(upload.id, transfer);
    return transfer;
  }

  get(id: string): FileTransfer | undefined {
    return this.transfers.get(id);
  }

  forget(id: string): void {
    this.transfers.delete(id);
  }

  /** Ends the attempts of all others, and forgets those that are gone. */
  keepOnly(isWanted: (id: string) => boolean, isThere: (id: string) => boolean): void {
    for (const [id, transfer] of this.transfers) {
      if (!isWanted(id)) transfer.abort();
      if (!isThere(id)) this.transfers.delete(id);
    }
  }

  /** What waits for the network is tried now. */
  hurry(): void {
    for (const transfer of this.transfers.values()) if (transfer.wait === 'network') transfer.backoff.hurry();
  }

  abortAll(): void {
    for (const transfer of this.transfers.values()) transfer.abort();
  }

  countActive(): number {
    return [...this.transfers.values()].filter(({ isActive }) => isActive).length;
  }

  /** Until when they wait, in epoch milliseconds. */
  waits(): number[] {
    return [...this.transfers.values()].map(({ backoff }) => backoff.waitUntil);
  }
}
