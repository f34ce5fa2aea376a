import type { Chroma } from '#contract/rules/media-needs.ts';
import { chromas } from '#contract/rules/media-needs.ts';
import type { ByteWindow } from './byte-window.ts';

/** How the samples of a frame are stored; null where the file does not say. */
export interface SampleFormat {
  bitDepth: number | null;
  chroma: Chroma | null;
}

export const unknownFormat: SampleFormat = { bitDepth: null, chroma: null };

/** A video track. */
export interface VideoTrack extends SampleFormat {
  /** `avc`, `hevc`, `vp8`, `vp9`, `av1`, `prores`; null for any other, and for one that is encrypted. */
  codec: string | null;
  /** Pixels as stored. */
  codedWidth: number;
  codedHeight: number;
  /** Pixels as shown: turned and stretched as the file wants it. */
  width: number;
  height: number;
  isDefault: boolean;
  /** How long one frame is shown, on average and as far as the header says it. */
  secondsEach: number | null;
}

/** A track of sound; `codec` is `other` for one that no browser knows, and null for one that is encrypted. */
export interface AudioTrack {
  codec: string | null;
  isDefault: boolean;
}

/** What the headers of a file say. */
export interface Tracks {
  seconds: number | null;
  /** Of any kind. */
  count: number;
  videoTracks: VideoTrack[];
  sounds: AudioTrack[];
}

/** More tracks than this are not read. */
export const maxTracks = 64;

export interface Sides {
  width: number;
  height: number;
}

/**
 * The shown size of a stored frame.
 * @param stretch width of a pixel by its height; anything but a positive number leaves the frame as it is
 */
export function toShown({ width, height }: Sides, stretch: number, isTurned: boolean): Sides {
  const isStretched = stretch > 0 && Number.isFinite(stretch);
  const wide = isStretched && stretch > 1 ? Math.round(width * stretch) : width;
  const high = isStretched && stretch < 1 ? Math.round(height / stretch) : height;
  return isTurned ? { width: high, height: wide } : { width: wide, height: high };
}

/** A decoder configuration record: the content of `avcC` and its like in MP4, a CodecPrivate in Matroska. */
interface CodecConfiguration {
  start: number;
  end: number;
}

const usualFormat: SampleFormat = { bitDepth: 8, chroma: '4:2:0' };

type ReadFormat = (file: ByteWindow, configuration: CodecConfiguration) => SampleFormat;

/** By the codec, with the bytes that each one reads at least. */
const readers = new Map<string, { bytes: number; read: ReadFormat }>([
  ['avc', { bytes: 7, read: readAvc }],
  ['hevc', { bytes: 19, read: readHevc }],
  ['av1', { bytes: 4, read: readAv1 }],
]);

/** How samples are stored that have this codec. @param configuration null where the container has none */
export function readSampleFormat(
  file: ByteWindow,
  codec: string | null,
  configuration: CodecConfiguration | null,
): SampleFormat {
  // RFC 6386: there is nothing else.
  if (codec === 'vp8') return usualFormat;
  const reader = readers.get(codec ?? '');
  if (reader === undefined || configuration === null) return unknownFormat;
  const { start, end } = configuration;
  return end - start < reader.bytes || end > file.size ? unknownFormat : reader.read(file, configuration);
}

/** H.264 profiles without a sequence to say more: Baseline, Main, Extended, High; High 10; High 4:2:2. */
const avcProfiles = new Map<number, SampleFormat>([
  ...[66, 77, 88, 100].map((profile) => [profile, usualFormat] as const),
  [110, { bitDepth: 10, chroma: '4:2:0' }],
  [122, { bitDepth: 10, chroma: '4:2:2' }],
]);

/** ISO 14496-15 section 5.3.3.1: the profile, then the sequences, of which the first says most. */
function readAvc(file: ByteWindow, { start, end }: CodecConfiguration): SampleFormat {
  const byProfile = avcProfiles.get(file.u8(start + 1)) ?? unknownFormat;
  const hasSequence = (file.u8(start + 5) & 0x1f) > 0 && end - start > 8;
  if (!hasSequence) return byProfile;
  const sequence = { start: start + 8, end: Math.min(end, start + 8 + file.u16(start + 6)) };
  return readAvcSequence(file, sequence) ?? byProfile;
}

/** ISO 14496-15 section 8.3.3.1. */
function readHevc(file: ByteWindow, { start }: CodecConfiguration): SampleFormat {
  return { bitDepth: 8 + (file.u8(start + 17) & 0x7), chroma: chromas[file.u8(start + 16) & 0x3] ?? null };
}

/** The AV1 codec's ISO Media File Format Binding, section 2.3. */
function readAv1(file: ByteWindow, { start }: CodecConfiguration): SampleFormat {
  const profile = file.u8(start + 1) >> 5;
  const flags = file.u8(start + 2);
  const isTwelve = profile === 2 && (flags & 0x20) !== 0;
  const bitDepth = flags & 0x40 ? (isTwelve ? 12 : 10) : 8;
  if (flags & 0x10) return { bitDepth, chroma: '4:0:0' };
  if (flags & 0x08) return { bitDepth, chroma: flags & 0x04 ? '4:2:0' : '4:2:2' };
  return { bitDepth, chroma: '4:4:4' };
}

/** As VP9 counts them; where the samples of 4:2:0 lie makes two of it. */
const vpChromas: readonly Chroma[] = ['4:2:0', '4:2:0', '4:2:2', '4:4:4'];

/** `vpcC`, with its version and flags: VP Codec ISO Media File Format Binding; version 0 came before that. */
export function readVpFormat(file: ByteWindow, { start, end }: CodecConfiguration): SampleFormat {
  if (end - start < 8 || end > file.size) return unknownFormat;
  const depths = file.u8(start + 6);
  const subsampling = file.u8(start) === 0 ? file.u8(start + 7) >> 4 : (depths >> 1) & 0x7;
  return { bitDepth: depths >> 4, chroma: vpChromas[subsampling] ?? null };
}

/** VP9 in Matroska: a list of features, each with its id and its length (VP Codec Mapping in Matroska). */
export function readVpFeatures(file: ByteWindow, { start, end }: CodecConfiguration): SampleFormat {
  const format = { ...unknownFormat };
  for (let at = start; at + 3 <= Math.min(end, start + maxFeatureBytes, file.size); at += 2 + file.u8(at + 1)) {
    const value = file.u8(at + 2);
    if (file.u8(at) === 3) format.bitDepth = value;
    else if (file.u8(at) === 4) format.chroma = vpChromas[value] ?? null;
  }
  return format;
}

const maxFeatureBytes = 64;

/**
 * VP9 by the head of a key frame: VP9 Bitstream Specification section 6.2.
 * @param at where the frame begins
 */
export function readVpFrame(file: ByteWindow, at: number): SampleFormat {
  const head = file.u32(at);
  const frameMarker = head >>> 30;
  if (frameMarker !== 2) return unknownFormat;
  const profile = ((head >>> 29) & 1) | (((head >>> 28) & 1) << 1);
  const chroma = profile % 2 === 0 ? '4:2:0' : null;
  if (profile < 2) return { bitDepth: 8, chroma };
  // Behind four bits of flags and a start code of three bytes; profile 3 has a bit more.
  const isTwelve = (file.u8(at + 4) & (profile === 3 ? 0x40 : 0x80)) !== 0;
  return { bitDepth: isTwelve ? 12 : 10, chroma };
}

/** Profiles whose sequences say how samples are stored; those of all others are 8 bits and 4:2:0. */
const explicitProfiles = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const separatePlanes = 3;

/**
 * The beginning of an H.264 sequence parameter set, with the head of its NAL unit: ITU-T H.264 section 7.3.2.1.1. Null
 * for what is none. So near to the beginning no byte is there to keep start codes apart.
 */
function readAvcSequence(file: ByteWindow, { start, end }: { start: number; end: number }): SampleFormat | null {
  if (end - start < 5) return null;
  if (!explicitProfiles.has(file.u8(start + 1))) return { bitDepth: 8, chroma: '4:2:0' };
  const bits = new BitReader(file, start + 4, end);
  bits.readExpGolomb();
  const format = bits.readExpGolomb();
  if (format === separatePlanes) bits.read();
  const bitDepth = 8 + bits.readExpGolomb();
  return bits.isBeyondEnd || bitDepth > maxBitDepth ? null : { bitDepth, chroma: chromas[format] ?? null };
}

const maxBitDepth = 14;
/** Zeros before the one of an Exp-Golomb code: none that is read here is longer. */
const maxZeros = 8;

class BitReader {
  private readonly file: ByteWindow;
  private at: number;
  private readonly end: number;

  /** @param start byte of the file */
  constructor(file: ByteWindow, start: number, end: number) {
    this.file = file;
    this.at = start * 8;
    this.end = end * 8;
  }

  get isBeyondEnd(): boolean {
    return this.at > this.end;
  }

  /** Beyond the end there are ones. */
  read(): number {
    const at = this.at;
    this.at += 1;
    return at >= this.end ? 1 : (this.file.u8(Math.floor(at / 8)) >> (7 - (at % 8))) & 1;
  }

  /** ITU-T H.264 section 9.1. */
  readExpGolomb(): number {
    let zeros = 0;
    while (zeros < maxZeros && this.read() === 0) zeros += 1;
    let value = 1;
    for (let bit = 0; bit < zeros; bit += 1) value = value * 2 + this.read();
    return value - 1;
  }
}
