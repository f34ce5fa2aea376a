import { Refusal } from '../../../http/pipeline/errors.ts';
import type { PartFile } from '../upload-storage.ts';
import type { UploadLock } from './upload-locks.ts';
import type { BodyPlace, DiskRoom } from './upload-room.ts';

export interface BodyWriterDeps {
  part: PartFile;
  lock: UploadLock;
  place: BodyPlace;
  /** The length that the file must not exceed. */
  maxSize: number;
  /** The number of bytes after which they are confirmed; Infinity for once at the end. */
  confirmEveryBytes: number;
  /** The disk space that this body may use. */
  room: Pick<DiskRoom, 'cover' | 'use'>;
  /** Called with the number of bytes written. */
  onWritten(bytes: number): void;
  /** Called with chunks that were written. */
  free(chunks: readonly Uint8Array[]): void;
}

/**
 * Writes a body to the end of a file. One batch is written while the next one is collected, and no
 * more than that is read from the connection. The bytes are confirmed at intervals.
 */
export class BodyWriter {
  private readonly deps: BodyWriterDeps;
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

  private throwFailure(): void {
    if (this.failure !== null) throw this.failure.error;
  }

  private startWriting(): void {
    if (!this.isWriting) this.writing = this.writeAll();
  }

  /** Waits until the collected batch is being written; the next one is read meanwhile. */
  private async untilTaken(): Promise<void> {
    const { place } = this.deps;
    const { promise, resolve } = Promise.withResolvers<void>();
    this.resume = resolve;
    place.wasHeldUp = true;
    place.isReading = false;
    await promise;
    place.isReading = true;
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
    const { part, lock, room, confirmEveryBytes, onWritten, free } = this.deps;
    await room.cover(lengthOf(chunks));
    // Another request may hold the lock by now and be writing.
    if (!lock.isHeld) throw new Refusal('locked');
    const before = part.size;
    try {
      await part.append(chunks);
    } finally {
      // A store that has forgotten its parts leaves nothing.
      const written = Math.max(0, part.size - before);
      room.use(written);
      onWritten(written);
    }
    free(chunks);
    if (part.size - this.pointAt < confirmEveryBytes) return;
    await this.confirming;
    this.pointAt = part.size;
    this.confirming = this.makeDurable();
  }

  /** Syncs while the next bytes are written. Never rejects. */
  private async makeDurable(): Promise<void> {
    try {
      await this.deps.part.sync();
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
