import { box, ftyp } from '#tests/support/media/videos.ts';

/** Fields of four bytes each. */
export function u32(...values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value >>> 0, index * 4);
  return bytes;
}

export function u64(value: bigint): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt.asUintN(64, value));
  return bytes;
}

const upright = u32(0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000);
const turned = u32(0, 0x10000, 0, -0x10000, 0, 0, 0, 0, 0x40000000);

interface Time {
  timescale?: number;
  duration?: number | bigint;
}

/** The beginning that `mvhd` and `mdhd` share; a bigint is written in the long form. */
function times({ timescale = 1_000, duration = 4_000 }: Time): Buffer {
  if (typeof duration === 'bigint')
    return Buffer.concat([u32(1 << 24), u64(0n), u64(0n), u32(timescale), u64(duration)]);
  return u32(0, 0, 0, timescale, duration);
}

export const mvhd = ({ isTurned = false, ...time }: Time & { isTurned?: boolean } = {}) =>
  box('mvhd', Buffer.concat([times(time), Buffer.alloc(16), isTurned ? turned : upright, Buffer.alloc(28)]));

export interface TrackParts extends Time {
  id?: number;
  kind?: string;
  isDefault?: boolean;
  isTurned?: boolean;
  entry?: Buffer;
  stts?: Buffer;
  /** Boxes beside the samples. */
  media?: Buffer;
  /** The entries of an edit list of 32 bits, whose media time of -1 is a gap. */
  edits?: readonly [duration: number, mediaTime: number][];
}

export function trak({
  id = 1,
  kind = 'vide',
  isDefault = true,
  isTurned = false,
  entry = pictureEntry(),
  stts = runs([100, 40]),
  media = Buffer.alloc(0),
  edits = [],
  ...time
}: TrackParts = {}): Buffer {
  const tkhd = box(
    'tkhd',
    Buffer.concat([
      u32(isDefault ? 1 : 0, 0, 0, id, 0, 4_000),
      Buffer.alloc(16),
      isTurned ? turned : upright,
      u32(0, 0),
    ]),
  );
  const stbl = box('stbl', Buffer.concat([box('stsd', Buffer.concat([u32(0, 1), entry])), stts]));
  const mdhd = box('mdhd', Buffer.concat([times(time), u32(0)]));
  const hdlr = box('hdlr', Buffer.concat([u32(0, 0), Buffer.from(kind), Buffer.alloc(13)]));
  const elst = box('elst', u32(0, edits.length, ...edits.flatMap((edit) => [...edit, 0x10000])));
  return box(
    'trak',
    Buffer.concat([
      tkhd,
      box('edts', elst),
      box('mdia', Buffer.concat([mdhd, hdlr, box('minf', Buffer.concat([media, stbl]))])),
    ]),
  );
}

export const runs = (...list: [count: number, duration: number][]) => box('stts', u32(0, list.length, ...list.flat()));

export function pictureEntry(type = 'avc1', width = 320, height = 180, ...boxes: Buffer[]): Buffer {
  const sides = Buffer.alloc(4);
  sides.writeUInt16BE(width);
  sides.writeUInt16BE(height, 2);
  return box(type, Buffer.concat([Buffer.alloc(24), sides, Buffer.alloc(50), ...boxes]));
}

export const soundEntry = (type = 'mp4a', objectType = 0x40) =>
  box(
    type,
    Buffer.concat([
      Buffer.alloc(28),
      box('esds', Buffer.from([0, 0, 0, 0, 3, 0x80, 0x80, 0x19, 0, 1, 0, 4, 0x11, objectType])),
    ]),
  );

export const mdat = box('mdat', 'pictures');
export const moov = (...boxes: Buffer[]) => box('moov', Buffer.concat(boxes));

/** A file with one `moov` of these boxes, and media. */
export const movie = (...boxes: Buffer[]) => Buffer.concat([ftyp, moov(...boxes), mdat]);
