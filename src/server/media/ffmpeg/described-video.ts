import type { Chroma } from '#contract/rules/media/needs.ts';
import type { StreamLines } from './stream-lines.ts';

/** A video track, as ffmpeg describes it. */
export interface DescribedVideoTrack {
  index: number;
  codec: string;
  profile: string | null;
  /** Bits of each sample. */
  bitDepth: number;
  /** Null for what is none of them. */
  chroma: Chroma | null;
  /** Pixels as shown: turned and stretched as the file wants it. */
  width: number;
  height: number;
  /** How colours are written as brightness and differences; null: not said. */
  matrix: string | null;
  isHdr: boolean;
  /** The curve of HDR; null for everything else. */
  hdrTransfer: HdrTransfer | null;
  /** Null: not said. */
  framesPerSecond: number | null;
  /** Whether frames are shown for different times. */
  hasVariableRate: boolean;
  /** Null: not said. */
  isInterlaced: boolean | null;
}

type HdrTransfer = 'smpte2084' | 'arib-std-b67';
/** PQ and HLG. */
const hdrTransfers: readonly HdrTransfer[] = ['smpte2084', 'arib-std-b67'];

/** Null for the picture of a cover. */
export function readVideoTrack({ index, codec, facts, details }: StreamLines): DescribedVideoTrack | null {
  if (facts.includes('(attached pic)')) return null;
  const [, width, height, ...inside] = /, (\d+)x(\d+)(?: \[SAR (\d+):(\d+))?/.exec(facts) ?? [];
  if (width === undefined) return null;
  // The container's shape of a pixel stands by itself where the codec has another one.
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

/** `yuv420p10le(tv, bt2020nc/bt2020/smpte2084, progressive)`: the name, and what stands in brackets. */
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

/** `bt709`, or `bt2020nc/bt2020/smpte2084`: matrix, primaries and curve. */
function readMatrix(colors: string): string | null {
  const named = colors.split(', ').find((word) => /^[\w-]+\/[\w-]+\/[\w-]+$|^(?:bt|smpte|fcc)\w*$/.test(word));
  const [matrix = 'unknown'] = named?.split('/') ?? [];
  return matrix === 'unknown' ? null : matrix;
}

function readScan(colors: string): boolean | null {
  if (/\b(?:top|bottom) (?:coded )?first/.test(colors)) return true;
  return colors.includes('progressive') ? false : null;
}

/** Beyond it, what is said of the average and of the shortest frame is no rounding any more. */
const steadyWithin = 0.01;
/** Of interlaced video, the shortest frame is a field. */
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

/** The stream's own side data stands below its line. */
function isTurned(details: string): boolean {
  const [, degrees] = /rotation of (-?\d+(?:\.\d+)?) degrees/.exec(details) ?? [];
  return degrees !== undefined && Math.round(Math.abs(Number(degrees)) / 90) % 2 === 1;
}

/** The probe's names where it has one. */
export function ourNameOf(codec: string): string {
  return codec === 'h264' ? 'avc' : codec;
}
