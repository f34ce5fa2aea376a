import type { StoredBatch } from '#device/uploads/batch-rows.ts';
import type { QueuedUpload } from '#device/uploads/queued-upload.ts';
import { isRemoved } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

/**
 * Takes a file out. The server is told, however long it cannot be reached, and what it has of it goes, too; addresses
 * that are not tus keep what they have. With the last one of a session the session is cancelled.
 */
export async function removeFile({ batch, uploads }: StoredBatch, upload: QueuedUpload): Promise<void> {
  const isLast = uploads.filter((one) => !isRemoved(one)).length === 1;
  const isOpen = batch.sessionId !== null && batch.state !== 'over' && upload.state !== 'completed';
  if (isLast && isOpen) return void (await uploadStore.updateBatch(batch.id, { state: 'cancelling' }));
  if (isOpen && upload.destination?.protocol === 'tus') await uploadStore.updateUpload(upload.id, { state: 'removed' });
  else await uploadStore.removeUpload(upload.id);
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
