import { newRandomId } from '../random-id.ts';
import type { QueuedUpload, UploadBatch, UploadSource } from './queued-upload.ts';

/** A file before the store has given it its place. */
export type UploadDraft = Omit<QueuedUpload, 'position'>;

/** A batch of files that were chosen, and are not sent yet. */
export function newBatch(facts: Pick<UploadBatch, 'userId' | 'createdAt'> & Partial<UploadBatch>): UploadBatch {
  return {
    id: newRandomId(),
    state: 'draft',
    sessionId: null,
    key: null,
    tagIds: [],
    keptUntil: null,
    rejections: [],
    ...facts,
  };
}

/** A file of a batch; nothing of it was copied or sent. */
export function newUpload(
  { name, size, type, lastModified }: Pick<File, 'name' | 'size' | 'type' | 'lastModified'>,
  facts: { batchId: string; source: UploadSource; createdAt: number },
): UploadDraft {
  return {
    id: newRandomId(),
    name,
    size,
    type,
    lastModified,
    identity: null,
    stagedBytes: 0,
    destination: null,
    acknowledgedBytes: 0,
    state: 'pending',
    isPaused: false,
    attempts: 0,
    nextAttemptAt: 0,
    message: null,
    videoId: null,
    ...facts,
  };
}
