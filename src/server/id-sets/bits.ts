import { RoaringBitmap32 } from 'roaring-wasm';

/**
 * The portable roaring format (github.com/RoaringBitmap/RoaringFormatSpec) without run containers. Bitmaps live in
 * WebAssembly memory, where no collector sees them: whoever makes one disposes of it.
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

/** A stored set, or none, with more numbers in it. @throws for bytes that are no bitmap */
export function addNumbers(stored: Uint8Array | null, numbers: readonly number[]): { bits: Buffer; count: number } {
  return changeSet(stored, (set) => set.addMany(numbers));
}

/** A stored set without some numbers. @throws for bytes that are no bitmap */
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
 * Selecting by rank counts the values of every container before it, and only a container of runs has to count them one
 * by one.
 */
export function withoutRuns(set: RoaringBitmap32): RoaringBitmap32 {
  set.removeRunCompression();
  return set;
}
