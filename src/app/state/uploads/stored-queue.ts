import { failures } from '#contract/failures.ts';
import { now } from '#device/timers.ts';
import { askPermission, isSameFile, trustFile } from '#device/uploads/open-bytes.ts';
import type { QueuedUpload, Rejection, UploadBatch } from '#device/uploads/queued-upload.ts';
import { isRemoved, newBatch } from '#device/uploads/queued-upload.ts';
import type { StoredBatch } from '#device/uploads/upload-rows.ts';
import { uploadStore } from '#device/uploads/upload-store.ts';
import { pickedFiles, storePickedFiles } from './picked-files.ts';
import { tagChoices } from './upload-display.ts';
import type { UploadRunner } from './upload-runner.ts';
import { currentRunner } from './upload-session.ts';
import type { PickedFile, UploadQueue } from './uploads-state.ts';
import { uploads } from './uploads-state.ts';

interface Found {
  stored: StoredBatch;
  upload: QueuedUpload;
}

/**
 * Each action changes the stored uploads; the tab that sends, this one or another, is notified.
 * While nobody is signed in, no action has an effect.
 */
class StoredQueue implements UploadQueue {
  async add(files: readonly PickedFile[]): Promise<Rejection[]> {
    const runner = await currentRunner();
    if (!runner) throw new Error(failures.signInToUpload);
    const { ids, refused } = await storePickedFiles(runner.userId, files);
    await runner.changed();
    pickedFiles.prepare(ids, () => void runner.changed());
    return refused;
  }

  start(): Promise<void> {
    uploads.startFailure = null;
    return this.changeBatches(async ({ batch }) => {
      if (batch.state === 'draft') await uploadStore.updateBatch(batch.id, { state: 'open' });
    });
  }

  pause = (id: string) => this.changeOne(id, ({ upload }) => this.setPaused(upload, true));

  resume = (id: string) => this.changeOne(id, ({ upload }) => this.setPaused(upload, false));

  pauseAll = () => this.changeAll((upload) => this.setPaused(upload, true));

  resumeAll = () => this.changeAll((upload) => this.setPaused(upload, false));

  retry(id: string): Promise<void> {
    return this.changeOne(id, async ({ stored, upload }) => {
      if (upload.state === 'failed') await retryUpload(stored.batch, upload);
    });
  }

  remove = (id: string) => this.changeOne(id, ({ stored, upload }) => removeFile(stored, upload));

  clearCompleted(): Promise<void> {
    return this.changeAll(async ({ id, state }) => {
      if (state === 'completed') await uploadStore.removeUpload(id);
    });
  }

  clearAll = () => this.changeBatches(removeBatch);

  async pickAgain(id: string, { file, handle }: PickedFile): Promise<string | null> {
    const runner = await currentRunner();
    const found = await this.find(runner, id);
    if (!runner || !found) return null;
    const { upload } = found;
    if (!(await isTheSame(upload, file))) return failures.otherFile(upload.name);
    await pickedFiles.hold(id, file);
    if (handle) await uploadStore.updateUpload(id, { source: { kind: 'handle', handle } }).catch(ignoreUnstorable);
    runner.goOnWith(id, file);
    pickedFiles.prepare([id], () => void runner.changed());
    return null;
  }

  async askPermission(id: string): Promise<boolean> {
    const runner = await currentRunner();
    const found = await this.find(runner, id);
    const isGiven = found !== null && (await askPermission(found.upload));
    if (isGiven) runner?.goOnWith(id, null);
    return isGiven;
  }

  async setTags(tagIds: readonly string[]): Promise<void> {
    uploads.tagIds = [...tagIds];
    tagChoices.pending += 1;
    try {
      await this.changeBatches(async ({ batch: { id, state } }) => {
        if (state === 'draft' || state === 'open') await uploadStore.updateBatch(id, { tagIds: [...tagIds] });
      });
    } finally {
      tagChoices.pending -= 1;
    }
  }

  async claimShared(batchId: string): Promise<Rejection[]> {
    const runner = await currentRunner();
    const claimed = runner && (await uploadStore.claim(batchId, runner.userId));
    if (!claimed) return [];
    // A batch whose files were all refused has only their reasons.
    if (claimed.uploads.length === 0) await uploadStore.removeBatch(batchId);
    else await uploadStore.updateBatch(batchId, { rejections: [] });
    await runner.changed();
    return claimed.batch.rejections;
  }

  async discardShared(batchId: string): Promise<void> {
    await uploadStore.discard(batchId);
    await (await currentRunner())?.changed();
  }

  private async setPaused({ id, state }: QueuedUpload, isPaused: boolean): Promise<void> {
    if (state === 'pending' || state === 'uploading') await uploadStore.updateUpload(id, { isPaused });
  }

  private changeAll(change: (upload: QueuedUpload) => Promise<void>): Promise<void> {
    return this.changeBatches(async (stored) => {
      for (const upload of stored.uploads) await change(upload);
    });
  }

  private async changeBatches(change: (stored: StoredBatch) => Promise<void>): Promise<void> {
    const runner = await currentRunner();
    if (!runner) return;
    for (const stored of await uploadStore.list(runner.userId)) await change(stored);
    await runner.changed();
  }

  private async changeOne(id: string, change: (found: Found) => Promise<unknown>): Promise<void> {
    const runner = await currentRunner();
    const found = await this.find(runner, id);
    if (!found) return;
    await change(found);
    await runner?.changed();
  }

  /** Finds one of the signed-in user's own files. */
  private async find(runner: UploadRunner | null, id: string): Promise<Found | null> {
    const batches = runner ? await uploadStore.list(runner.userId) : [];
    for (const stored of batches) {
      const upload = stored.uploads.find((one) => one.id === id);
      if (upload) return { stored, upload };
    }
    return null;
  }
}

/**
 * Whether a file is the one chosen before. A file whose identity is unknown has not been sent
 * either: only its size is compared.
 */
async function isTheSame(upload: QueuedUpload, file: File): Promise<boolean> {
  if (!upload.identity) return file.size === upload.size && upload.acknowledgedBytes === 0;
  const bytes = await trustFile(file).catch(() => null);
  return bytes !== null && isSameFile(upload, bytes).catch(() => false);
}

/** The file can be read for as long as the page is open. */
function ignoreUnstorable(): void {}

export const storedQueue: UploadQueue = new StoredQueue();

/**
 * Makes a failed file wait again. If its session is over, it gets another one, in a batch of its
 * own.
 */
async function retryUpload(batch: UploadBatch, upload: QueuedUpload): Promise<void> {
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

/**
 * Removes a file. The server is notified as soon as it can be reached, and deletes its part of the
 * file; destinations that are not tus keep it. Removing the last file of a session cancels the
 * session.
 */
async function removeFile({ batch, uploads }: StoredBatch, upload: QueuedUpload): Promise<void> {
  const isLast = uploads.filter((one) => !isRemoved(one)).length === 1;
  const isOpen = isBegun(batch) && upload.state !== 'completed';
  if (isLast && isOpen) return void (await uploadStore.updateBatch(batch.id, { state: 'cancelling' }));
  const isKept = batch.sessionId === null || upload.destination?.protocol === 'tus';
  if (isOpen && isKept) await uploadStore.updateUpload(upload.id, { state: 'removed' });
  else await uploadStore.removeUpload(upload.id);
}

/** Whether the server may know a batch: its session is open, or is being opened. */
function isBegun({ state }: UploadBatch): boolean {
  return state !== 'draft' && state !== 'over';
}

/** Removes all files of a batch. */
async function removeBatch({ batch }: StoredBatch): Promise<void> {
  if (!isBegun(batch)) await uploadStore.removeBatch(batch.id);
  else await uploadStore.updateBatch(batch.id, { state: 'cancelling' });
}

/** Discards the uploads of a deleted account, which nobody can send. */
export async function discardUploads(userId: string): Promise<void> {
  for (const { batch } of await uploadStore.list(userId)) await uploadStore.removeBatch(batch.id);
}
