import { isUtf8 } from 'node:buffer';
import { limits } from '#contract/limits.ts';

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

/** Text that stands on the screen for a while. */
interface Cue {
  startMs: number;
  endMs: number;
  /** Lines of WebVTT cue text: `b`, `i` and `u` that are closed, everything else as text. Never blank. */
  text: string;
}

/** Characters of a cue that are looked at, tags included: enough for `cueCharacters` of them with a tag at each word. */
const sourceCharacters = limits.cueCharacters * 8;

const keptTags: readonly string[] = ['b', 'i', 'u'];
/** A tag, a time stamp inside a cue, a comment; what stands behind a `<` like `<3` is text. */
const markup = /<(?:[a-z!?/]|\d+:)[^<>]*>/gi;
/** Where to show it and how, in the words of ASS, which tools leave in SRT: `{\an8}`. */
const override = /\{\\[^{}]*\}/g;
/** C0 and C1 but for tab and line feed. */
const controlCharacters = /[^\P{Cc}\t\n]/gu;

/**
 * Text of a cue as WebVTT has it: what is no plain emphasis is left out, and no character can begin a tag or an entity.
 * @param source as SRT or WebVTT has it
 * @returns empty when there is nothing to read
 */
export function cleanCueText(source: string): string {
  const text = source.slice(0, sourceCharacters).replace(controlCharacters, '').replace(override, '');
  const writer = new CueTextWriter();
  let at = 0;
  for (const match of text.matchAll(markup)) {
    writer.write(text.slice(at, match.index));
    writer.writeTag(match[0]);
    at = match.index + match[0].length;
  }
  writer.write(text.slice(at));
  return writer.finish();
}

class CueTextWriter {
  private readonly open: string[] = [];
  private parts: string[] = [];
  private characters = 0;
  private hasText = false;

  write(source: string): void {
    const characters = Array.from(readEntities(source)).slice(0, limits.cueCharacters - this.characters);
    this.characters += characters.length;
    const text = characters.join('').toWellFormed();
    if (text.trim() !== '') this.hasText = true;
    this.parts.push(escapeText(text));
  }

  /** What is not kept goes, and leaves what stood between its tags. */
  writeTag(tag: string): void {
    const name = /^<\/?([a-z]+)/i.exec(tag)?.[1]?.toLowerCase();
    if (name === undefined || !keptTags.includes(name)) return;
    if (!tag.startsWith('</')) {
      if (this.open.includes(name)) return;
      this.open.push(name);
      this.parts.push(`<${name}>`);
    } else if (this.open.at(-1) === name) {
      this.parts.push(`</${name}>`);
      this.open.pop();
    }
  }

  finish(): string {
    if (!this.hasText) return '';
    for (const name of this.open.reverse()) this.parts.push(`</${name}>`);
    // A blank line would end the cue.
    const lines = this.parts.join('').split('\n');
    return lines
      .map((line) => line.trim())
      .filter((line) => line !== '')
      .join('\n');
  }
}

const entities: Readonly<Record<string, string>> = {
  '&amp;': '&',
  '&lt;': '<',
  '&gt;': '>',
  '&nbsp;': '\u00a0',
  '&lrm;': '\u200e',
  '&rlm;': '\u200f',
  '&quot;': '"',
  '&#39;': "'",
};

function readEntities(source: string): string {
  return source.replace(/&(?:amp|lt|gt|nbsp|lrm|rlm|quot|#39);/g, (entity) => entities[entity] ?? entity);
}

function escapeText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/**
 * The text of a subtitle file, which nothing but its bytes tells the encoding of: by its byte order mark, else UTF-8
 * where it is that, else UTF-16 where every other byte of the beginning is zero, else windows-1252, which most old
 * files are in.
 */
function decodeText(bytes: Buffer): string {
  return new TextDecoder(encodingOf(bytes)).decode(bytes);
}

function encodingOf(bytes: Buffer): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // The first characters of any subtitle file are digits or `WEBVTT`.
  if (bytes.length >= 2 && first !== 0 && second === 0) return 'utf-16le';
  if (bytes.length >= 2 && first === 0 && second !== 0) return 'utf-16be';
  return isUtf8(bytes) ? 'utf-8' : 'windows-1252';
}
