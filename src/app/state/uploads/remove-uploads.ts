import { fetchWithinLimit } from '#app/platform/http/fetch-within-limit.ts';
import { limits } from '#contract/limits.ts';
import type { StoredBatch } from '#device/uploads/batch-rows.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

/** Takes a file out; what the server has of it goes, too. With the last one of a session the session is cancelled. */
export async function removeFile({ batch, uploads }: StoredBatch, upload: QueuedUpload): Promise<void> {
  const isLast = uploads.length === 1;
  const isOpen = batch.sessionId !== null && batch.state !== 'over' && upload.state !== 'completed';
  if (isLast && isOpen) return void (await uploadStore.updateBatch(batch.id, { state: 'cancelling' }));
  await uploadStore.removeUpload(upload.id);
  if (isOpen && batch.key !== null) void endAddress(upload, batch.key);
}

/** Takes all files of a batch out. */
export async function removeBatch({ batch }: StoredBatch): Promise<void> {
  if (batch.sessionId === null || batch.state === 'over') await uploadStore.removeBatch(batch.id);
  else await uploadStore.updateBatch(batch.id, { state: 'cancelling' });
}

/** Of somebody whose account is deleted: nobody can send them. */
export async function discardUploads(userId: string): Promise<void> {
  for (const { batch } of await uploadStore.list(userId)) await uploadStore.removeBatch(batch.id);
}

/** By tus; other addresses keep what they have. Without an answer the session's age ends it. */
async function endAddress({ destination }: QueuedUpload, key: string): Promise<void> {
  if (destination?.protocol !== 'tus') return;
  const headers = { AccessKey: key, 'Tus-Resumable': '1.0.0' };
  const options = { method: 'DELETE', headers };
  await fetchWithinLimit(destination.address, options, limits.callTimeoutSeconds).catch(() => {});
}
