import type { IDBPTransaction } from 'idb';
import type { Connection } from '../device-database.ts';
import type { DeviceSchema, Piece } from '../device-schema.ts';
import type { QueuedUpload, UploadBatch } from './queued-upload.ts';

/**
 * Batches, their files and the pieces of copies within one change, in the database or in memory.
 */
export interface UploadTransaction {
  batches(): Promise<UploadBatch[]>;
  batch(id: string): Promise<UploadBatch | undefined>;
  putBatch(batch: UploadBatch): Promise<unknown>;
  /** Deletes the batch only; its files are deleted separately. */
  deleteBatch(id: string): Promise<void>;
  /** A batch's files in the order of their positions. */
  uploadsOf(batchId: string): Promise<QueuedUpload[]>;
  upload(id: string): Promise<QueuedUpload | undefined>;
  putUpload(upload: QueuedUpload): Promise<unknown>;
  /** Deletes the file and its copy. */
  deleteUpload(id: string): Promise<void>;
  putPiece(piece: Piece): Promise<unknown>;
  deletePieces(uploadId: string): Promise<void>;
}

const stores = ['upload-batches', 'uploads', 'upload-pieces'] as const;

type Transaction = IDBPTransaction<DeviceSchema, typeof stores, 'readwrite'>;

/**
 * Changes stored uploads in a single transaction, or not at all. Resolves when it is committed;
 * `work` must await nothing but its rows.
 */
export async function changeUploads<Result>(
  connection: Connection,
  work: (rows: UploadTransaction) => Promise<Result>,
): Promise<Result> {
  const transaction: Transaction = connection.transaction(stores, 'readwrite');
  const working = work(rowsIn(transaction)).catch((error: unknown) => {
    abort(transaction);
    throw error;
  });
  // An abort rejects both: awaited together, neither rejection is left unhandled.
  const [result] = await Promise.all([working, transaction.done]);
  return result;
}

/**
 * Aborts the transaction. A value that cannot be stored fails only its own `put`, and earlier ones
 * would be committed.
 */
function abort(transaction: Transaction): void {
  try {
    transaction.abort();
  } catch {
    // it has ended by itself
  }
}

function rowsIn(transaction: Transaction): UploadTransaction {
  const batches = transaction.objectStore('upload-batches');
  const uploads = transaction.objectStore('uploads');
  const pieces = transaction.objectStore('upload-pieces');
  const deletePieces = (uploadId: string) => pieces.delete(rangeOf(uploadId));
  return {
    batches: () => batches.getAll(),
    batch: (id) => batches.get(id),
    putBatch: (batch) => batches.put(batch),
    deleteBatch: (id) => batches.delete(id),
    uploadsOf: (batchId) => uploads.index('by-batch').getAll(rangeOf(batchId)),
    upload: (id) => uploads.get(id),
    putUpload: (upload) => uploads.put(upload),
    deleteUpload: async (id) => {
      await deletePieces(id);
      await uploads.delete(id);
    },
    putPiece: (piece) => pieces.put(piece),
    deletePieces,
  };
}

/**
 * The range of all keys that begin with this id: in IndexedDB an array sorts after every number.
 */
function rangeOf(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []]);
}

export interface StoredBatch {
  batch: UploadBatch;
  /** The batch's files, in order. */
  uploads: QueuedUpload[];
}

/**
 * The uploads that the device could not store, for the life of the page. They are not copied: the
 * files are in memory, too.
 */
export class UploadsInMemory implements UploadTransaction {
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

  /** Runs changes one after another, as transactions do. */
  change<Result>(work: (rows: UploadTransaction) => Promise<Result>): Promise<Result> {
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
