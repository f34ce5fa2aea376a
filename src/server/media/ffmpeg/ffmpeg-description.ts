/** What ffmpeg says about a file. */
export interface Description {
  durationMs: number | null;
  /** Null when there is no video track but, at most, that of a cover. */
  videoTrack: DescribedVideoTrack | null;
  audioCodec: string | null;
}

interface DescribedVideoTrack {
  codec: string;
  /** Pixels as shown: turned and stretched as the file wants it. */
  width: number;
  height: number;
  isHdr: boolean;
}

/**
 * Reads what `ffmpeg -i` writes to standard error. Titles and comments of the file stand in it too, further indented,
 * so each line is read from its very beginning. Null when the file could not be opened.
 */
export function readDescription(said: string): Description | null {
  const lines = said.split('\n');
  if (!lines.some((line) => line.startsWith('Input #0, '))) return null;
  return {
    durationMs: readDuration(lines.find((line) => line.startsWith('  Duration: ')) ?? ''),
    videoTrack: readVideoTrack(lines),
    audioCodec: readCodec(lines, 'Audio'),
  };
}

function readDuration(line: string): number | null {
  const [, hours, minutes, seconds] = /^ {2}Duration: (\d+):(\d\d):(\d\d\.\d+)/.exec(line) ?? [];
  if (seconds === undefined) return null;
  return Math.round((Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)) * 1000);
}

/** No two of its parts take the same signs: the file decides what stands between them. */
const streamLine = /^ {2}Stream #0:\d+(?:[^\d:][^:]*)?: (Video|Audio): (\w+)(.*)$/;
/** The two transfer functions of HDR: PQ and HLG. */
const hdrTransfer = /smpte2084|arib-std-b67/;

function readVideoTrack(lines: readonly string[]): DescribedVideoTrack | null {
  const at = lines.findIndex((line) => streamLine.exec(line)?.[1] === 'Video' && !line.includes('(attached pic)'));
  const [, , codec, facts] = streamLine.exec(lines[at] ?? '') ?? [];
  const [, width, height, sarWidth, sarHeight] = /, (\d+)x(\d+)(?: \[SAR (\d+):(\d+))?/.exec(facts ?? '') ?? [];
  if (codec === undefined || facts === undefined || width === undefined) return null;
  const stretched = { width: Math.round(Number(width) * ratio(sarWidth, sarHeight)), height: Number(height) };
  return {
    codec: ourNameOf(codec),
    ...(isTurned(lines, at) ? turn(stretched) : stretched),
    isHdr: hdrTransfer.test(facts),
  };
}

function ratio(numerator: string | undefined, denominator: string | undefined): number {
  return numerator === undefined || Number(denominator) === 0 ? 1 : Number(numerator) / Number(denominator);
}

/** The stream's own side data stands between its line and the next stream's. */
function isTurned(lines: readonly string[], at: number): boolean {
  const next = lines.findIndex((line, index) => index > at && streamLine.test(line));
  const own = lines.slice(at + 1, next === -1 ? undefined : next);
  const [, degrees] = /rotation of (-?\d+(?:\.\d+)?) degrees/.exec(own.join('\n')) ?? [];
  return degrees !== undefined && Math.round(Math.abs(Number(degrees)) / 90) % 2 === 1;
}

function turn({ width, height }: { width: number; height: number }) {
  return { width: height, height: width };
}

function readCodec(lines: readonly string[], kind: 'Audio'): string | null {
  const match = lines.map((line) => streamLine.exec(line)).find((found) => found?.[1] === kind);
  return match?.[2] === undefined ? null : ourNameOf(match[2]);
}

/** The probe's names where it has one. */
function ourNameOf(codec: string): string {
  return codec === 'h264' ? 'avc' : codec;
}
