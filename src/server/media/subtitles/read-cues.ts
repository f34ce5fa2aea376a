import { limits } from '#contract/limits.ts';
import type { Cue } from './cue.ts';
import { cleanCueText } from './cue-text.ts';

/** `01:02:03,400 --> 01:02:05,600`, and whatever else stands in the line: WebVTT leaves the hours out. */
const timing =
  /^[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})[ \t]*-->[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})(?:[ \t]|$)/;
/** Longer than any line with times, also with all settings of WebVTT. */
const timingCharacters = 256;
/** A longer one is cut: no screen has room for more. */
const linesOfCue = 16;

/**
 * The cues of an SRT or WebVTT text, by their start. Both are blocks with a line of times and lines of text up to a
 * blank one, so that one reader does for both and for the files between them; blocks without times (numbers, `NOTE`,
 * `STYLE`, `REGION`) and broken ones are passed over. At most `subtitleCues` are read.
 */
export function readCues(text: string): Cue[] {
  const cues: Cue[] = [];
  let block: { times: [number, number]; lines: string[] } | null = null;
  const close = () => {
    const cue = block === null ? null : toCue(block.times, block.lines);
    if (cue !== null) cues.push(cue);
    block = null;
  };
  for (const line of linesOf(text)) {
    if (cues.length === limits.subtitleCues) break;
    const times = readTimes(line);
    if (times !== null) {
      // Where the blank line is missing, the number of the next cue stands last in this one.
      if (block !== null) dropNumber(block.lines);
      close();
      block = { times, lines: [] };
    } else if (line.includes('-->') || line.trim() === '') close();
    else if (block !== null && block.lines.length < linesOfCue) block.lines.push(line);
  }
  if (cues.length < limits.subtitleCues) close();
  return cues.sort((one, other) => one.startMs - other.startMs);
}

/** One after the other: a list of all would be many times the text. */
function* linesOf(text: string): Generator<string> {
  const end = /\r\n|\r|\n/g;
  let at = text.startsWith('\ufeff') ? 1 : 0;
  for (let match = end.exec(text); match !== null; match = end.exec(text)) {
    yield text.slice(at, match.index);
    at = end.lastIndex;
  }
  yield text.slice(at);
}

function readTimes(line: string): [number, number] | null {
  if (!line.includes('-->')) return null;
  const parts = timing.exec(line.slice(0, timingCharacters));
  if (parts === null) return null;
  return [toMs(parts.slice(1, 5)), toMs(parts.slice(5, 9))];
}

function toMs([hours = '0', minutes = '0', seconds = '0', fraction = '0']: (string | undefined)[]): number {
  return (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'));
}

function dropNumber(lines: string[]): void {
  if (lines.length > 1 && /^\s{0,8}\d{1,8}\s{0,8}$/.test(lines.at(-1) ?? '')) lines.pop();
}

function toCue([startMs, endMs]: [number, number], lines: readonly string[]): Cue | null {
  if (endMs <= startMs) return null;
  const text = cleanCueText(lines.join('\n'));
  return text === '' ? null : { startMs, endMs, text };
}
