import { Refusal } from '../../../http/pipeline/errors.ts';
import type { GrowingFile, Storage } from '../../../storage/storage.ts';
import type { UploadFile } from '../upload-file.ts';
import { partName, storedName } from '../upload-file.ts';
import type { UploadLock } from './upload-locks.ts';
import type { BodyPlace, DiskRoom } from './upload-room.ts';

/**
 * Opens the bytes that have come so far, as far as they can be trusted: what it holds is on the disk. A file that was on
 * its way to the library when its process died is brought back.
 */
export async function openPart(storage: Storage, file: UploadFile, lock: UploadLock): Promise<GrowingFile> {
  const { isSuspect, durable, state } = lock.found;
  // It may have ended while this request waited.
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

/** What was not synced may be lost although the file has its length: whoever opens it next cuts it off. */
async function syncOrMark(part: GrowingFile, lock: UploadLock, durable: number): Promise<void> {
  try {
    await part.sync();
  } catch (error) {
    await lock.renew({ durable, suspect: 1 });
    throw error;
  }
}

async function bringBack(storage: Storage, file: UploadFile): Promise<void> {
  const stored = storedName(file);
  if ((await storage.size(partName(file))) !== null || (await storage.size(stored)) === null) return;
  await storage.rename(stored, partName(file));
}

export interface BodyWriterDeps {
  part: GrowingFile;
  lock: UploadLock;
  place: BodyPlace;
  /** The file may not become longer. */
  maxSize: number;
  /** After how many bytes the disk is asked to confirm them; Infinity: only at the end. */
  durableEveryBytes: number;
  /** What it may take of the disk. */
  room: Pick<DiskRoom, 'cover' | 'use'>;
  /** Called with how many bytes were written. */
  onWritten(bytes: number): void;
  /** Called with what was written. */
  free(chunks: readonly Uint8Array[]): void;
}

/**
 * Writes a body to the end of a file: what comes is written at once, what comes meanwhile is collected, and no more is
 * taken from the connection than that. Every so many bytes the disk confirms what it has.
 */
export class BodyWriter {
  private readonly deps: BodyWriterDeps;
  private durable: number;
  /** Where the latest durability point began. */
  private pointAt: number;
  private confirming: Promise<void> = Promise.resolve();
  private batch: Uint8Array[] = [];
  private batchBytes = 0;
  private isWriting = false;
  private writing: Promise<void> = Promise.resolve();
  /** Ends the waiting for the batch to be on its way to the disk. */
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
   * What had come before it failed is written.
   * @param onChunk sees each one
   * @throws Refusal 413 beyond the length, 423 when the lock is lost, 507 before the disk is full; what `body` throws
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

  /** All of it is on the disk when it returns. */
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

  /** The next batch is read while this one is written. */
  private untilTaken(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.deps.place.wasHeldUp = true;
    this.resume = resolve;
    return promise;
  }

  /** Also what comes while it writes. Never rejects. */
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
    // Somebody else may be writing by now.
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

  /** A durability point, while the next bytes are written. Never rejects. */
  private async makeDurable(size: number): Promise<void> {
    const { part, lock } = this.deps;
    try {
      await syncOrMark(part, lock, this.durable);
      // The row hears of it with the next renewal, or when a sync fails: each commit would be one more sync to wait for.
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
