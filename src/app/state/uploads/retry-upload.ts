import { now } from '#app/platform/timers.ts';
import { newBatch } from '#device/uploads/new-upload.ts';
import type { QueuedUpload, UploadBatch } from '#device/uploads/queued-upload.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';

/** A failed file waits again. One whose session is over gets another one, in a batch of its own. */
export async function retryUpload(batch: UploadBatch, upload: QueuedUpload): Promise<void> {
  const again = { state: 'pending', attempts: 0, nextAttemptAt: 0, message: null } as const;
  const hasSession = batch.state !== 'over' && upload.destination !== null;
  if (hasSession || batch.sessionId === null) {
    await uploadStore.updateUpload(upload.id, again);
    if (batch.state === 'over') await uploadStore.updateBatch(batch.id, { state: 'open', sessionId: null, key: null });
    return;
  }
  const own = newBatch({ userId: batch.userId, createdAt: now(), state: 'open', tagIds: batch.tagIds });
  await uploadStore.add(own, [{ ...upload, ...again, destination: null, acknowledgedBytes: 0 }]);
  const left = await uploadStore.read(batch.id);
  if (left?.uploads.length === 0) await uploadStore.removeBatch(batch.id);
}
