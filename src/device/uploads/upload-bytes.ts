import { limits } from '#contract/limits.ts';
import type { DeviceDatabase } from '../device-database.ts';
import { deviceDatabase } from '../device-database.ts';
import type { QueuedUpload } from './queued-upload.ts';
import { changeUploads } from './upload-rows.ts';

/** The bytes of a file that is to be sent. */
export interface UploadBytes {
  readonly size: number;
  /**
   * The bytes from `start` up to, but not including, `end`. @throws when they cannot be read any
   * more
   */
  slice(start: number, end: number): Promise<Blob>;
}

/** A file that the browser reads itself. */
export class FileBytes implements UploadBytes {
  readonly size: number;
  private readonly file: Blob;

  constructor(file: Blob) {
    this.file = file;
    this.size = file.size;
  }

  async slice(start: number, end: number): Promise<Blob> {
    return this.file.slice(start, end);
  }
}

/**
 * The stored copy of a file. The browser keeps the contents of a slice outside of the script's
 * memory, and large ones on disk: callers request parts.
 */
export class StagedBytes implements UploadBytes {
  readonly size: number;
  private readonly id: string;
  private readonly pieces: UploadPieces;

  constructor({ id, size }: Pick<QueuedUpload, 'id' | 'size'>, pieces: UploadPieces) {
    this.id = id;
    this.size = size;
    this.pieces = pieces;
  }

  async slice(start: number, end: number): Promise<Blob> {
    const parts: Blob[] = [];
    const last = Math.min(end, this.size);
    for (let at = start; at < last; ) {
      const piece = await this.readPiece(Math.floor(at / limits.stagedPieceBytes));
      const offset = at % limits.stagedPieceBytes;
      const part = piece.slice(offset, offset + last - at);
      parts.push(part);
      at += part.size;
    }
    return new Blob(parts);
  }

  /** @throws when the piece is missing, or has another length */
  private async readPiece(index: number): Promise<Blob> {
    const bytes = await this.pieces.read(this.id, index);
    const length = Math.min(limits.stagedPieceBytes, this.size - index * limits.stagedPieceBytes);
    if (bytes?.byteLength !== length) throw new Error('The copy of this file is incomplete');
    return new Blob([bytes]);
  }
}

/**
 * Reads a blob; `Blob.arrayBuffer` requires Chromium 76. @throws when the browser has lost its
 * bytes
 */
export async function readBlob(blob: Blob): Promise<ArrayBuffer> {
  const bytes = await new Response(blob).arrayBuffer();
  // Safari reads lost files as empty ones.
  if (bytes.byteLength !== blob.size) throw new Error('The file cannot be read any more');
  return bytes;
}

/** The storage manager, absent on plain-http pages; `estimate` requires Safari 17. */
interface Storage {
  estimate?(): Promise<StorageEstimate>;
  /** Available in pages, not in workers. */
  persist?(): Promise<boolean>;
}

/** Copies files that could not be read again after a reload, piece by piece. */
export class Staging {
  private readonly pieces: UploadPieces;
  private readonly storage: Storage;

  constructor(pieces: UploadPieces = uploadPieces, storage: Storage = navigator.storage ?? {}) {
    this.pieces = pieces;
    this.storage = storage;
  }

  /**
   * Whether the rest of a copy of this file fits. A file with a stored handle is copied only when
   * the browser promises to keep the app's data.
   */
  async hasRoom({ size, stagedBytes, source }: QueuedUpload): Promise<boolean> {
    if (size > limits.stagedFileBytes || !(await this.pieces.isLasting())) return false;
    if (size - stagedBytes > (await this.free()) * limits.stagedQuotaShare) return false;
    return source.kind !== 'handle' || (await this.isKept());
  }

  /**
   * Copies the rest of a file until it is complete or `signal` aborts; the next call continues from
   * there. A copy for which there is no room after all is deleted.
   * @returns the file as it is then; null when it cannot be copied: it is deleted or only in
   * memory, or another tab copies it
   */
  async stage(upload: QueuedUpload, bytes: UploadBytes, signal?: AbortSignal): Promise<QueuedUpload | null> {
    let staged: QueuedUpload | null = upload;
    try {
      while (staged && staged.stagedBytes < staged.size && !signal?.aborted)
        staged = await this.addPiece(staged, bytes);
      return staged;
    } catch (error) {
      await this.pieces.drop(upload.id);
      throw error;
    }
  }

  /** The bytes available for the copy of another file; 0 when copies do not outlive the page. */
  async roomForCopy(): Promise<number> {
    if (!(await this.pieces.isLasting())) return 0;
    return Math.min(limits.stagedFileBytes, (await this.free()) * limits.stagedQuotaShare);
  }

  private async addPiece(upload: QueuedUpload, bytes: UploadBytes): Promise<QueuedUpload | null> {
    const { id, stagedBytes, size } = upload;
    const end = Math.min(size, stagedBytes + limits.stagedPieceBytes);
    return this.pieces.add(id, stagedBytes, await readBlob(await bytes.slice(stagedBytes, end)));
  }

  /** The bytes that the browser still grants to the app; infinite when it does not say. */
  private async free(): Promise<number> {
    const { quota = Number.POSITIVE_INFINITY, usage = 0 } = (await this.storage.estimate?.().catch(() => null)) ?? {};
    return Math.max(0, quota - usage);
  }

  /**
   * Requests persistent storage. Browsers that have file handles decide this without asking the
   * user.
   */
  private async isKept(): Promise<boolean> {
    return (await this.storage.persist?.().catch(() => false)) ?? false;
  }
}

/**
 * The stored copies of files, in pieces: single records of more than about 100 MiB fail in several
 * engines.
 */
export class UploadPieces {
  private readonly database: DeviceDatabase;

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  /** False when there is no database: memory holds no copies. */
  isLasting(): Promise<boolean> {
    return this.database.isLasting();
  }

  /**
   * Adds the next piece. With the last one, the copy becomes the source of the bytes.
   * @param start of `bytes` in the file
   * @returns the file as it is now; null when it is deleted, or the copy no longer ends at `start`
   * @throws when the device has no room
   */
  add(uploadId: string, start: number, bytes: ArrayBuffer): Promise<QueuedUpload | null> {
    return this.database.run<QueuedUpload | null>(
      (connection) =>
        changeUploads(connection, async (rows) => {
          const upload = await rows.upload(uploadId);
          if (upload?.stagedBytes !== start) return null;
          const index = start / limits.stagedPieceBytes;
          await rows.putPiece({ ownerId: uploadId, index, bytes });
          const grown = withCopy(upload, start + bytes.byteLength);
          await rows.putUpload(grown);
          return grown;
        }),
      () => null,
    );
  }

  /** Reads a piece; null when it is missing. */
  async read(uploadId: string, index: number): Promise<ArrayBuffer | null> {
    const piece = await this.database.run(
      (connection) => connection.get('upload-pieces', [uploadId, index]),
      () => undefined,
    );
    return piece?.bytes ?? null;
  }

  /** Deletes a copy. If it was the source of the bytes, the file has to be chosen again. */
  async drop(uploadId: string): Promise<void> {
    await this.database.run(
      (connection) =>
        changeUploads(connection, async (rows) => {
          await rows.deletePieces(uploadId);
          const upload = await rows.upload(uploadId);
          if (upload) await rows.putUpload(withoutCopy(upload));
        }),
      () => undefined,
    );
  }
}

function withCopy(upload: QueuedUpload, stagedBytes: number): QueuedUpload {
  return { ...upload, stagedBytes, source: stagedBytes === upload.size ? { kind: 'staged' } : upload.source };
}

export function withoutCopy(upload: QueuedUpload): QueuedUpload {
  const source = upload.source.kind === 'staged' ? ({ kind: 'picked-again' } as const) : upload.source;
  return { ...upload, stagedBytes: 0, source };
}

export const uploadPieces = new UploadPieces(deviceDatabase);
