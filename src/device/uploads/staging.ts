import { limits } from '#contract/limits.ts';
import type { QueuedUpload } from './queued-upload.ts';
import type { UploadBytes } from './upload-bytes.ts';
import { readBlob } from './upload-bytes.ts';
import type { UploadPieces } from './upload-pieces.ts';
import { uploadPieces } from './upload-pieces.ts';

/** Absent on plain-http addresses; `estimate` came to Safari with version 17. */
interface Storage {
  estimate?(): Promise<StorageEstimate>;
  /** Pages have it, workers do not. */
  persist?(): Promise<boolean>;
}

/** Makes copies of files that could not be read again after a reload, piece by piece. */
export class Staging {
  private readonly pieces: UploadPieces;
  private readonly storage: Storage;

  constructor(pieces: UploadPieces = uploadPieces, storage: Storage = navigator.storage ?? {}) {
    this.pieces = pieces;
    this.storage = storage;
  }

  /**
   * Whether a copy of this file fits, beside what of it is there. One whose handle was stored needs none, unless the
   * browser promises to keep what the app stores.
   */
  async hasRoom({ size, stagedBytes, source }: QueuedUpload): Promise<boolean> {
    if (size > limits.stagedFileBytes || !(await this.pieces.isLasting())) return false;
    if (size - stagedBytes > (await this.free()) * limits.stagedQuotaShare) return false;
    return source.kind !== 'handle' || (await this.isKept());
  }

  /**
   * Copies what is not copied yet, until it is all there or `signal` ends it; then it goes on from there the next time.
   * A copy for which there is no room after all is dropped.
   * @returns the file as it is then; null where nothing can be copied for it: it is gone or in memory alone, or another
   * tab copies it
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

  /** Bytes that the copy of a further file may have; 0 where copies do not last. */
  async roomForCopy(): Promise<number> {
    if (!(await this.pieces.isLasting())) return 0;
    return Math.min(limits.stagedFileBytes, (await this.free()) * limits.stagedQuotaShare);
  }

  private async addPiece(upload: QueuedUpload, bytes: UploadBytes): Promise<QueuedUpload | null> {
    const { id, stagedBytes, size } = upload;
    const end = Math.min(size, stagedBytes + limits.stagedPieceBytes);
    return this.pieces.add(id, stagedBytes, await readBlob(await bytes.slice(stagedBytes, end)));
  }

  /** Bytes that the browser still gives to the app; as many as one likes where it does not say. */
  private async free(): Promise<number> {
    const { quota = Number.POSITIVE_INFINITY, usage = 0 } = (await this.storage.estimate?.().catch(() => null)) ?? {};
    return Math.max(0, quota - usage);
  }

  /** Browsers with handles decide by themselves: nobody is asked. */
  private async isKept(): Promise<boolean> {
    return (await this.storage.persist?.().catch(() => false)) ?? false;
  }
}
