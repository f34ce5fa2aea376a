import { hash } from 'node:crypto';
import type { ByteSource } from '../containers/byte-window.ts';

/** Three samples of it are hashed in a tenth of a millisecond. */
const sampleBytes = 16 * 1024;

/**
 * Tells a file that moved from one that is new: its size and its bytes at the start, in the middle and at the end, as
 * 32 hexadecimal characters. Headers differ between any two videos, and so do compressed frames; two files that differ
 * elsewhere alone are taken for one. Copies have the same fingerprint. Null for an empty file.
 * @throws what `source.read` throws, and when the file is shorter than its size
 */
export function fingerprint(source: ByteSource): string | null {
  if (source.size === 0) return null;
  const samples = samplesOf(source.size);
  const bytes = Buffer.allocUnsafe(8 + samples.reduce((length, [start, end]) => length + end - start, 0));
  bytes.writeDoubleBE(source.size);
  let filled = 8;
  for (const [start, end] of samples) {
    readAll(source, bytes.subarray(filled, filled + end - start), start);
    filled += end - start;
  }
  return hash('sha256', bytes, 'hex').slice(0, 32);
}

/** All of a small file, three samples of a larger one. */
function samplesOf(size: number): [start: number, end: number][] {
  if (size <= 3 * sampleBytes) return [[0, size]];
  const middle = Math.floor((size - sampleBytes) / 2);
  return [0, middle, size - sampleBytes].map((start) => [start, start + sampleBytes]);
}

function readAll(source: ByteSource, into: Uint8Array, at: number): void {
  for (let filled = 0; filled < into.length; ) {
    const got = source.read(into.subarray(filled), at + filled);
    if (got === 0) throw new RangeError('The file is shorter than it was.');
    filled += got;
  }
}
