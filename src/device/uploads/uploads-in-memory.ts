import type { QueuedUpload, UploadBatch } from './queued-upload.ts';
import type { UploadRows } from './upload-rows.ts';

/** What this device could not store, for as long as the page lives. Nothing is copied: the files are in memory, too. */
export class UploadsInMemory implements UploadRows {
  private readonly batchesById = new Map<string, UploadBatch>();
  private readonly uploadsById = new Map<string, QueuedUpload>();
  private last: Promise<unknown> = Promise.resolve();

  /** Whether it holds a batch or a file of this id. */
  has(id: string): boolean {
    return this.batchesById.has(id) || this.uploadsById.has(id);
  }

  isEmpty(): boolean {
    return this.batchesById.size === 0;
  }

  /** One after another, as transactions are. */
  change<Result>(work: (rows: UploadRows) => Promise<Result>): Promise<Result> {
    const result = this.last.then(() => work(this));
    this.last = result.catch(() => {}); // its caller handles the failure
    return result;
  }

  async batches(): Promise<UploadBatch[]> {
    return [...this.batchesById.values()];
  }

  async batch(id: string): Promise<UploadBatch | undefined> {
    return this.batchesById.get(id);
  }

  async putBatch(batch: UploadBatch): Promise<void> {
    this.batchesById.set(batch.id, batch);
  }

  async deleteBatch(id: string): Promise<void> {
    this.batchesById.delete(id);
  }

  async uploadsOf(batchId: string): Promise<QueuedUpload[]> {
    return [...this.uploadsById.values()]
      .filter((upload) => upload.batchId === batchId)
      .sort((a, b) => a.position - b.position);
  }

  async upload(id: string): Promise<QueuedUpload | undefined> {
    return this.uploadsById.get(id);
  }

  async putUpload(upload: QueuedUpload): Promise<void> {
    this.uploadsById.set(upload.id, upload);
  }

  async deleteUpload(id: string): Promise<void> {
    this.uploadsById.delete(id);
  }

  async putPiece(): Promise<void> {
    throw new Error('Memory holds no copies of files');
  }

  async deletePieces(): Promise<void> {}
}
