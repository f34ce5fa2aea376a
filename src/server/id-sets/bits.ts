import type { RoaringUint8Array } from 'roaring-wasm';
import { RoaringBitmap32 } from 'roaring-wasm';

/**
 * The portable roaring format (github.com/RoaringBitmap/RoaringFormatSpec) without run containers.
 * Bitmaps live in WebAssembly memory, which is not garbage-collected: the code that creates one
 * disposes of it.
 */
const format = 'portable';

export function encodeSet(set: RoaringBitmap32): Buffer {
  const bytes = set.serialize(format);
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

export function encodeNumbers(numbers: Iterable<number>): Buffer {
  const set = new RoaringBitmap32(numbers);
  const bits = encodeSet(set);
  set.dispose();
  return bits;
}

/**
 * Adds numbers to a stored set, or to an empty one.
 * @throws for bytes that are no bitmap
 */
export function addNumbers(stored: Uint8Array | null, numbers: readonly number[]): { bits: Buffer; count: number } {
  return changeSet(stored, (set) => set.addMany(numbers));
}

/**
 * Removes numbers from a stored set.
 * @throws for bytes that are no bitmap
 */
export function removeNumbers(stored: Uint8Array, numbers: readonly number[]): { bits: Buffer; count: number } {
  return changeSet(stored, (set) => set.removeMany(numbers));
}

function changeSet(
  stored: Uint8Array | null,
  change: (set: RoaringBitmap32) => unknown,
): { bits: Buffer; count: number } {
  const set = stored === null ? new RoaringBitmap32() : decodeSet(stored);
  change(set);
  const changed = { bits: encodeSet(withoutRuns(set)), count: set.size };
  set.dispose();
  return changed;
}

/** @throws for bytes that are no bitmap */
export function decodeSet(bits: Uint8Array): RoaringBitmap32 {
  return withoutRuns(RoaringBitmap32.deserialize(format, bits));
}

/**
 * Selecting by rank adds up the sizes of all containers before it, and only run containers have to
 * count their values.
 */
export function withoutRuns(set: RoaringBitmap32): RoaringBitmap32 {
  set.removeRunCompression();
  return set;
}

/**
 * A set's containers, read in place in WebAssembly memory. The portable format without runs: a
 * cookie and the number of containers (32 bits each); for every container its block (the upper 16
 * bits of its numbers) and its count less one (16 bits each); for every container its offset (32
 * bits); then the containers: up to 4,096 sorted 16-bit values, or else 65,536 bits.
 */
export interface Containers {
  readonly blocks: Iterable<number>;
  /** Returns a view that is valid until the next operation on any bitmap. */
  at(block: number): SetContainer;
}

export type SetContainer = { kind: 'none' } | FilledContainer;

/** The kind distinguishes them, not the length: 4,096 values take as many bytes as the bits. */
export type FilledContainer = { kind: 'values'; values: Uint16Array } | { kind: 'words'; bytes: Uint8Array };

const none: SetContainer = { kind: 'none' };

const maxArrayLength = 4_096;
export const blockLength = 65_536;
export const blockBytes = blockLength / 8;

const cookieWithoutRuns = 12_346;
const headBytes = 8;

/**
 * Reads several sets at once. All of them are serialized first, because memory that grows for one
 * set would invalidate the views of the others.
 */
export function readContainers<Result>(
  sets: readonly RoaringBitmap32[],
  use: (containers: Containers[]) => Result,
): Result {
  const copies = sets.map((set) => set.serializeToRoaringUint8Array('portable'));
  try {
    return use(copies.map(toContainers));
  } finally {
    for (const copy of copies) copy.dispose();
  }
}

function toContainers(copy: RoaringUint8Array): Containers {
  const { buffer, byteOffset, byteLength } = copy.asTypedArray();
  const view = new DataView(buffer, byteOffset, byteLength);
  if (view.getUint32(0, true) !== cookieWithoutRuns) throw new Error('A set has containers of runs.');
  const length = view.getUint32(4, true);
  const blocks = new Map<number, number>();
  for (let index = 0; index < length; index += 1) blocks.set(view.getUint16(headBytes + 4 * index, true), index);
  return {
    blocks: blocks.keys(),
    at(block) {
      const index = blocks.get(block);
      if (index === undefined) return none;
      const count = view.getUint16(headBytes + 4 * index + 2, true) + 1;
      return containerAt(buffer, byteOffset + view.getUint32(headBytes + 4 * (length + index), true), count);
    },
  };
}

/** A container with few values holds them as a list, any other as bits. */
function containerAt(buffer: ArrayBufferLike, start: number, count: number): FilledContainer {
  if (count > maxArrayLength) return { kind: 'words', bytes: new Uint8Array(buffer, start, blockBytes) };
  return { kind: 'values', values: new Uint16Array(buffer, start, count) };
}

/**
 * The buffer that all writers share: a set of ten million numbers takes more than a megabyte, too
 * much garbage for each new set.
 */
let scratch = Buffer.alloc(0);

/** Writes a set container by container, blocks ascending. Only one writer is in use at a time. */
export class ContainerWriter {
  readonly #bytes: Buffer;
  readonly #room: number;
  readonly #written: { block: number; count: number; start: number }[] = [];
  #end: number;

  /** @param most the most containers that will be added */
  constructor(most: number) {
    this.#room = headLength(most);
    this.#end = this.#room;
    const longest = this.#room + most * blockBytes;
    if (scratch.length < longest) scratch = Buffer.allocUnsafeSlow(longest);
    this.#bytes = scratch;
  }

  /** @returns the container, to be filled with the block's numbers */
  add(block: number, count: number): FilledContainer {
    const start = this.#end;
    const container = containerAt(this.#bytes.buffer, start, count);
    this.#end += container.kind === 'words' ? container.bytes.byteLength : container.values.byteLength;
    this.#written.push({ block, count, start });
    return container;
  }

  /** Returns the bytes for `decodeSet`, which are valid until the next writer begins. */
  finish(): Uint8Array {
    const length = this.#written.length;
    const begin = this.#room - headLength(length);
    const head = new DataView(this.#bytes.buffer, begin);
    head.setUint32(0, cookieWithoutRuns, true);
    head.setUint32(4, length, true);
    for (const [index, { block, count, start }] of this.#written.entries()) {
      head.setUint16(headBytes + 4 * index, block, true);
      head.setUint16(headBytes + 4 * index + 2, count - 1, true);
      head.setUint32(headBytes + 4 * (length + index), start - begin, true);
    }
    return this.#bytes.subarray(begin, this.#end);
  }
}

function headLength(containers: number): number {
  return headBytes + 8 * containers;
}
