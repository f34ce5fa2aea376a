import { limits } from '#contract/limits.ts';
import type { Chroma } from '#contract/rules/media-needs.ts';

/** ffmpeg's description of a file. */
export interface Description {
  durationMs: number | null;
  /**
   * Whether ffmpeg has estimated the duration from the file's size and the bit rate of its start.
   */
  isDurationGuessed: boolean;
  /** The second at which the first picture or sound comes. */
  startSeconds: number;
  /** Bit rate of all tracks together; null if unknown. */
  kbps: number | null;
  /** Null if there is no video track, or only a cover image. */
  videoTrack: DescribedVideoTrack | null;
  audioCodec: string | null;
  audioTracks: DescribedAudioTrack[];
  subtitles: DescribedSubtitles[];
}

/**
 * Parses what `ffmpeg -i` writes to standard error. Null if ffmpeg could not open the file, or the
 * output contradicts itself.
 */
export function readDescription(said: string): Description | null {
  const lines = said.split('\n');
  const streams = readStreamLines(lines);
  if (streams === null || !lines.some((line) => line.startsWith('Input #0, '))) return null;
  const head = lines.find((line) => line.startsWith('  Duration: ')) ?? '';
  const audioTracks = streams.filter(({ kind }) => kind === 'Audio').map(readAudioTrack);
  const videoTracks = streams.filter(({ kind }) => kind === 'Video').flatMap((stream) => readVideoTrack(stream) ?? []);
  return {
    durationMs: readDuration(head),
    isDurationGuessed: isGuessed(said),
    startSeconds: Number(/, start: (\d+\.\d+)/.exec(head)?.[1] ?? 0),
    kbps: Number(/ bitrate: (\d+) kb\/s/.exec(head)?.[1]) || null,
    videoTrack: videoTracks[0] ?? null,
    audioCodec: audioTracks[0]?.codec ?? null,
    audioTracks,
    subtitles: streams.filter(({ kind }) => kind === 'Subtitle').map(readSubtitles),
  };
}

function isGuessed(said: string): boolean {
  return /^\[\w+ @ 0x[\da-f]+\] Estimating duration from bitrate/m.test(said);
}

function readDuration(line: string): number | null {
  const [, hours, minutes, seconds] = /^ {2}Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(line) ?? [];
  if (seconds === undefined) return null;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}

/** A video track, as ffmpeg describes it. */
export interface DescribedVideoTrack {
  index: number;
  codec: string;
  profile: string | null;
  /** Bits per sample. */
  bitDepth: number;
  /** Null for any other subsampling. */
  chroma: Chroma | null;
  /** Displayed size in pixels, after rotation and pixel aspect ratio. */
  width: number;
  height: number;
  /** The YUV matrix; null if unknown. */
  matrix: string | null;
  isHdr: boolean;
  /** The HDR transfer function; null for SDR. */
  hdrTransfer: HdrTransfer | null;
  /** Null if unknown. */
  framesPerSecond: number | null;
  /** Whether the durations of frames differ. */
  hasVariableRate: boolean;
  /** Null if unknown. */
  isInterlaced: boolean | null;
}

type HdrTransfer = 'smpte2084' | 'arib-std-b67';
/** PQ and HLG. */
const hdrTransfers: readonly HdrTransfer[] = ['smpte2084', 'arib-std-b67'];

/** Null for a cover image. */
function readVideoTrack({ index, codec, facts, details }: StreamLines): DescribedVideoTrack | null {
  if (facts.includes('(attached pic)')) return null;
  const [, width, height, ...inside] = /, (\d+)x(\d+)(?: \[SAR (\d+):(\d+))?/.exec(facts) ?? [];
  if (width === undefined) return null;
  // If the container's pixel aspect ratio differs from the codec's, ffmpeg lists it separately.
  const [, ...outside] = /, SAR (\d+):(\d+)/.exec(facts) ?? [];
  const [sarWidth, sarHeight] = outside[0] === undefined ? inside : outside;
  const stretched = { width: Math.round(Number(width) * ratio(sarWidth, sarHeight)), height: Number(height) };
  const { format, colors } = readPixelFormat(facts);
  const hdrTransfer = hdrTransfers.find((transfer) => colors.includes(transfer)) ?? null;
  return {
    index,
    codec: ourNameOf(codec),
    profile: /^ \(([^()/]+)\)/.exec(facts)?.[1] ?? null,
    bitDepth: readDepth(format),
    chroma: readChroma(format),
    ...(isTurned(details) ? { width: stretched.height, height: stretched.width } : stretched),
    matrix: readMatrix(colors),
    isHdr: hdrTransfer !== null,
    hdrTransfer,
    ...readRate(facts),
    isInterlaced: readScan(colors),
  };
}

function ratio(numerator: string | undefined, denominator: string | undefined): number {
  return numerator === undefined || !(Number(numerator) > 0 && Number(denominator) > 0)
    ? 1
    : Number(numerator) / Number(denominator);
}

/**
 * Splits `yuv420p10le(tv, bt2020nc/bt2020/smpte2084, progressive)` into the name and the part in
 * brackets.
 */
function readPixelFormat(facts: string): { format: string; colors: string } {
  const [, format = '', colors = ''] = /, (\w+)(?:\(((?:[^()]|\([^()]*\))*)\))?, \d+x\d+/.exec(facts) ?? [];
  return { format, colors };
}

function readDepth(format: string): number {
  if (/^[pyx][24][14]0|^x2rgb10/.test(format)) return 10;
  return Number(/(9|10|12|14|16)(?:le|be)$/.exec(format)?.[1] ?? 8);
}

function readChroma(format: string): Chroma | null {
  if (/^gray/.test(format)) return '4:0:0';
  if (/^yuvj?a?420|^nv(12|21)|^p01/.test(format)) return '4:2:0';
  if (/^yuvj?a?422|^yuyv|^uyvy|^nv16|^[py]21/.test(format)) return '4:2:2';
  if (/^yuvj?a?444|rgb|bgr|^gbr|^nv24|^p41/.test(format)) return '4:4:4';
  return null;
}

/**
 * Reads the matrix from `bt709` or `bt2020nc/bt2020/smpte2084` (matrix, primaries, transfer
 * function).
 */
function readMatrix(colors: string): string | null {
  const named = colors.split(', ').find((word) => /^[\w-]+\/[\w-]+\/[\w-]+$|^(?:bt|smpte|fcc)\w*$/.test(word));
  const [matrix = 'unknown'] = named?.split('/') ?? [];
  return matrix === 'unknown' ? null : matrix;
}

function readScan(colors: string): boolean | null {
  if (/\b(?:top|bottom) (?:coded )?first/.test(colors)) return true;
  return colors.includes('progressive') ? false : null;
}

/**
 * A larger difference between the average frame rate and the one of the shortest frame is not a
 * rounding error.
 */
const steadyWithin = 0.01;
/** The shortest frame of interlaced video is a field. */
const fieldsPerFrame = 2;

function readRate(facts: string): Pick<DescribedVideoTrack, 'framesPerSecond' | 'hasVariableRate'> {
  const average = readNumber(/, ([\d.]+)(k?) fps/.exec(facts));
  const base = readNumber(/, ([\d.]+)(k?) tbr/.exec(facts));
  if (average === null || base === null) return { framesPerSecond: average ?? base, hasVariableRate: average === null };
  const isSteady = [1, fieldsPerFrame].some((times) => Math.abs(average * times - base) <= base * steadyWithin);
  return { framesPerSecond: average, hasVariableRate: !isSteady };
}

function readNumber(match: RegExpExecArray | null): number | null {
  const value = Number(match?.[1]) * (match?.[2] === 'k' ? 1000 : 1);
  return value > 0 ? value : null;
}

/** The stream's side data follows its line. */
function isTurned(details: string): boolean {
  const [, degrees] = /rotation of (-?\d+(?:\.\d+)?) degrees/.exec(details) ?? [];
  return degrees !== undefined && Math.round(Math.abs(Number(degrees)) / 90) % 2 === 1;
}

/** The probe's name for a codec, if it has one. */
function ourNameOf(codec: string): string {
  return codec === 'h264' ? 'avc' : codec;
}

/** An audio track, as ffmpeg describes it. */
export interface DescribedAudioTrack {
  index: number;
  codec: string;
  profile: string | null;
  /** Null if unknown. */
  channels: number | null;
  language: string | null;
  title: string | null;
  isDefault: boolean;
}

export interface DescribedSubtitles {
  index: number;
  codec: string;
  /** Whether the track stores text or pictures of it; null if ffmpeg cannot read it. */
  form: 'text' | 'pictures' | null;
  language: string | null;
  title: string | null;
  isDefault: boolean;
  isForced: boolean;
}

function readAudioTrack({ index, codec, facts, language, title }: StreamLines): DescribedAudioTrack {
  return {
    index,
    codec: ourNameOf(codec),
    profile: /^ \(([^()/]+)\)/.exec(facts)?.[1] ?? null,
    channels: readChannels(/, \d+ Hz, ([^,]+)/.exec(facts)?.[1] ?? ''),
    language,
    title,
    isDefault: facts.includes('(default)'),
  };
}

/** Parses `mono`, `stereo`, `5.1(side)` or `6 channels`. */
function readChannels(layout: string): number | null {
  if (layout.startsWith('mono')) return 1;
  if (layout.startsWith('stereo')) return 2;
  const [, counted, main, more] = /^(\d+) channels|^(\d+)\.(\d)/.exec(layout) ?? [];
  if (counted !== undefined) return Number(counted);
  return main === undefined ? null : Number(main) + Number(more);
}

const textCodecs = new Set(['subrip', 'ass', 'ssa', 'mov_text', 'webvtt', 'text', 'microdvd', 'subviewer', 'stl']);
const pictureCodecs = new Set(['hdmv_pgs_subtitle', 'dvd_subtitle', 'dvb_subtitle', 'xsub']);

function readSubtitles({ index, codec, facts, language, title }: StreamLines): DescribedSubtitles {
  return {
    index,
    codec,
    form: textCodecs.has(codec) ? 'text' : pictureCodecs.has(codec) ? 'pictures' : null,
    language,
    title,
    isDefault: facts.includes('(default)'),
    isForced: facts.includes('(forced)'),
  };
}

/** ffmpeg's lines on one track: its stream line and the further indented lines below it. */
interface StreamLines {
  /** Index of the track in the file. */
  index: number;
  kind: 'Video' | 'Audio' | 'Subtitle';
  codec: string;
  /** The text after the codec. */
  facts: string;
  /** The language code of the file: mostly ISO 639, sometimes BCP 47. */
  language: string | null;
  title: string | null;
  details: string;
}

/**
 * No two adjacent parts match the same characters, which keeps matching fast although the file
 * controls the text.
 */
const streamLine = /^ {2}Stream #0:(\d+)([^\d:][^:]*)?: (Video|Audio|Subtitle): (\w+)(.*)$/;
const anyStream = /^ {2}Stream #0:(\d+)/;

/**
 * Titles and comments of the file are further indented, so only lines with the exact indentation
 * count. A tag's name can contain a line break and forge a line: if a track is listed twice, the
 * whole output is rejected. Only a track of several programs has its line in each of them.
 */
function readStreamLines(lines: readonly string[]): StreamLines[] | null {
  const starts = lines.flatMap((line, at) => (anyStream.test(line) ? [at] : []));
  const different = new Set(starts.map((at) => lines[at] ?? ''));
  const indexes = new Set(Array.from(different, (line) => anyStream.exec(line)?.[1]));
  const hasPrograms = lines.some((line) => line.startsWith('  Program '));
  if (indexes.size !== (hasPrograms ? different.size : starts.length)) return null;
  return starts.flatMap((at, place) => {
    const line = lines[at] ?? '';
    return different.delete(line) ? (readStream(line, lines.slice(at + 1, starts[place + 1])) ?? []) : [];
  });
}

function readStream(line: string, below: readonly string[]): StreamLines | null {
  const [, index, between = '', kind, codec, facts] = streamLine.exec(line) ?? [];
  if (codec === undefined || facts === undefined) return null;
  return {
    index: Number(index),
    kind: kind as StreamLines['kind'],
    codec,
    facts,
    language: readLanguage(between),
    title: readTitle(below),
    details: below.join('\n'),
  };
}

function readLanguage(between: string): string | null {
  const [, language] = /\(([A-Za-z\d-]+)\)/.exec(between) ?? [];
  return language === undefined || language === 'und' || language.length > limits.languageCharacters ? null : language;
}

const titleCharacters = 100;

/** The title in one line, without invisible characters. */
function readTitle(below: readonly string[]): string | null {
  const titles = below.flatMap((line) => /^ {8}title {11}: (.*)$/.exec(line)?.[1] ?? []);
  const plain = (titles[0] ?? '')
    .replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\ufffd]/gu, '')
    .trim()
    .slice(0, titleCharacters);
  return plain === '' ? null : plain;
}
