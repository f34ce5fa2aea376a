import type { UploadDraft } from './new-upload.ts';
import type { QueuedUpload, UploadBatch } from './queued-upload.ts';
import type { UploadRows } from './upload-rows.ts';

export interface StoredBatch {
  batch: UploadBatch;
  /** In their order. */
  uploads: QueuedUpload[];
}

export async function putUploads(
  rows: UploadRows,
  batchId: string,
  drafts: readonly UploadDraft[],
): Promise<QueuedUpload[]> {
  const before = await rows.uploadsOf(batchId);
  const first = (before[before.length - 1]?.position ?? -1) + 1;
  const uploads = drafts.map((draft, at) => ({ ...draft, batchId, position: first + at }));
  for (const upload of uploads) await rows.putUpload(upload);
  return uploads;
}

export async function withUploads(rows: UploadRows, batch: UploadBatch): Promise<StoredBatch> {
  return { batch, uploads: await rows.uploadsOf(batch.id) };
}

export async function deleteWithUploads(rows: UploadRows, batchId: string): Promise<void> {
  for (const { id } of await rows.uploadsOf(batchId)) await rows.deleteUpload(id);
  await rows.deleteBatch(batchId);
}

export function withoutHandle(draft: UploadDraft): UploadDraft {
  return draft.source.kind === 'handle' ? { ...draft, source: { kind: 'picked-again' } } : draft;
}
