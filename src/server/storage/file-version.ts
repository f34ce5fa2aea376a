import type { BigIntStats } from 'node:fs';

/** Tells two versions of a file apart, and is what the database keeps of one. */
export interface FileVersion {
  size: number;
  /** Epoch microseconds. */
  modifiedUs: number;
}

/**
 * Both within what a double holds exactly, which also fits into 64 bits: file systems give times beyond the year
 * 255,000 and sparse files of exabytes, and a row that a database refuses would end a scan.
 */
export function fileVersionOf({ size, mtimeNs }: Pick<BigIntStats, 'size' | 'mtimeNs'>): FileVersion {
  return { size: clamp(size), modifiedUs: clamp(mtimeNs / 1000n) };
}

const largest = BigInt(Number.MAX_SAFE_INTEGER);

function clamp(value: bigint): number {
  if (value > largest) return Number.MAX_SAFE_INTEGER;
  return value < -largest ? Number.MIN_SAFE_INTEGER : Number(value);
}
