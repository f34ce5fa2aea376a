import type { DeviceDatabase } from '../device-database.ts';
import { deviceDatabase } from '../device-database.ts';
import type { QueuedUpload, UploadBatch, UploadDraft } from './queued-upload.ts';
import { isRemoved } from './queued-upload.ts';
import { withoutCopy } from './upload-bytes.ts';
import type { StoredBatch, UploadRows } from './upload-rows.ts';
import {
  changeUploads,
  deleteWithUploads,
  putUploads,
  UploadsInMemory,
  withoutHandle,
  withUploads,
} from './upload-rows.ts';

type BatchChange = Partial<Omit<UploadBatch, 'id'>>;
type UploadChange = Partial<Omit<QueuedUpload, 'id' | 'batchId' | 'position'>>;

/**
 * What this device has to send. A batch is in the database, or in memory where that refuses it: without IndexedDB, and
 * on a full disk.
 */
export class UploadStore {
  private readonly database: DeviceDatabase;
  private readonly memory = new UploadsInMemory();

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  /** False: what is listed, or a part of it, ends with the page. */
  async isLasting(): Promise<boolean> {
    return this.memory.isEmpty() && (await this.database.isLasting());
  }

  /** A new batch with its files. Where handles cannot be stored, the files have to be picked again after a reload. */
  async add(batch: UploadBatch, drafts: readonly UploadDraft[]): Promise<StoredBatch> {
    const addAll = (uploads: readonly UploadDraft[]) => async (rows: UploadRows) => {
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
   * Further files of a batch.
   * @returns null where the batch is gone, or the device has no room: they need a batch of their own
   */
  async append(batchId: string, drafts: readonly UploadDraft[]): Promise<QueuedUpload[] | null> {
    const appendAll = (uploads: readonly UploadDraft[]) => async (rows: UploadRows) =>
      (await rows.batch(batchId)) ? putUploads(rows, batchId, uploads) : null;
    if (this.memory.has(batchId)) return this.memory.change(appendAll(drafts));
    return this.store(appendAll, drafts).catch(() => null);
  }

  /**
   * A user's batches, the first one first. Null: those that were shared while nobody was signed in; not one that is still
   * coming.
   */
  async list(userId: string | null): Promise<StoredBatch[]> {
    return this.listWhere((batch) => batch.userId === userId && batch.state !== 'receiving');
  }

  /** Of whomever: of which, or of files of which, the server is still to be told. */
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

  /** @returns it as it is now; null when it is gone. @throws where the device has no room */
  updateBatch(id: string, change: BatchChange | ((batch: UploadBatch) => BatchChange)): Promise<UploadBatch | null> {
    return this.change(id, async (rows) => {
      const batch = await rows.batch(id);
      if (!batch) return null;
      const changed = { ...batch, ...(typeof change === 'function' ? change(batch) : change) };
      await rows.putBatch(changed);
      return changed;
    });
  }

  /**
   * What was copied of a file goes when it is completed or taken out; from then on, nothing else becomes of the latter.
   * @returns it as it is now; null when it is gone. @throws where the device has no room
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

  /** With what was copied of it. A batch goes with its last file. */
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

  /** Makes shared files somebody's own. @returns null where they are gone, or somebody has claimed them already */
  claim(batchId: string, userId: string): Promise<StoredBatch | null> {
    return this.change(batchId, async (rows) => {
      const batch = await rows.batch(batchId);
      if (!batch || batch.userId !== null) return null;
      const claimed = { ...batch, userId, keptUntil: null };
      await rows.putBatch(claimed);
      return withUploads(rows, claimed);
    });
  }

  /** Shared files that nobody wants; what somebody has claimed stays. */
  discard(batchId: string): Promise<void> {
    return this.change(batchId, async (rows) => {
      const batch = await rows.batch(batchId);
      if (batch?.userId === null) await deleteWithUploads(rows, batchId);
    });
  }

  /** At sign-out: the session's key opens its addresses to whoever reads it. */
  async forgetKeys(userId: string): Promise<void> {
    await this.changeAll(async (rows) => {
      for (const batch of await rows.batches())
        if (batch.userId === userId && batch.key !== null) await rows.putBatch({ ...batch, key: null });
    });
  }

  /** Drops what is over by now. */
  async sweep(now: number): Promise<void> {
    await this.changeAll(async (rows) => {
      for (const { id, keptUntil } of await rows.batches())
        if (keptUntil !== null && keptUntil <= now) await deleteWithUploads(rows, id);
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
    addAll: (uploads: readonly UploadDraft[]) => (rows: UploadRows) => Promise<Result>,
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

  /** `id`: of the batch or of the file that is changed. */
  private change<Result>(id: string, work: (rows: UploadRows) => Promise<Result>): Promise<Result> {
    return this.memory.has(id) ? this.memory.change(work) : this.changeStored(work);
  }

  /** What of it is stored, and what is in memory. */
  private async changeAll<Result>(work: (rows: UploadRows) => Promise<Result>): Promise<Result[]> {
    const stored = await this.database.run(
      async (connection) => [await changeUploads(connection, work)],
      () => [],
    );
    return [...stored, await this.memory.change(work)];
  }

  private changeStored<Result>(work: (rows: UploadRows) => Promise<Result>): Promise<Result> {
    return this.database.run(
      (connection) => changeUploads(connection, work),
      () => this.memory.change(work),
    );
  }
}

export const uploadStore = new UploadStore(deviceDatabase);
