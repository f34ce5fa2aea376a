import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { newBatch, newUpload } from '#device/uploads/queued-upload.ts';

/** Files of a batch, each with what is said of it. */
export function uploads(batchId: string, ...files: Array<Partial<QueuedUpload> & { name: string }>) {
  return files.map((facts) => ({
    ...newUpload(
      { name: facts.name, size: 10, type: 'video/mp4', lastModified: 0 },
      { batchId, source: { kind: 'picked-again' }, createdAt: 0 },
    ),
    id: facts.name,
    ...facts,
  }));
}

export function batch(id: string, facts: Partial<UploadBatch> = {}): UploadBatch {
  return { ...newBatch({ userId: 'ana', createdAt: 0 }), id, ...facts };
}
