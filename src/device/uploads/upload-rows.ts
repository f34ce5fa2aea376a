import type { IDBPTransaction } from 'idb';
import type { Connection } from '../database/device-database.ts';
import type { DeviceSchema, Piece } from '../database/schema.ts';
import type { QueuedUpload, UploadBatch } from './queued-upload.ts';

/** Batches, their files and the pieces of our copies within one change, in the database or in memory. */
export interface UploadRows {
  batches(): Promise<UploadBatch[]>;
  batch(id: string): Promise<UploadBatch | undefined>;
  putBatch(batch: UploadBatch): Promise<unknown>;
  /** Its files are deleted one by one. */
  deleteBatch(id: string): Promise<void>;
  /** In the order of their positions. */
  uploadsOf(batchId: string): Promise<QueuedUpload[]>;
  upload(id: string): Promise<QueuedUpload | undefined>;
  putUpload(upload: QueuedUpload): Promise<unknown>;
  /** With what was copied of it. */
  deleteUpload(id: string): Promise<void>;
  putPiece(piece: Piece): Promise<unknown>;
  deletePieces(uploadId: string): Promise<void>;
}

const stores = ['upload-batches', 'uploads', 'upload-pieces'] as const;

type Transaction = IDBPTransaction<DeviceSchema, typeof stores, 'readwrite'>;

/**
 * Changes all that is stored of uploads in one transaction, or nothing of it. Resolves once it is committed; `work`
 * awaits nothing but its rows.
 */
export async function changeUploads<Result>(
  connection: Connection,
  work: (rows: UploadRows) => Promise<Result>,
): Promise<Result> {
  const transaction: Transaction = connection.transaction(stores, 'readwrite');
  const working = work(rowsIn(transaction)).catch((error: unknown) => {
    abort(transaction);
    throw error;
  });
  // Together: an abort rejects both, and none of them may be left unhandled.
  const [result] = await Promise.all([working, transaction.done]);
  return result;
}

/** A value that cannot be stored fails its `put` alone, and what was put before it would be committed. */
function abort(transaction: Transaction): void {
  try {
    transaction.abort();
  } catch {
    // it has ended by itself
  }
}

function rowsIn(transaction: Transaction): UploadRows {
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

/** All keys that begin with this id: an array comes after every number. */
function rangeOf(id: string): IDBKeyRange {
  return IDBKeyRange.bound([id], [id, []]);
}
