import type { ByteWindow } from './byte-window.ts';
import type { AudioTrack, SampleFormat, VideoTrack } from './tracks.ts';
import { readSampleFormat, readVpFormat, toShown, unknownFormat } from './tracks.ts';

export interface Mp4Track {
  id: number;
  timescale: number;
  seconds: number | null;
  edits: Edits;
  /** Whether the samples are described here, not in fragments. */
  hasSamples: boolean;
  videoTrack: VideoTrack | null;
  sound: AudioTrack | null;
}

/** The start of a track's edit list (ISO 14496-12 section 8.6.6). */
interface Edits {
  /** The time before the first sample, in units of the movie's timescale. */
  emptyUnits: number;
  /** The time of the samples at which the track begins, in units of its own timescale. */
  mediaUnits: number;
}

const noEdits: Edits = { emptyUnits: 0, mediaUnits: 0 };

interface TrackBoxes {
  id: number;
  isDefault: boolean;
  isTurned: boolean;
  edits: Edits;
  media: Mp4Box | null;
}

/**
 * Reads a `trak` box. Both `videoTrack` and `sound` are null for a track of another type or without
 * a sample entry.
 */
export function readTrack(file: ByteWindow, trak: Mp4Box, isMovieTurned: boolean): Mp4Track {
  const boxes = readTrackBoxes(file, trak);
  const times = findBox(file, boxes.media, 'mdhd');
  const { timescale, seconds } = times === null ? { timescale: 0, seconds: null } : readTimes(file, times);
  const known = { id: boxes.id, timescale, seconds, edits: boxes.edits };
  const track: Mp4Track = { ...known, hasSamples: false, videoTrack: null, sound: null };
  const samples = findBox(file, findBox(file, boxes.media, 'minf'), 'stbl');
  const entry = findFirstEntry(file, samples);
  if (samples === null || entry === null) return track;
  const kind = readHandler(file, boxes.media);
  const meanDuration = readMeanDuration(file, samples);
  track.hasSamples = meanDuration > 0;
  if (kind === 'soun') track.sound = { codec: readAudioTrack(file, entry), isDefault: boxes.isDefault };
  if (kind !== 'vide') return track;
  const stored = readVideoTrack(file, entry, boxes.isTurned !== isMovieTurned);
  const secondsEach = timescale === 0 ? null : meanDuration / timescale;
  return { ...track, videoTrack: { ...stored, isDefault: boxes.isDefault, secondsEach } };
}

function readTrackBoxes(file: ByteWindow, trak: Mp4Box): TrackBoxes {
  const flags = { isDefault: true, isTurned: false };
  const boxes: TrackBoxes = { id: 0, ...flags, edits: noEdits, media: null };
  for (const box of boxesIn(file, trak)) {
    if (box.type === 'mdia') boxes.media = box;
    if (box.type === 'edts') boxes.edits = readEdits(file, findBox(file, box, 'elst'));
    if (box.type !== 'tkhd') continue;
    boxes.id = file.u32(box.start + (file.u8(box.start) === 1 ? 20 : 12));
    boxes.isDefault = (file.u8(box.start + 3) & 1) === 1;
    boxes.isTurned = readIsTurned(file, box, 'tkhd');
  }
  return boxes;
}

/** The media time of an edit without samples. */
const noSamples = -1;

function readEdits(file: ByteWindow, list: Mp4Box | null): Edits {
  if (list === null) return noEdits;
  const isLong = file.u8(list.start) === 1;
  const [first, step] = [list.start + 8, isLong ? 20 : 12];
  const count = Math.min(file.u32(list.start + 4), maxRuns, Math.floor((list.end - first) / step));
  let emptyUnits = 0;
  for (let at = first; at < first + count * step; at += step) {
    const mediaUnits = isLong ? file.i32(at + 8) * 2 ** 32 + file.u32(at + 12) : file.i32(at + 4);
    if (mediaUnits !== noSamples) return { emptyUnits, mediaUnits };
    emptyUnits += isLong ? file.u64(at) : file.u32(at);
  }
  return { emptyUnits, mediaUnits: 0 };
}

function readHandler(file: ByteWindow, media: Mp4Box | null): string | null {
  const handler = findBox(file, media, 'hdlr');
  return handler === null ? null : file.text(handler.start + 8, 4);
}

/** The first sample entry. Few files have several, and players use the first. */
function findFirstEntry(file: ByteWindow, samples: Mp4Box | null): Mp4Box | null {
  const descriptions = findBox(file, samples, 'stsd');
  if (descriptions === null) return null;
  for (const entry of boxesIn(file, descriptions, descriptions.start + 8)) return entry;
  return null;
}

/** Most runs of equal durations, and most edits, that are read. */
const maxRuns = 32;

/** Mean sample duration in units of the track's timescale; 0 if the samples are in fragments. */
function readMeanDuration(file: ByteWindow, samples: Mp4Box): number {
  const table = findBox(file, samples, 'stts');
  if (table === null) return 0;
  const runs = Math.min(file.u32(table.start + 4), maxRuns, Math.floor((table.end - table.start - 8) / 8));
  let count = 0;
  let duration = 0;
  for (let run = 0; run < runs; run += 1) {
    const at = table.start + 8 + run * 8;
    count += file.u32(at);
    duration += file.u32(at) * file.u32(at + 4);
  }
  return count === 0 ? 0 : duration / count;
}

/**
 * Video codecs by the type of the sample entry. Encrypted tracks (`encv`) are excluded, because
 * there is no key to play them.
 */
const videoCodecs = new Map([
  ...['avc1', 'avc2', 'avc3', 'avc4', 'dva1', 'dvav'].map((type) => [type, 'avc'] as const),
  ...['hvc1', 'hev1', 'dvh1', 'dvhe'].map((type) => [type, 'hevc'] as const),
  ...['apch', 'apcn', 'apcs', 'apco', 'ap4h', 'ap4x', 'aprn', 'aprh'].map((type) => [type, 'prores'] as const),
  ['vp08', 'vp8'] as const,
  ['vp09', 'vp9'] as const,
  ['av01', 'av1'] as const,
]);

const audioCodecs = new Map<string, string | null>([
  ['opus', 'opus'],
  ['flac', 'flac'],
  ['alac', 'alac'],
  ['ac-3', 'ac3'],
  ['ec-3', 'eac3'],
  ['.mp3', 'mp3'],
  ['ulaw', 'ulaw'],
  ['alaw', 'alaw'],
  ['enca', null],
  ...['dtsc', 'dtsh', 'dtsl', 'dtse'].map((type) => [type, 'dts'] as const),
  ...['lpcm', 'sowt', 'twos', 'raw ', 'in24', 'in32', 'fl32', 'fl64', 'ipcm', 'fpcm'].map(
    (type) => [type, 'pcm'] as const,
  ),
]);

/** Offsets of the fields that all video sample entries have, and of the boxes that follow them. */
const videoFields = { width: 24, height: 26, boxes: 78 };

/** Reads a video sample entry (ISO 14496-12 section 12.1.3). */
function readVideoTrack(
  file: ByteWindow,
  entry: Mp4Box,
  isTurned: boolean,
): Omit<VideoTrack, 'isDefault' | 'secondsEach'> {
  const codedWidth = file.u16(entry.start + videoFields.width);
  const codedHeight = file.u16(entry.start + videoFields.height);
  const aspect = findBox(file, entry, 'pasp', entry.start + videoFields.boxes);
  const stretch = aspect === null ? 1 : file.u32(aspect.start) / file.u32(aspect.start + 4);
  const shown = toShown({ width: codedWidth, height: codedHeight }, stretch, isTurned);
  const codec = videoCodecs.get(entry.type.toLowerCase()) ?? null;
  return { codec, codedWidth, codedHeight, ...shown, ...readFormat(file, entry, codec) };
}

const configurations = new Set(['avcC', 'hvcC', 'vpcC', 'av1C']);

function readFormat(file: ByteWindow, entry: Mp4Box, codec: string | null): SampleFormat {
  for (const box of boxesIn(file, entry, entry.start + videoFields.boxes)) {
    if (!configurations.has(box.type)) continue;
    return box.type === 'vpcC' && codec === 'vp9' ? readVpFormat(file, box) : readSampleFormat(file, codec, box);
  }
  return codec === null ? unknownFormat : readSampleFormat(file, codec, null);
}

/**
 * Bytes of the fields before the boxes, by version: 28, and more in QuickTime's versions 1 and 2.
 */
const soundFields = [28, 44, 64];

/**
 * The codec of an audio sample entry. `mp4a` stands for several codecs, and the `esds` box tells
 * which.
 */
function readAudioTrack(file: ByteWindow, entry: Mp4Box): string | null {
  if (entry.type !== 'mp4a') return nameOf(entry.type.toLowerCase(), audioCodecs);
  const boxes = entry.start + (soundFields[file.u16(entry.start + 8)] ?? 28);
  const description = findBox(file, entry, 'esds', boxes) ?? findBox(file, findBox(file, entry, 'wave', boxes), 'esds');
  return description === null ? null : nameOf(readObjectType(file, description), mp4aCodecs);
}

function nameOf<Key>(key: Key, names: ReadonlyMap<Key, string | null>): string | null {
  const name = names.get(key);
  return name === undefined ? 'other' : name;
}

/**
 * Codecs of `mp4a` by the object type of ISO 14496-1. The last two types are widely used but not
 * registered.
 */
const mp4aCodecs = new Map([
  [0x40, 'aac'],
  [0x66, 'aac'],
  [0x67, 'aac'],
  [0x68, 'aac'],
  [0x69, 'mp3'],
  [0x6b, 'mp3'],
  [0xa5, 'ac3'],
  [0xa6, 'eac3'],
  [0xa9, 'dts'],
  [0xdd, 'vorbis'],
]);

/**
 * The object type of the decoder configuration within an elementary stream descriptor (ISO 14496-1
 * sections 7.2.6.5 and 7.2.6.6).
 */
function readObjectType(file: ByteWindow, esds: Mp4Box): number {
  const stream = skipDescriptorHead(file, esds.start + 4);
  const flags = file.u8(stream + 2);
  const dependsOn = flags & 0x80 ? 2 : 0;
  const address = flags & 0x40 ? 1 + file.u8(stream + 3 + dependsOn) : 0;
  const clock = flags & 0x20 ? 2 : 0;
  return file.u8(skipDescriptorHead(file, stream + 3 + dependsOn + address + clock));
}

/**
 * Skips a tag and a length of up to four bytes, in which the top bit of a byte means that another
 * one follows.
 */
function skipDescriptorHead(file: ByteWindow, at: number): number {
  let last = at + 1;
  while (last < at + 4 && file.u8(last) & 0x80) last += 1;
  return last + 1;
}

interface Times {
  /** Time units per second. */
  timescale: number;
  /** Null if the duration is unspecified, as in fragmented movies. */
  seconds: number | null;
}

/**
 * Reads `mvhd` or `mdhd`, which start with the same fields (ISO 14496-12 sections 8.2.2 and 8.4.2).
 */
export function readTimes(file: ByteWindow, box: Mp4Box): Times {
  const isLong = file.u8(box.start) === 1;
  const timescale = file.u32(box.start + (isLong ? 20 : 12));
  const duration = isLong ? file.u64(box.start + 24) : file.u32(box.start + 16);
  return { timescale, seconds: toSeconds(duration, timescale, isLong ? 2 ** 64 : 2 ** 32 - 1) };
}

/**
 * A duration of all ones is unknown. Near 2^64 a double has lost its last bits, so the comparison
 * uses `>=`.
 */
function toSeconds(duration: number, timescale: number, unknown: number): number | null {
  return duration === 0 || duration >= unknown || timescale === 0 ? null : duration / timescale;
}

/** Offset of the matrix in a version 0 box, whose times have 32 bits. */
const matrixStarts = { mvhd: 36, tkhd: 40 };

/** Whether the box's matrix rotates the picture by 90 degrees in either direction. */
export function readIsTurned(file: ByteWindow, box: Mp4Box, kind: keyof typeof matrixStarts): boolean {
  const at = box.start + matrixStarts[kind] + (file.u8(box.start) === 1 ? 12 : 0);
  return Math.abs(file.i32(at + 4)) > Math.abs(file.i32(at));
}

/** A box of ISO 14496-12, whose content is from `start` to before `end`. */
export interface Mp4Box {
  type: string;
  start: number;
  end: number;
}

/** The four characters of a box type. Some of QuickTime's types contain a copyright sign. */
const boxType = /^[\x20-\x7e©]{4}$/;

/**
 * Reads a box (ISO 14496-12 section 4.2). Null if the bytes are not a box, like those after the
 * last box of many files.
 * @param limit end of the parent; the box may extend beyond it
 */
export function readBox(file: ByteWindow, at: number, limit: number): Mp4Box | null {
  if (at + 8 > limit) return null;
  file.step();
  const type = file.text(at + 4, 4);
  if (!boxType.test(type)) return null;
  const size = file.u32(at);
  if (size === 0) return { type, start: at + 8, end: limit };
  if (size === 1) return readLargeBox(file, { type, at, limit });
  return size < 8 ? null : { type, start: at + 8, end: at + size };
}

function readLargeBox(
  file: ByteWindow,
  { type, at, limit }: { type: string; at: number; limit: number },
): Mp4Box | null {
  if (at + 16 > limit) return null;
  const size = file.u64(at + 8);
  return size < 16 ? null : { type, start: at + 16, end: at + size };
}

/**
 * The boxes of a parent, cut off at its end.
 * @param from start of the first box, if other fields precede it
 */
export function* boxesIn(file: ByteWindow, parent: Mp4Box, from: number = parent.start): Generator<Mp4Box> {
  const limit = Math.min(parent.end, file.size);
  let at = from;
  for (;;) {
    const box = readBox(file, at, limit);
    if (box === null) return;
    at = box.end;
    yield box.end > limit ? { ...box, end: limit } : box;
  }
}

/** The first box of a type, or null. */
export function findBox(file: ByteWindow, parent: Mp4Box | null, type: string, from?: number): Mp4Box | null {
  if (parent === null) return null;
  for (const box of boxesIn(file, parent, from)) if (box.type === type) return box;
  return null;
}
