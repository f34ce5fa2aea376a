import type { ByteWindow } from './byte-window.ts';

/** A box of ISO 14496-12: from `start` to before `end` is its content. */
export interface Box {
  type: string;
  start: number;
  end: number;
}

/** The four characters of a type; QuickTime writes a copyright sign into some. */
const boxType = /^[\x20-\x7e©]{4}$/;

/**
 * ISO 14496-12 section 4.2. Null for bytes that are no box: what follows the last box of many a file.
 * @param limit the end of what the box is in; its own end may lie beyond it
 */
export function readBox(file: ByteWindow, at: number, limit: number): Box | null {
  if (at + 8 > limit) return null;
  file.step();
  const type = file.text(at + 4, 4);
  if (!boxType.test(type)) return null;
  const size = file.u32(at);
  if (size === 0) return { type, start: at + 8, end: limit };
  if (size === 1) return readLargeBox(file, { type, at, limit });
  return size < 8 ? null : { type, start: at + 8, end: at + size };
}

function readLargeBox(file: ByteWindow, { type, at, limit }: { type: string; at: number; limit: number }): Box | null {
  if (at + 16 > limit) return null;
  const size = file.u64(at + 8);
  return size < 16 ? null : { type, start: at + 16, end: at + size };
}

/**
 * The boxes inside of one, cut to it.
 * @param from where the first one starts, when something else comes before it
 */
export function* boxesIn(file: ByteWindow, parent: Box, from: number = parent.start): Generator<Box> {
  const limit = Math.min(parent.end, file.size);
  let at = from;
  for (;;) {
    const box = readBox(file, at, limit);
    if (box === null) return;
    at = box.end;
    yield box.end > limit ? { ...box, end: limit } : box;
  }
}

/** The first box of a type. */
export function findBox(file: ByteWindow, parent: Box | null, type: string, from?: number): Box | null {
  if (parent === null) return null;
  for (const box of boxesIn(file, parent, from)) if (box.type === type) return box;
  return null;
}
