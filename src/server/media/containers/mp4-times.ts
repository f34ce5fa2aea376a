import type { ByteWindow } from './byte-window.ts';
import type { Box } from './iso-box.ts';

export interface Times {
  /** Units of time in a second. */
  timescale: number;
  /** Null where the box leaves it open, as those of movies in fragments do. */
  seconds: number | null;
}

/** `mvhd` or `mdhd`, which begin alike (ISO 14496-12 sections 8.2.2 and 8.4.2). */
export function readTimes(file: ByteWindow, box: Box): Times {
  const isLong = file.u8(box.start) === 1;
  const timescale = file.u32(box.start + (isLong ? 20 : 12));
  const duration = isLong ? file.u64(box.start + 24) : file.u32(box.start + 16);
  return { timescale, seconds: toSeconds(duration, timescale, isLong ? 2 ** 64 : 2 ** 32 - 1) };
}

/** All ones mean that it is not known. So near to 2^64 a number has lost its last bits. */
function toSeconds(duration: number, timescale: number, unknown: number): number | null {
  return duration === 0 || duration >= unknown || timescale === 0 ? null : duration / timescale;
}

/** Where the matrix begins in a box whose times are short. */
const matrixStarts = { mvhd: 36, tkhd: 40 };

/** Does the box turn its frames by a quarter, one way or the other? */
export function readIsTurned(file: ByteWindow, box: Box, kind: keyof typeof matrixStarts): boolean {
  const at = box.start + matrixStarts[kind] + (file.u8(box.start) === 1 ? 12 : 0);
  return Math.abs(file.i32(at + 4)) > Math.abs(file.i32(at));
}
