import { readSync } from 'node:fs';
import type { UnplayableReason } from '../unplayable.ts';

/** A file as its reader sees it. */
export interface ByteSource {
  readonly size: number;
  /** Fills `into` from the byte at `at` on, and says how many bytes it got. */
  read(into: Uint8Array, at: number): number;
}

/** A file that is open already. The descriptor stays the caller's. */
export function byteSourceOf(descriptor: number, size: number): ByteSource {
  return { size, read: (into, at) => readSync(descriptor, into, 0, into.length, at) };
}

/**
 * Thrown while headers are read, and caught where their reading began: they are not what they say, or cost more than a
 * header may.
 */
export class HeaderFault extends Error {
  readonly reason: UnplayableReason;

  constructor(reason: UnplayableReason) {
    super(reason);
    this.reason = reason;
  }
}

/** Bytes that are read at once. */
export const windowBytes = 4_096;
/** A film of 64 tracks needs about 200. */
export const maxReads = 2_048;
/** Boxes or elements that are looked at in one file. */
const maxSteps = 16_384;

/**
 * Numbers and text at any place of a file, read through a small window that moves when it has to. What a file may cost
 * is bounded here: nothing is allocated by a size that the file declares, and a header that wants too much ends with a
 * `HeaderFault`. Integers are big-endian.
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

  /** Latin-1; at most as long as the window. */
  text(at: number, length: number): string {
    const start = this.#reach(at, length);
    return this.#bytes.toString('latin1', start, start + length);
  }

  /**
   * As many bytes from the start of the file as there are, up to `most`. They are overwritten by the next look
   * elsewhere.
   */
  head(most: number): Uint8Array {
    const length = Math.min(most, this.size);
    const start = this.#reach(0, length);
    return this.#bytes.subarray(start, start + length);
  }

  /** One more box or element is looked at. */
  step(): void {
    this.#steps += 1;
    if (this.#steps > maxSteps) throw new HeaderFault('too_complex');
  }

  /** Where in the window the bytes are. */
  #reach(at: number, length: number): number {
    if (at < this.#start || at + length > this.#end) this.#move(at, length);
    return at - this.#start;
  }

  #move(at: number, length: number): void {
    // Said this way round, a place that is no number is refused as well.
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
