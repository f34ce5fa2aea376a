/**
 * RFC 1952, section 2.3: deflate, no name, no time, no word on the level, an unknown system. No sum covers it, so that
 * it is always the same: a changed byte is noticed here, too.
 */
const header = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);

/** Makes the first bytes of a gzip file the usual ones. */
export function setGzipHeader(bytes: Buffer): void {
  header.copy(bytes);
}

export const gzipHeaderLength = header.length;

export function hasGzipHeader(bytes: Buffer): boolean {
  return bytes.subarray(0, header.length).equals(header);
}
