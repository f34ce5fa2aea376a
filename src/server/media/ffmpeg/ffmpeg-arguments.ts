import type { Container } from '../containers/container-sniff.ts';
import { sandboxedInput } from '../sandbox/sandbox.ts';

/**
 * The demuxer of each container, and the names that `-format_whitelist` needs to allow it and no
 * other.
 */
const demuxers: Record<Container, { name: string; allowed: string }> = {
  mp4: { name: 'mov', allowed: 'mov,mp4,m4a,3gp,3g2,mj2' },
  mov: { name: 'mov', allowed: 'mov,mp4,m4a,3gp,3g2,mj2' },
  webm: { name: 'matroska', allowed: 'matroska,webm' },
  matroska: { name: 'matroska', allowed: 'matroska,webm' },
  avi: { name: 'avi', allowed: 'avi' },
  asf: { name: 'asf', allowed: 'asf' },
  flv: { name: 'flv', allowed: 'flv' },
  'mpeg-ts': { name: 'mpegts', allowed: 'mpegts' },
  'mpeg-ps': { name: 'mpeg', allowed: 'mpeg' },
};

/**
 * Slightly more than 8K, as in `probe.ts`. No memory is allocated for a header that claims more.
 */
const maxPixels = 8_192 * 8_192;
const maxStreams = 64;
const quiet = ['-nostdin', '-hide_banner', '-filter_threads', '1'];

interface InputOptions {
  /** Number of decoding threads. */
  threads?: number;
  /** Further options of the input. */
  options?: readonly string[];
}

/**
 * The input and its options: a fixed demuxer instead of a guess by content or name, files as the
 * only protocol (the whitelist also applies to whatever the file refers to), few threads, and
 * limits on what a header may claim.
 */
export function inputArguments(container: Container, { threads = 1, options = [] }: InputOptions = {}): string[] {
  const { name, allowed } = demuxers[container];
  const limits = ['-threads', String(threads), '-max_pixels', String(maxPixels), '-max_streams', String(maxStreams)];
  return [
    '-protocol_whitelist',
    'file',
    '-format_whitelist',
    allowed,
    ...limits,
    ...options,
    '-f',
    name,
    '-i',
    `file:${sandboxedInput}`,
  ];
}

/** Makes ffmpeg describe the file and exit. */
export function describingArguments(container: Container): string[] {
  return [...quiet, '-loglevel', 'info', ...inputArguments(container)];
}

export interface StillOptions {
  atSeconds: number;
  /** Largest size of the longer side, in pixels. */
  side: number;
  /** Whether to tone-map the picture to SDR. */
  isHdr: boolean;
  /** Gives no picture where its data is damaged. */
  endsAtErrors?: boolean;
}

/** Makes ffmpeg write one frame as PPM to its standard output, upright and with square pixels. */
export function stillArguments(
  container: Container,
  { atSeconds, side, isHdr, endsAtErrors = false }: StillOptions,
): string[] {
  const seek = atSeconds > 0 ? ['-ss', atSeconds.toFixed(3)] : [];
  const strictly = endsAtErrors ? ['-xerror', '-err_detect', 'explode'] : [];
  const only = ['-map', '0:V:0', '-an', '-sn', '-dn', '-frames:v', '1'];
  const filters = [scaleTo(side), ...(isHdr ? toneMap : []), 'format=rgb24'].join(',');
  return [
    ...quiet,
    '-loglevel',
    'error',
    ...inputArguments(container, { options: [...strictly, ...seek] }),
    ...only,
    '-vf',
    filters,
    '-c:v',
    'ppm',
    '-threads',
    '1',
    '-f',
    'image2pipe',
    'pipe:1',
  ];
}

/** Scales a frame down to `side`, never up. `sar` is the pixel aspect ratio. */
function scaleTo(side: number): string {
  const factor = `min(1,${side}/max(iw*sar,ih))`;
  return `scale=w='max(2,round(iw*sar*${factor}))':h='max(2,round(ih*${factor}))',setsar=1`;
}

/** Tone-maps PQ or HLG to BT.709. */
export const toneMap = [
  'zscale=t=linear:npl=100',
  'format=gbrpf32le',
  'zscale=p=bt709',
  'tonemap=tonemap=hable:desat=0',
  'zscale=t=bt709:m=bt709:r=tv',
];
