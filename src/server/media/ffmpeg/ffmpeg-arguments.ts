import type { Container } from '../containers/container-sniff.ts';
import { sandboxedInput } from '../sandbox/sandbox.ts';

/** The one demuxer for what the bytes were found to be, and the name by which it allows itself and nothing else. */
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

/** 8K and a little, as `probe.ts` allows it; a header that promises more is not believed with memory. */
const maxPixels = 8_192 * 8_192;
const maxStreams = 64;
const quiet = ['-nostdin', '-hide_banner', '-filter_threads', '1'];

export interface InputOptions {
  /** Decoding threads. */
  threads?: number;
  /** Further options of the input. */
  options?: readonly string[];
}

/**
 * What stands before the input: never a guess by content or name, no protocol but files (the whitelist holds for
 * whatever the file itself refers to), few threads, and limits on what a header may ask for.
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

/** Makes ffmpeg say what is in the file, and end. */
export function describingArguments(container: Container): string[] {
  return [...quiet, '-loglevel', 'info', ...inputArguments(container)];
}

export interface Still {
  atSeconds: number;
  /** Most pixels of the longer side. */
  side: number;
  /** Brought down to what every screen shows. */
  isHdr: boolean;
}

/** Makes ffmpeg write one frame as PPM to its standard output: upright, with square pixels. */
export function stillArguments(container: Container, { atSeconds, side, isHdr }: Still): string[] {
  const seek = atSeconds > 0 ? ['-ss', atSeconds.toFixed(3)] : [];
  const only = ['-map', '0:V:0', '-an', '-sn', '-dn', '-frames:v', '1'];
  const filters = [scaleTo(side), ...(isHdr ? toneMap : []), 'format=rgb24'].join(',');
  return [
    ...quiet,
    '-loglevel',
    'error',
    ...inputArguments(container, { options: seek }),
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

/** Makes small frames no larger. `sar` is the shape of a pixel. */
function scaleTo(side: number): string {
  const factor = `min(1,${side}/max(iw*sar,ih))`;
  return `scale=w='max(2,round(iw*sar*${factor}))':h='max(2,round(ih*${factor}))',setsar=1`;
}

/** From PQ or HLG to what every screen shows. */
export const toneMap = [
  'zscale=t=linear:npl=100',
  'format=gbrpf32le',
  'zscale=p=bt709',
  'tonemap=tonemap=hable:desat=0',
  'zscale=t=bt709:m=bt709:r=tv',
];
