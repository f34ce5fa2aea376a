import { readSync } from 'node:fs';
import type { UnplayableReason } from '../unplayable.ts';

/** A file, as header readers access it. */
export interface ByteSource {
  readonly size: number;
  /** Fills `into` with bytes from position `at`. @returns the number of bytes read */
  read(into: Uint8Array, at: number): number;
}

/** Reads from an open file, which the caller has to close. */
export function byteSourceOf(descriptor: number, size: number): ByteSource {
  return { size, read: (into, at) => readSync(descriptor, into, 0, into.length, at) };
}

/**
 * Thrown while headers are read, and caught where the reading began. The headers are invalid, or
 * would cost more than allowed.
 */
export class HeaderFault extends Error {
  readonly reason: UnplayableReason;

  constructor(reason: UnplayableReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Number of bytes per read. */
export const windowBytes = 4_096;
/** A film with 64 tracks needs about 200 reads. */
export const maxReads = 2_048;
/** Most boxes or elements that are read in one file. */
const maxSteps = 16_384;

/**
 * Reads numbers and text at any position of a file, through a small window that moves on demand. It
 * bounds the cost of a file: no allocation depends on a size that the file declares, and a header
 * that exceeds the limits causes a `HeaderFault`. Integers are big-endian.
 */
export class ByteWindow {
  readonly size: number;
  readonly #source: ByteSource;
  readonly #bytes = Buffer.allocUnsafe(windowBytes);
  #start = 0;
  #end = 0;
  #reads = 0;
  #steps = 0;

  constructor(source: ByteSource) {
    this.#source = source;
    this.size = source.size;
  }

  u8(at: number): number {
    return this.#bytes.readUInt8(this.#reach(at, 1));
  }

  u16(at: number): number {
    return this.#bytes.readUInt16BE(this.#reach(at, 2));
  }

  u32(at: number): number {
    return this.#bytes.readUInt32BE(this.#reach(at, 4));
  }

  i32(at: number): number {
    return this.#bytes.readInt32BE(this.#reach(at, 4));
  }

  /** Exact up to 2^53, which no file reaches. */
  u64(at: number): number {
    return this.u32(at) * 2 ** 32 + this.u32(at + 4);
  }

  f32(at: number): number {
    return this.#bytes.readFloatBE(this.#reach(at, 4));
  }

  f64(at: number): number {
    return this.#bytes.readDoubleBE(this.#reach(at, 8));
  }

  /** Text in Latin-1, at most as long as the window. */
  text(at: number, length: number): string {
    const start = this.#reach(at, length);
    return this.#bytes.toString('latin1', start, start + length);
  }

  /**
   * Text in UTF-8, without a character that is cut off at its end. Its length in bytes must be
   * limited by the caller.
   */
  utf8(at: number, length: number): string {
    const bytes = Buffer.alloc(length);
    for (let done = 0; done < length; ) {
      const some = Math.min(windowBytes, length - done);
      const start = this.#reach(at + done, some);
      this.#bytes.copy(bytes, done, start, start + some);
      done += some;
    }
    return bytes.toString('utf8').replace(/\uFFFD$/u, '');
  }

  /**
   * The first bytes of the file, up to `most`. The next read at another position overwrites them.
   */
  head(most: number): Uint8Array {
    const length = Math.min(most, this.size);
    const start = this.#reach(0, length);
    return this.#bytes.subarray(start, start + length);
  }

  /** Counts one more box or element. */
  step(): void {
    this.#steps += 1;
    if (this.#steps > maxSteps) throw new HeaderFault('too_complex');
  }

  /** Moves the window to these bytes if needed. @returns their offset in the window */
  #reach(at: number, length: number): number {
    if (at < this.#start || at + length > this.#end) this.#move(at, length);
    return at - this.#start;
  }

  #move(at: number, length: number): void {
    // The condition is negated so that it also rejects NaN.
    if (!(at >= 0 && length <= windowBytes && at + length <= this.size)) throw new HeaderFault('damaged');
    this.#reads += 1;
    if (this.#reads > maxReads) throw new HeaderFault('too_complex');
    const wanted = Math.min(windowBytes, this.size - at);
    const got = this.#source.read(wanted === windowBytes ? this.#bytes : this.#bytes.subarray(0, wanted), at);
    if (got < length) throw new RangeError('The file is shorter than it was.');
    this.#start = at;
    this.#end = at + got;
  }
}
