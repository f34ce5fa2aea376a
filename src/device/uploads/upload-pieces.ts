import { limits } from '#contract/limits.ts';
import type { DeviceDatabase } from '../database/device-database.ts';
import { deviceDatabase } from '../database/device-database.ts';
import type { QueuedUpload } from './queued-upload.ts';
import { changeUploads } from './upload-rows.ts';

/** Our copies of files, in pieces: single records of more than some 100 MiB fail in several engines. */
export class UploadPieces {
  private readonly database: DeviceDatabase;

  constructor(database: DeviceDatabase) {
    this.database = database;
  }

  /** False: there is no database, and memory holds no copies. */
  isLasting(): Promise<boolean> {
    return this.database.isLasting();
  }

  /**
   * Adds what follows the pieces that are there. With the last one, the copy becomes where the bytes come from.
   * @param start of `bytes` in the file
   * @returns the file as it is now; null where it is gone, or the copy does not end at `start` any more
   * @throws where the device has no room
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

  /** Null: it is not there. */
  async read(uploadId: string, index: number): Promise<ArrayBuffer | null> {
    const piece = await this.database.run(
      (connection) => connection.get('upload-pieces', [uploadId, index]),
      () => undefined,
    );
    return piece?.bytes ?? null;
  }

  /** Deletes a copy. Where the bytes came from it, the file has to be picked again. */
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
