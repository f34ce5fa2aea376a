import type { Hash } from 'node:crypto';
import { createHash } from 'node:crypto';

/**
 * The end of an archive: a second gzip member (RFC 1952, section 2.3) that unpacks to nothing and carries the SHA-256 of
 * all bytes before it in its extra field. gzip's own sum does not cover its header, nor the bits that fill a byte up.
 */
const before = Buffer.from([0x1f, 0x8b, 8, 4, 0, 0, 0, 0, 0, 255, 36, 0, 0x46, 0x46, 32, 0]);
const digestLength = 32;
/** An empty block, and the sum and length of nothing. */
const after = Buffer.from([3, 0, 0, 0, 0, 0, 0, 0, 0, 0]);

export const sealLength = before.length + digestLength + after.length;

export function startSeal(): Hash {
  return createHash('sha256');
}

export function makeSeal(hash: Hash): Buffer {
  return Buffer.concat([before, hash.digest(), after]);
}

/** Whether a file ends as an archive does, whatever it is the seal of. */
export function isSeal(bytes: Buffer): boolean {
  return (
    bytes.length === sealLength &&
    bytes.subarray(0, before.length).equals(before) &&
    bytes.subarray(before.length + digestLength).equals(after)
  );
}
