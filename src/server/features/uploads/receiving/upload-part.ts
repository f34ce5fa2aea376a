import { Refusal } from '../../../http/pipeline/errors.ts';
import type { DiskStorage } from '../../../storage/disk-storage.ts';
import type { GrowingFile } from '../../../storage/storage.ts';
import type { UploadFile } from '../upload-file.ts';
import { partName, storedName } from '../upload-file.ts';
import type { UploadLock } from './upload-locks.ts';
import type { BodyPlace, DiskRoom } from './upload-room.ts';

/**
 * Opens the bytes that have arrived, as far as they can be trusted: all of them are on the disk. A
 * file that was being moved to the library when its process died is moved back.
 */
export async function openPart(storage: DiskStorage, file: UploadFile, lock: UploadLock): Promise<GrowingFile> {
  const { isSuspect, durable, state } = lock.found;
  // The file may have ended while this request waited.
  if (state !== 'receiving') throw new Refusal('gone');
  await bringBack(storage, file);
  const part = await storage.openGrowing(partName(file));
  try {
    if (isSuspect && part.size > durable) await part.truncate(durable);
    await syncOrMark(part, lock, Math.min(part.size, durable));
    if (isSuspect || durable !== part.size) await lock.renew({ durable: part.size, suspect: 0 });
    return part;
  } catch (error) {
    await part.close();
    throw error;
  }
}

/**
 * Syncs the file, or marks it as suspect: unsynced bytes may be lost although the length is right,
 * and the next request cuts them off.
 */
async function syncOrMark(part: GrowingFile, lock: UploadLock, durable: number): Promise<void> {
  try {
    await part.sync();
  } catch (error) {
    await lock.renew({ durable, suspect: 1 });
    throw error;
  }
}

async function bringBack(storage: DiskStorage, file: UploadFile): Promise<void> {
  const stored = storedName(file);
  if ((await storage.find(partName(file))) !== null || (await storage.find(stored)) === null) return;
  await storage.rename(stored, partName(file));
}

export interface BodyWriterDeps {
  part: GrowingFile;
  lock: UploadLock;
  place: BodyPlace;
  /** The length that the file must not exceed. */
  maxSize: number;
  /** The number of bytes after which the disk has to confirm them; Infinity for once at the end. */
  durableEveryBytes: number;
  /** The disk space that this body may use. */
  room: Pick<DiskRoom, 'cover' | 'use'>;
  /** Called with the number of bytes written. */
  onWritten(bytes: number): void;
  /** Called with chunks that were written. */
  free(chunks: readonly Uint8Array[]): void;
}

/**
 * Writes a body to the end of a file. One batch is written while the next one is collected, and no
 * more than that is read from the connection. The disk confirms the bytes at intervals.
 */
export class BodyWriter {
  private readonly deps: BodyWriterDeps;
  private durable: number;
  /** The size of the file when the latest sync began. */
  private pointAt: number;
  private confirming: Promise<void> = Promise.resolve();
  private batch: Uint8Array[] = [];
  private batchBytes = 0;
  private isWriting = false;
  private writing: Promise<void> = Promise.resolve();
  /** Resumes reading once the collected batch is being written. */
  private resume: (() => void) | null = null;
  private failure: { error: unknown } | null = null;
  private accepted: number;

  constructor(deps: BodyWriterDeps) {
    this.deps = deps;
    this.durable = deps.part.size;
    this.pointAt = deps.part.size;
    this.accepted = deps.part.size;
  }

  /**
   * Writes the body; bytes that arrived before a failure are written too.
   * @param onChunk is called with each chunk
   * @throws Refusal 413 beyond the length, 423 when the lock is lost, 507 before the disk is full;
   * what `body` throws
   */
  async write(body: AsyncIterable<Uint8Array>, onChunk: (chunk: Uint8Array) => void = () => {}): Promise<void> {
    const { place } = this.deps;
    place.isReading = true;
    try {
      for await (const chunk of body) {
        place.bytes += chunk.length;
        this.throwFailure();
        if (this.deps.lock.signal.aborted) throw new Refusal('locked');
        this.accepted += chunk.length;
        if (this.accepted > this.deps.maxSize) throw tooMuch();
        onChunk(chunk);
        this.batch.push(chunk);
        this.batchBytes += chunk.length;
        this.startWriting();
        if (this.batchBytes >= place.share()) await this.untilTaken();
      }
    } finally {
      place.isReading = false;
      await this.writing;
      await this.confirming;
      this.throwFailure();
    }
  }

  /** Resolves once all bytes are on the disk. */
  async sync(): Promise<void> {
    await syncOrMark(this.deps.part, this.deps.lock, this.durable);
    this.durable = this.deps.part.size;
  }

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  private startWriting(): void {
    if (!this.isWriting) this.writing = this.writeAll();
  }

  /** Waits until the collected batch is being written; the next one is read meanwhile. */
  private untilTaken(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.deps.place.wasHeldUp = true;
    this.resume = resolve;
    return promise;
  }

  /** Writes batches until none is left, including those that arrive meanwhile. Never rejects. */
  private async writeAll(): Promise<void> {
    this.isWriting = true;
    try {
      while (this.batch.length > 0) {
        const chunks = this.batch;
        this.batch = [];
        this.batchBytes = 0;
        this.resume?.();
        await this.writeBatch(chunks);
      }
    } catch (error) {
      this.failure ??= { error };
    } finally {
      this.isWriting = false;
      this.resume?.();
    }
  }

  private async writeBatch(chunks: readonly Uint8Array[]): Promise<void> {
    const { part, lock, room, durableEveryBytes, onWritten, free } = this.deps;
    await room.cover(lengthOf(chunks));
    // Another request may hold the lock by now and be writing.
    if (!lock.isHeld) throw new Refusal('locked');
    const before = part.size;
    try {
      await part.append(chunks);
    } finally {
      room.use(part.size - before);
      onWritten(part.size - before);
    }
    free(chunks);
    if (part.size - this.pointAt < durableEveryBytes) return;
    await this.confirming;
    this.pointAt = part.size;
    this.confirming = this.makeDurable(part.size);
  }

  /** Syncs while the next bytes are written. Never rejects. */
  private async makeDurable(size: number): Promise<void> {
    const { part, lock } = this.deps;
    try {
      await syncOrMark(part, lock, this.durable);
      // The row learns of it with the next renewal, or when a sync fails: every commit would be
      // another sync to wait for.
      this.durable = size;
    } catch (error) {
      this.failure ??= { error };
    }
  }
}

function lengthOf(chunks: readonly Uint8Array[]): number {
  let bytes = 0;
  for (const { length } of chunks) bytes += length;
  return bytes;
}

export function tooMuch(): Refusal {
  return new Refusal('too_large', { message: 'This is more than the size that was declared.' });
}
