import { now } from '#device/timers.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import type { UploadStore } from '#device/uploads/upload-store.ts';

export type UploadRecords = Pick<UploadStore, 'list' | 'updateBatch' | 'updateUpload' | 'removeBatch'>;

type BatchChange = Parameters<UploadStore['updateBatch']>[1];
type UploadChange = Parameters<UploadStore['updateUpload']>[1];

/**
 * The interval at which progress is stored, for the list that is shown after a reload; the server's
 * offset is more exact.
 */
const progressStoredMs = 2_000;

/** One user's stored batches, in memory. */
export class UploadList {
  batches: StoredBatch[] = [];
  isRead = false;
  private readonly records: UploadRecords;
  private readonly userId: string;
  private version = 0;
  private readonly progressStoredAt = new Map<string, number>();

  constructor(records: UploadRecords, userId: string) {
    this.records = records;
    this.userId = userId;
  }

  /**
   * Reads the batches again, without losing a change that is made meanwhile. When the device cannot
   * read them, the next change does.
   */
  async read(): Promise<void> {
    for (;;) {
      const { version } = this;
      const batches = await this.records.list(this.userId).catch(() => this.batches);
      if (version !== this.version) continue;
      this.batches = batches;
      this.isRead = true;
      return;
    }
  }

  find(id: string): { batch: UploadBatch; upload: QueuedUpload } | null {
    for (const { batch, uploads } of this.batches) {
      const upload = uploads.find((one) => one.id === id);
      if (upload) return { batch, upload };
    }
    return null;
  }

  /** Changes a batch, and some of its files at once, by their ids. */
  async changeBatch(id: string, change: BatchChange, files: ReadonlyMap<string, UploadChange> = new Map()) {
    this.version += 1;
    const known = this.batches.find(({ batch }) => batch.id === id);
    if (known) known.batch = { ...known.batch, ...change };
    for (const [uploadId, own] of files) this.applyChange(uploadId, own);
    await this.records.updateBatch(id, change, files).catch(ignoreFullDisk);
    this.version += 1;
  }

  async removeBatch(id: string): Promise<void> {
    this.version += 1;
    this.batches = this.batches.filter(({ batch }) => batch.id !== id);
    await this.records.removeBatch(id).catch(ignoreFullDisk);
    this.version += 1;
  }

  async changeUpload(id: string, change: UploadChange): Promise<void> {
    this.version += 1;
    this.applyChange(id, change);
    await this.records.updateUpload(id, change).catch(ignoreFullDisk);
    this.version += 1;
  }

  /** @param acknowledgedBytes the bytes that the server has confirmed, `isNew`: more than before */
  noteProgress(id: string, acknowledgedBytes: number, isNew: boolean): void {
    const change = isNew ? { acknowledgedBytes, attempts: 0 } : { acknowledgedBytes };
    this.applyChange(id, change);
    const time = now();
    if (time - (this.progressStoredAt.get(id) ?? 0) < progressStoredMs) return;
    this.progressStoredAt.set(id, time);
    void this.changeUpload(id, change);
  }

  private applyChange(id: string, change: UploadChange): void {
    for (const stored of this.batches)
      stored.uploads = stored.uploads.map((upload) =>
        upload.id === id && !isRemoved(upload) ? { ...upload, ...change } : upload,
      );
  }
}

/** This page continues from memory; a later one asks the server. */
function ignoreFullDisk(): void {}

export function isUnsentUpload({ state }: QueuedUpload): boolean {
  return state === 'pending' || state === 'uploading';
}
