import type { Chroma } from '#contract/rules/media-needs.ts';
import { chromas } from '#contract/rules/media-needs.ts';
import type { ByteWindow } from './byte-window.ts';

/** The sample format of a track's frames; null for what the file does not specify. */
export interface SampleFormat {
  bitDepth: number | null;
  chroma: Chroma | null;
}

export const unknownFormat: SampleFormat = { bitDepth: null, chroma: null };

export interface VideoTrack extends SampleFormat {
  /**
   * `avc`, `hevc`, `vp8`, `vp9`, `av1`, `prores`; null for any other codec and for encrypted video.
   */
  codec: string | null;
  /** Coded size in pixels. */
  codedWidth: number;
  codedHeight: number;
  /** Displayed size in pixels, after rotation and pixel aspect ratio. */
  width: number;
  height: number;
  isDefault: boolean;
  /** Mean frame duration in seconds, if the header specifies it. */
  secondsEach: number | null;
}

/**
 * An audio track. `codec` is `other` for a codec that no browser plays, and null for encrypted
 * audio.
 */
export interface AudioTrack {
  codec: string | null;
  isDefault: boolean;
}

/** The contents of a file's headers. */
export interface Tracks {
  /** The second at which the last track ends. */
  seconds: number | null;
  /** The second at which the first picture or sound comes. */
  startSeconds: number;
  /** Number of tracks of any type. */
  count: number;
  videoTracks: VideoTrack[];
  sounds: AudioTrack[];
}

/** A file with more tracks than this is rejected. */
export const maxTracks = 64;

export interface Sides {
  width: number;
  height: number;
}

/**
 * The displayed size of a coded frame.
 * @param stretch pixel aspect ratio; the size stays as it is unless this is a positive number
 */
export function toShown({ width, height }: Sides, stretch: number, isTurned: boolean): Sides {
  const isStretched = stretch > 0 && Number.isFinite(stretch);
  const wide = isStretched && stretch > 1 ? Math.round(width * stretch) : width;
  const high = isStretched && stretch < 1 ? Math.round(height / stretch) : height;
  return isTurned ? { width: high, height: wide } : { width: wide, height: high };
}

/**
 * A decoder configuration record: the content of `avcC` and similar boxes in MP4, a CodecPrivate in
 * Matroska.
 */
interface CodecConfiguration {
  start: number;
  end: number;
}

const usualFormat: SampleFormat = { bitDepth: 8, chroma: '4:2:0' };

type ReadFormat = (file: ByteWindow, configuration: CodecConfiguration) => SampleFormat;

/** Readers by codec, with the smallest size of their configuration in bytes. */
const readers = new Map<string, { bytes: number; read: ReadFormat }>([
  ['avc', { bytes: 7, read: readAvc }],
  ['hevc', { bytes: 19, read: readHevc }],
  ['av1', { bytes: 4, read: readAv1 }],
]);

/** Reads the sample format of a track. @param configuration null if the container has none */
export function readSampleFormat(
  file: ByteWindow,
  codec: string | null,
  configuration: CodecConfiguration | null,
): SampleFormat {
  // VP8 has a single sample format (RFC 6386).
  if (codec === 'vp8') return usualFormat;
  const reader = readers.get(codec ?? '');
  if (reader === undefined || configuration === null) return unknownFormat;
  const { start, end } = configuration;
  return end - start < reader.bytes || end > file.size ? unknownFormat : reader.read(file, configuration);
}

/**
 * Formats of H.264 profiles, if there is no sequence parameter set: Baseline, Main, Extended, High;
 * High 10; High 4:2:2.
 */
const avcProfiles = new Map<number, SampleFormat>([
  ...[66, 77, 88, 100].map((profile) => [profile, usualFormat] as const),
  [110, { bitDepth: 10, chroma: '4:2:0' }],
  [122, { bitDepth: 10, chroma: '4:2:2' }],
]);

/**
 * Reads `avcC` (ISO 14496-15 section 5.3.3.1): the profile, then the sequence parameter sets, of
 * which the first one is used.
 */
function readAvc(file: ByteWindow, { start, end }: CodecConfiguration): SampleFormat {
  const byProfile = avcProfiles.get(file.u8(start + 1)) ?? unknownFormat;
  const hasSequence = (file.u8(start + 5) & 0x1f) > 0 && end - start > 8;
  if (!hasSequence) return byProfile;
  const sequence = { start: start + 8, end: Math.min(end, start + 8 + file.u16(start + 6)) };
  return readAvcSequence(file, sequence) ?? byProfile;
}

/** Reads `hvcC` (ISO 14496-15 section 8.3.3.1). */
function readHevc(file: ByteWindow, { start }: CodecConfiguration): SampleFormat {
  return { bitDepth: 8 + (file.u8(start + 17) & 0x7), chroma: chromas[file.u8(start + 16) & 0x3] ?? null };
}

/** Reads `av1C` (AV1 Codec ISO Media File Format Binding, section 2.3). */
function readAv1(file: ByteWindow, { start }: CodecConfiguration): SampleFormat {
  const profile = file.u8(start + 1) >> 5;
  const flags = file.u8(start + 2);
  const isTwelve = profile === 2 && (flags & 0x20) !== 0;
  const bitDepth = flags & 0x40 ? (isTwelve ? 12 : 10) : 8;
  if (flags & 0x10) return { bitDepth, chroma: '4:0:0' };
  if (flags & 0x08) return { bitDepth, chroma: flags & 0x04 ? '4:2:0' : '4:2:2' };
  return { bitDepth, chroma: '4:4:4' };
}

/**
 * Chroma subsampling by VP9's numbers, of which two differ only in the sample position of 4:2:0.
 */
const vpChromas: readonly Chroma[] = ['4:2:0', '4:2:0', '4:2:2', '4:4:4'];

/**
 * Reads `vpcC` including its version and flags (VP Codec ISO Media File Format Binding). Version 0
 * is older than that specification.
 */
export function readVpFormat(file: ByteWindow, { start, end }: CodecConfiguration): SampleFormat {
  if (end - start < 8 || end > file.size) return unknownFormat;
  const depths = file.u8(start + 6);
  const subsampling = file.u8(start) === 0 ? file.u8(start + 7) >> 4 : (depths >> 1) & 0x7;
  return { bitDepth: depths >> 4, chroma: vpChromas[subsampling] ?? null };
}

/**
 * Reads the CodecPrivate of VP9: a list of features, each with an id and a length (VP Codec Mapping
 * in Matroska).
 */
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
 * Reads the format from the header of a VP9 key frame (VP9 Bitstream Specification section 6.2).
 * @param at position of the frame
 */
export function readVpFrame(file: ByteWindow, at: number): SampleFormat {
  const head = file.u32(at);
  const frameMarker = head >>> 30;
  if (frameMarker !== 2) return unknownFormat;
  const profile = ((head >>> 29) & 1) | (((head >>> 28) & 1) << 1);
  const chroma = profile % 2 === 0 ? '4:2:0' : null;
  if (profile < 2) return { bitDepth: 8, chroma };
  // The bit follows four bits of flags and a start code of three bytes; profile 3 has one more bit
  // before it.
  const isTwelve = (file.u8(at + 4) & (profile === 3 ? 0x40 : 0x80)) !== 0;
  return { bitDepth: isTwelve ? 12 : 10, chroma };
}

/**
 * H.264 profiles whose sequence parameter sets specify the format. All others have 8 bits and
 * 4:2:0.
 */
const explicitProfiles = new Set([44, 83, 86, 100, 110, 118, 122, 128, 134, 135, 138, 139, 244]);
const separatePlanes = 3;

/**
 * Reads the start of an H.264 sequence parameter set, including its NAL unit header (ITU-T H.264
 * section 7.3.2.1.1). Null if it is not valid. Emulation prevention bytes cannot occur so near to
 * the start.
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
/** Most leading zeros of an Exp-Golomb code. The values read here have fewer. */
const maxZeros = 8;

class BitReader {
  private readonly file: ByteWindow;
  private at: number;
  private readonly end: number;

  /** @param start byte position in the file */
  constructor(file: ByteWindow, start: number, end: number) {
    this.file = file;
    this.at = start * 8;
    this.end = end * 8;
  }

  get isBeyondEnd(): boolean {
    return this.at > this.end;
  }

  /** Reads one bit. Bits beyond the end are ones. */
  read(): number {
    const at = this.at;
    this.at += 1;
    return at >= this.end ? 1 : (this.file.u8(Math.floor(at / 8)) >> (7 - (at % 8))) & 1;
  }

  /** Reads an Exp-Golomb code (ITU-T H.264 section 9.1). */
  readExpGolomb(): number {
    let zeros = 0;
    while (zeros < maxZeros && this.read() === 0) zeros += 1;
    let value = 1;
    for (let bit = 0; bit < zeros; bit += 1) value = value * 2 + this.read();
    return value - 1;
  }
}
