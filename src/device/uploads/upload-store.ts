import type { DeviceDatabase } from '../device-database.ts';
import { deviceDatabase } from '../device-database.ts';
import type { QueuedUpload, UploadBatch, UploadDraft } from './queued-upload.ts';
import { isRemoved } from './queued-upload.ts';
import { withoutCopy } from './upload-bytes.ts';
import type { StoredBatch, UploadTransaction } from './upload-rows.ts';
import { changeUploads, UploadsInMemory } from './upload-rows.ts';

type BatchChange = Partial<Omit<UploadBatch, 'id'>>;
type UploadChange = Partial<Omit<QueuedUpload, 'id' | 'batchId' | 'position'>>;

/**
 * The uploads of this device. A batch is in the database, or in memory when the database refuses
 * it: without IndexedDB, or on a full disk.
 */
export class UploadStore {
  private readonly database: DeviceDatabase;
  private readonly memory = new UploadsInMemory();

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  /** False when the list, or a part of it, is lost with the page. */
  async isLasting(): Promise<boolean> {
    return this.memory.isEmpty() && (await this.database.isLasting());
  }

  /**
   * Adds a batch with its files. When handles cannot be stored, the files have to be chosen again
   * after a reload.
   */
  async add(batch: UploadBatch, drafts: readonly UploadDraft[]): Promise<StoredBatch> {
    const addAll = (uploads: readonly UploadDraft[]) => async (rows: UploadTransaction) => {
      await rows.putBatch(batch);
      return { batch, uploads: await putUploads(rows, batch.id, uploads) };
    };
    try {
      return await this.store(addAll, drafts);
    } catch {
      // The device has no room.
      return this.memory.change(addAll(drafts));
    }
  }

  /**
   * Adds files to a batch.
   * @returns null when the batch is deleted, or the device has no room: the files need another
   * batch
   */
  async append(batchId: string, drafts: readonly UploadDraft[]): Promise<QueuedUpload[] | null> {
    const appendAll = (uploads: readonly UploadDraft[]) => async (rows: UploadTransaction) =>
      (await rows.batch(batchId)) ? putUploads(rows, batchId, uploads) : null;
    if (this.memory.has(batchId)) return this.memory.change(appendAll(drafts));
    return this.store(appendAll, drafts).catch(() => null);
  }

  /**
   * A user's batches, the oldest first. Null: batches that were shared while nobody was signed in.
   * Batches that are still being received are left out.
   */
  async list(userId: string | null): Promise<StoredBatch[]> {
    return this.listWhere((batch) => batch.userId === userId && batch.state !== 'receiving');
  }

  /** The batches of all users whose end, or whose removed files, the server does not know yet. */
  async listEnding(): Promise<StoredBatch[]> {
    const batches = await this.listWhere(() => true);
    return batches.filter(
      ({ batch: { state }, uploads }) => state === 'completing' || state === 'cancelling' || uploads.some(isRemoved),
    );
  }

  read(batchId: string): Promise<StoredBatch | null> {
    return this.change(batchId, async (rows) => {
      const batch = await rows.batch(batchId);
      return batch ? withUploads(rows, batch) : null;
    });
  }

  /**
   * Changes a batch, and some of its files in the same transaction. A removed file stays removed.
   * @returns the batch as it is now; null when it is deleted. @throws when the device has no room
   */
  updateBatch(
    id: string,
    change: BatchChange | ((batch: UploadBatch) => BatchChange),
    files: ReadonlyMap<string, UploadChange> = new Map(),
  ): Promise<UploadBatch | null> {
    return this.change(id, async (rows) => {
      const batch = await rows.batch(id);
      if (!batch) return null;
      const changed = { ...batch, ...(typeof change === 'function' ? change(batch) : change) };
      await rows.putBatch(changed);
      for (const upload of files.size > 0 ? await rows.uploadsOf(id) : [])
        await rows.putUpload({ ...upload, ...files.get(upload.id), ...(isRemoved(upload) && { state: upload.state }) });
      return changed;
    });
  }

  /**
   * Changes a file. Its copy is deleted when it is completed or removed; a removed file does not
   * change any more.
   * @returns the file as it is now; null when it is deleted. @throws when the device has no room
   */
  updateUpload(id: string, change: UploadChange): Promise<QueuedUpload | null> {
    return this.change(id, async (rows) => {
      const upload = await rows.upload(id);
      if (!upload) return null;
      if (isRemoved(upload)) return upload;
      const isAtEnd = change.state === 'completed' || change.state === 'removed';
      if (isAtEnd) await rows.deletePieces(id);
      const changed = { ...upload, ...change };
      const left = isAtEnd ? withoutCopy(changed) : changed;
      await rows.putUpload(left);
      return left;
    });
  }

  /** Deletes a file and its copy. A batch is deleted with its last file. */
  removeUpload(id: string): Promise<void> {
    return this.change(id, async (rows) => {
      const upload = await rows.upload(id);
      if (!upload) return;
      await rows.deleteUpload(id);
      if ((await rows.uploadsOf(upload.batchId)).length === 0) await rows.deleteBatch(upload.batchId);
    });
  }

  removeBatch(id: string): Promise<void> {
    return this.change(id, (rows) => deleteWithUploads(rows, id));
  }

  /** Assigns shared files to a user. @returns null when they are deleted, or claimed already */
  claim(batchId: string, userId: string): Promise<StoredBatch | null> {
    return this.change(batchId, async (rows) => {
      const batch = await rows.batch(batchId);
      if (!batch || batch.userId !== null) return null;
      const claimed = { ...batch, userId, keptUntil: null };
      await rows.putBatch(claimed);
      return withUploads(rows, claimed);
    });
  }

  /** Deletes shared files that nobody has claimed. */
  discard(batchId: string): Promise<void> {
    return this.change(batchId, async (rows) => {
      const batch = await rows.batch(batchId);
      if (batch?.userId === null) await deleteWithUploads(rows, batchId);
    });
  }

  /**
   * Deletes a user's keys at sign-out: anyone who reads a key can use the session's upload URLs.
   */
  async forgetKeys(userId: string): Promise<void> {
    await this.changeAll(async (rows) => {
      for (const batch of await rows.batches())
        if (batch.userId === userId && batch.key !== null) await rows.putBatch({ ...batch, key: null });
    });
  }

  /**
   * Deletes batches whose time (`sweepTime`) is over. Older builds wrote the plan of an owner behind
   * the id: it is removed, as nobody has such an id.
   */
  async sweep(time: number): Promise<void> {
    await this.changeAll(async (rows) => {
      for (const batch of await rows.batches()) {
        const { id, keptUntil } = batch;
        const [userId = null] = batch.userId?.split(' ') ?? [];
        if (keptUntil !== null && keptUntil <= time) await deleteWithUploads(rows, id);
        else if (userId !== batch.userId) await rows.putBatch({ ...batch, userId });
      }
    });
  }

  private async listWhere(fits: (batch: UploadBatch) => boolean): Promise<StoredBatch[]> {
    const found = await this.changeAll(async (rows) => {
      const batches = (await rows.batches()).filter(fits);
      return Promise.all(batches.map((batch) => withUploads(rows, batch)));
    });
    return ([] as StoredBatch[]).concat(...found).sort((a, b) => a.batch.createdAt - b.batch.createdAt);
  }

  private async store<Result>(
    addAll: (uploads: readonly UploadDraft[]) => (rows: UploadTransaction) => Promise<Result>,
    drafts: readonly UploadDraft[],
  ): Promise<Result> {
    const addTo = (uploads: readonly UploadDraft[]) =>
      this.database.run(
        (connection) => changeUploads(connection, addAll(uploads)),
        () => this.memory.change(addAll(uploads)),
      );
    try {
      return await addTo(drafts);
    } catch (error) {
      if (!(error instanceof DOMException) || error.name !== 'DataCloneError') throw error;
      return addTo(drafts.map(withoutHandle));
    }
  }

  /** Changes one batch or file, in memory or in the database. `id` is that of the batch or file. */
  private change<Result>(id: string, work: (rows: UploadTransaction) => Promise<Result>): Promise<Result> {
    return this.memory.has(id) ? this.memory.change(work) : this.changeStored(work);
  }

  /** Changes the stored uploads and those in memory. */
  private async changeAll<Result>(work: (rows: UploadTransaction) => Promise<Result>): Promise<Result[]> {
    const stored = await this.database.run(
      async (connection) => [await changeUploads(connection, work)],
      () => [],
    );
    return [...stored, await this.memory.change(work)];
  }

  private changeStored<Result>(work: (rows: UploadTransaction) => Promise<Result>): Promise<Result> {
    return this.database.run(
      (connection) => changeUploads(connection, work),
      () => this.memory.change(work),
    );
  }
}

export const uploadStore = new UploadStore(deviceDatabase);

async function putUploads(
  rows: UploadTransaction,
  batchId: string,
  drafts: readonly UploadDraft[],
): Promise<QueuedUpload[]> {
  const before = await rows.uploadsOf(batchId);
  const first = (before[before.length - 1]?.position ?? -1) + 1;
  const uploads = drafts.map((draft, at) => ({ ...draft, batchId, position: first + at }));
  for (const upload of uploads) await rows.putUpload(upload);
  return uploads;
}

async function withUploads(rows: UploadTransaction, batch: UploadBatch): Promise<StoredBatch> {
  return { batch, uploads: await rows.uploadsOf(batch.id) };
}

async function deleteWithUploads(rows: UploadTransaction, batchId: string): Promise<void> {
  for (const { id } of await rows.uploadsOf(batchId)) await rows.deleteUpload(id);
  await rows.deleteBatch(batchId);
}

function withoutHandle(draft: UploadDraft): UploadDraft {
  return draft.source.kind === 'handle' ? { ...draft, source: { kind: 'picked-again' } } : draft;
}
