import type { ByteSource } from '#server/media/containers/byte-window.ts';
import { maxReads, windowBytes } from '#server/media/containers/byte-window.ts';

export interface CountedSource extends ByteSource {
  reads: number;
  bytesRead: number;
}

/** Bytes in memory as a file, which counts what is asked of it. */
export function countedSource(bytes: Uint8Array): CountedSource {
  return {
    size: bytes.length,
    reads: 0,
    bytesRead: 0,
    read(into, at) {
      this.reads += 1;
      const piece = bytes.subarray(at, at + into.length);
      into.set(piece);
      this.bytesRead += piece.length;
      return piece.length;
    },
  };
}

/** More than this no file may cost. */
export const maxBytesRead = maxReads * windowBytes;
