import type { ByteWindow } from './byte-window.ts';
import { HeaderFault } from './byte-window.ts';
import type { AudioTrack, SampleFormat, VideoTrack } from './tracks.ts';
import { readSampleFormat, readVpFeatures, toShown, unknownFormat } from './tracks.ts';

export interface MatroskaTrack {
  /** Track number, by which blocks refer to the track. */
  number: number;
  videoTrack: VideoTrack | null;
  sound: AudioTrack | null;
}

/** Element ids of RFC 9559 section 5.1.4.1. */
const ids = {
  number: 0xd7,
  type: 0x83,
  codec: 0x86,
  codecPrivate: 0x63a2,
  isDefault: 0x88,
  frameNanoseconds: 0x23e383,
  video: 0xe0,
};
const types = { videoTrack: 1, sound: 2 };

const videoCodecs = new Map([
  ['V_MPEG4/ISO/AVC', 'avc'],
  ['V_MPEGH/ISO/HEVC', 'hevc'],
  ['V_VP8', 'vp8'],
  ['V_VP9', 'vp9'],
  ['V_AV1', 'av1'],
  ['V_PRORES', 'prores'],
]);

/**
 * Codecs by the part of their id before the first slash, except MPEG audio, whose layers differ.
 */
const audioCodecs = new Map([
  ['A_AAC', 'aac'],
  ['A_MPEG/L3', 'mp3'],
  ['A_OPUS', 'opus'],
  ['A_VORBIS', 'vorbis'],
  ['A_FLAC', 'flac'],
  ['A_AC3', 'ac3'],
  ['A_EAC3', 'eac3'],
  ['A_DTS', 'dts'],
  ['A_PCM', 'pcm'],
]);

interface Entry {
  number: number;
  type: number;
  codec: string;
  isDefault: boolean;
  secondsEach: number | null;
  codecPrivate: Element | null;
  video: Element | null;
}

/** Reads a TrackEntry. Both `videoTrack` and `sound` are null for a track of another type. */
export function readMatroskaTrack(file: ByteWindow, element: Element): MatroskaTrack {
  const { number, type, codec, codecPrivate, isDefault, secondsEach, video } = readEntry(file, element);
  if (type === types.sound) {
    return {
      number,
      videoTrack: null,
      sound: { codec: audioCodecs.get(codec) ?? audioCodecs.get(codec.replace(/\/.*$/, '')) ?? 'other', isDefault },
    };
  }
  if (type !== types.videoTrack || video === null) return { number, videoTrack: null, sound: null };
  const videoCodec = videoCodecs.get(codec) ?? null;
  const { bitDepth, chroma } = readFormat(file, videoCodec, codecPrivate);
  const shown = readVideo(file, video);
  return {
    number,
    videoTrack: { ...shown, codec: videoCodec, bitDepth: bitDepth ?? shown.bitDepth, chroma, isDefault, secondsEach },
    sound: null,
  };
}

function readFormat(file: ByteWindow, codec: string | null, codecPrivate: Element | null): SampleFormat {
  if (codec === 'vp9') return codecPrivate === null ? unknownFormat : readVpFeatures(file, codecPrivate);
  return readSampleFormat(file, codec, codecPrivate);
}

function readEntry(file: ByteWindow, parent: Element): Entry {
  const entry: Entry = {
    number: 0,
    type: 0,
    codec: '',
    isDefault: true,
    secondsEach: null,
    codecPrivate: null,
    video: null,
  };
  for (const element of elementsIn(file, parent)) {
    if (element.id === ids.number) entry.number = readUnsigned(file, element);
    else if (element.id === ids.type) entry.type = readUnsigned(file, element);
    else if (element.id === ids.codec) entry.codec = readText(file, element);
    else if (element.id === ids.codecPrivate) entry.codecPrivate = element;
    else if (element.id === ids.isDefault) entry.isDefault = readUnsigned(file, element) === 1;
    else if (element.id === ids.frameNanoseconds) entry.secondsEach = readUnsigned(file, element) / 1e9;
    else if (element.id === ids.video) entry.video = element;
  }
  return entry;
}

/** Element ids of RFC 9559 section 5.1.4.1.28. */
const sides = new Map<number, 'width' | 'height' | 'displayWidth' | 'displayHeight'>([
  [0xb0, 'width'],
  [0xba, 'height'],
  [0x54b0, 'displayWidth'],
  [0x54ba, 'displayHeight'],
]);
const projectionId = 0x7670;
const rollId = 0x7675;
const colourId = 0x55b0;
const bitsPerChannelId = 0x55b2;

/**
 * Reads the coded and the displayed size. The stored display size is used as an aspect ratio,
 * whatever its unit.
 */
function readVideo(
  file: ByteWindow,
  video: Element,
): Pick<VideoTrack, 'codedWidth' | 'codedHeight' | 'width' | 'height' | 'bitDepth'> {
  const read = { width: 0, height: 0, displayWidth: 0, displayHeight: 0 };
  let isTurned = false;
  let bitDepth: number | null = null;
  for (const element of elementsIn(file, video)) {
    const side = sides.get(element.id);
    if (side !== undefined) read[side] = readUnsigned(file, element);
    if (element.id === projectionId) isTurned = readIsTurned(file, element);
    if (element.id === colourId) bitDepth = readBitDepth(file, element);
  }
  const { width, height, displayWidth, displayHeight } = read;
  const shown = toShown({ width, height }, (displayWidth * height) / (displayHeight * width), isTurned);
  return { codedWidth: width, codedHeight: height, ...shown, bitDepth };
}

/** Null if the depth is unspecified or not plausible. */
function readBitDepth(file: ByteWindow, colour: Element): number | null {
  for (const element of elementsIn(file, colour)) {
    if (element.id !== bitsPerChannelId) continue;
    const bits = readUnsigned(file, element);
    return bits > 0 && bits <= maxBitDepth ? bits : null;
  }
  return null;
}

const maxBitDepth = 16;

/** Whether the picture is rotated by 90 degrees in either direction. */
function readIsTurned(file: ByteWindow, projection: Element): boolean {
  for (const element of elementsIn(file, projection)) {
    if (element.id === rollId) return Math.abs(Math.abs(readFloat(file, element)) - 90) < 45;
  }
  return false;
}

/**
 * An element of RFC 8794, whose content is from `start` to before `end`. `end` is infinite if the
 * size is unknown.
 */
export interface Element {
  id: number;
  start: number;
  end: number;
}

/**
 * Reads an element (RFC 8794 sections 5 and 6). Null at the limit.
 * @throws HeaderFault if the bytes are not an element
 */
export function readElement(file: ByteWindow, at: number, limit: number): Element | null {
  if (at >= limit) return null;
  file.step();
  const idLength = lengthOf(file.u8(at), 4);
  const sizeAt = at + idLength;
  const sizeLength = lengthOf(file.u8(sizeAt), 8);
  const start = sizeAt + sizeLength;
  return { id: readNumber(file, at, idLength), start, end: start + readSize(file, sizeAt, sizeLength) };
}

/** Reads a variable-length integer, such as the track number of a block. */
export function readVint(file: ByteWindow, at: number): { value: number; length: number } {
  const length = lengthOf(file.u8(at), 8);
  return { value: readNumber(file, at, length, 0xff >> length), length };
}

/** Length of a variable-length integer: the number of leading zeros of its first byte, plus one. */
function lengthOf(first: number, most: number): number {
  const length = Math.clz32(first) - 23;
  if (length > most) throw new HeaderFault('damaged');
  return length;
}

/** Reads a size without its length marker. A size of all ones is unknown. */
function readSize(file: ByteWindow, at: number, length: number): number {
  const size = readNumber(file, at, length, 0xff >> length);
  return size >= 2 ** (7 * length) - 1 ? Number.POSITIVE_INFINITY : size;
}

/** @param mask the bits of the first byte that count */
function readNumber(file: ByteWindow, at: number, length: number, mask = 0xff): number {
  let value = length === 0 ? 0 : file.u8(at) & mask;
  for (let byte = 1; byte < length; byte += 1) value = value * 256 + file.u8(at + byte);
  return value;
}

/**
 * The elements of a parent, up to its end or the end of the file. An element of unknown size ends
 * with its parent.
 * @throws HeaderFault if an element ends beyond its parent
 */
export function* elementsIn(file: ByteWindow, parent: Element): Generator<Element> {
  const limit = Math.min(parent.end, file.size);
  let at = parent.start;
  for (;;) {
    const element = readElement(file, at, limit);
    if (element === null) return;
    at = element.end;
    const isUnbounded = at === Number.POSITIVE_INFINITY;
    if (element.start > parent.end || (at > parent.end && !isUnbounded)) throw new HeaderFault('damaged');
    yield isUnbounded ? { ...element, end: parent.end } : element;
  }
}

/** Reads an unsigned integer of up to eight bytes. */
export function readUnsigned(file: ByteWindow, { start, end }: Element): number {
  if (end - start > 8) throw new HeaderFault('damaged');
  return readNumber(file, start, end - start);
}

/** Reads a single or double precision float. An empty element is zero. */
export function readFloat(file: ByteWindow, { start, end }: Element): number {
  if (end === start) return 0;
  if (end - start === 4) return file.f32(start);
  if (end - start === 8) return file.f64(start);
  throw new HeaderFault('damaged');
}

/**
 * Reads text, which ends with its element or with a zero byte before that. At most 64 bytes are
 * read.
 */
function readText(file: ByteWindow, { start, end }: Element): string {
  return file.text(start, Math.min(end - start, 64)).replace(/\0.*$/s, '');
}
