import type { Cue } from './cue.ts';
import { decodeText } from './decode-text.ts';
import { readCues } from './read-cues.ts';

/** What any subtitle file says, as WebVTT of our own writing: times and text, and nothing else of what stood in it. */
export function toWebVtt(bytes: Buffer): string {
  return writeWebVtt(readCues(decodeText(bytes)));
}

function writeWebVtt(cues: readonly Cue[]): string {
  return ['WEBVTT\n', ...cues.map(writeCue)].join('\n');
}

function writeCue({ startMs, endMs, text }: Cue): string {
  return `${writeTime(startMs)} --> ${writeTime(endMs)}\n${text}\n`;
}

/** `01:02:03.400`. */
function writeTime(ms: number): string {
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${hours}:${minutes}:${seconds}.${String(ms % 1_000).padStart(3, '0')}`;
}
