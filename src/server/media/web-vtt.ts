import { isUtf8 } from 'node:buffer';
import { limits } from '#contract/limits.ts';

/**
 * Converts any subtitle file to sanitized WebVTT, which keeps only times and text.
 * @param language a BCP 47 tag, which tells the code page of an old file
 */
export function toWebVtt(bytes: Buffer, language: string | null = null): string {
  return writeWebVtt(readCues(new TextDecoder(encodingOf(bytes, language)).decode(bytes)));
}

function writeWebVtt(cues: readonly Cue[]): string {
  return ['WEBVTT\n', ...cues.map(writeCue)].join('\n');
}

function writeCue({ startMs, endMs, text }: Cue): string {
  return `${writeTime(startMs)} --> ${writeTime(endMs)}\n${text}\n`;
}

/** Formats a time as `01:02:03.400`. */
function writeTime(ms: number): string {
  const [hours, minutes, seconds] = [ms / 3_600_000, (ms / 60_000) % 60, (ms / 1_000) % 60].map((part) =>
    String(Math.floor(part)).padStart(2, '0'),
  );
  return `${hours}:${minutes}:${seconds}.${String(ms % 1_000).padStart(3, '0')}`;
}

/** `01:02:03,400 --> 01:02:05,600`, and anything after it. WebVTT may leave out the hours. */
const timing =
  /^[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})[ \t]*-->[ \t]*(?:(\d{1,3}):)?(\d{1,2}):(\d{1,2})[.,](\d{1,3})(?:[ \t]|$)/;
/** Longer than any timing line, including one with all WebVTT settings. */
const timingCharacters = 256;
/** Further lines of a cue are cut, as no screen has room for more. */
const linesOfCue = 16;

/**
 * Reads the cues of an SRT or WebVTT text, sorted by start. Both formats consist of blocks with a
 * timing line and text lines, so one reader handles both, and mixtures of them. A blank line ends a
 * cue of WebVTT; in SRT it may stand inside a cue, which ends with the times of the next one.
 * Numbers, malformed blocks and WebVTT's blocks without times (`NOTE`, `STYLE`, `REGION`) are
 * skipped. At most `subtitleCues` are read.
 */
export function readCues(text: string): Cue[] {
  const cues: Cue[] = [];
  const isWebVtt = /^\ufeff?WEBVTT\b/.test(text);
  let block: { times: [number, number]; lines: string[] } | null = null;
  const close = (isAtTimes: boolean) => {
    const cue = block === null ? null : toCue(block.times, withoutNumber(block.lines, isAtTimes));
    if (cue !== null) cues.push(cue);
    block = null;
  };
  for (const line of linesOf(text)) {
    if (cues.length === limits.subtitleCues) break;
    if (line.includes('-->')) {
      close(true);
      const times = readTimes(line);
      block = times === null ? null : { times, lines: [] };
    } else if (isWebVtt && line.trim() === '') close(false);
    else if (block !== null && block.lines.length < linesOfCue) block.lines.push(line);
  }
  if (cues.length < limits.subtitleCues) close(false);
  return cues.sort((one, other) => one.startMs - other.startMs);
}

/**
 * Yields lines one by one, because an array of all lines would take many times the memory of the
 * text.
 */
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
  const parts = timing.exec(line.slice(0, timingCharacters));
  if (parts === null) return null;
  return [toMs(parts.slice(1, 5)), toMs(parts.slice(5, 9))];
}

function toMs([hours = '0', minutes = '0', seconds = '0', fraction = '0']: (string | undefined)[]): number {
  return (Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds)) * 1_000 + Number(fraction.padEnd(3, '0'));
}

/**
 * The lines without the number of the next cue, which follows a blank line; if that is missing, the
 * times of the next cue follow the number at once.
 */
function withoutNumber(lines: readonly string[], isAtTimes: boolean): readonly string[] {
  const isBlank = (at: number) => lines[at]?.trim() === '';
  const last = lines.findLastIndex((_, at) => !isBlank(at));
  const hasNumber = last > 0 && /^\s{0,8}\d{1,8}\s{0,8}$/.test(lines[last] ?? '');
  const isOfNext = hasNumber && (isBlank(last - 1) || (isAtTimes && last === lines.length - 1));
  return lines.slice(0, isOfNext ? last : last + 1);
}

function toCue([startMs, endMs]: [number, number], lines: readonly string[]): Cue | null {
  if (endMs <= startMs) return null;
  const text = cleanCueText(lines.join('\n'));
  return text === '' ? null : { startMs, endMs, text };
}

/** A text and the time for which it is shown. */
interface Cue {
  startMs: number;
  endMs: number;
  /** WebVTT cue text: closed `b`, `i` and `u` tags, everything else escaped. Has no blank lines. */
  text: string;
}

/**
 * Characters of a cue that are parsed, including tags: enough for `cueCharacters` with a tag at
 * each word.
 */
const sourceCharacters = limits.cueCharacters * 8;

const keptTags: readonly string[] = ['b', 'i', 'u'];
/**
 * A tag, a timestamp within a cue, or a comment. A `<` before other characters, as in `<3`, is
 * text.
 */
const markup = /<(?:[a-z!?/]|\d+:)[^<>]*>/gi;
/**
 * Tools leave parts of ASS in other formats: override codes such as `{\an8}`, and vector drawings
 * such as `m 0 0 l 9 0 9 9`.
 */
const override = /\{\\[^{}]*\}|(?<![^\s}])m(?: -?\d+(?:\.\d+)?){2} [nlbsp](?: (?:[mnlbspc](?!\S)|-?\d+(?:\.\d+)?))+/g;
/** The hard space of ASS. */
const hardSpace = /\\h/g;
/** C0 and C1 control characters except tab and line feed. */
const controlCharacters = /[^\P{Cc}\t\n]/gu;

/**
 * Sanitizes the text of a cue for WebVTT: keeps only `b`, `i` and `u` tags, and escapes every
 * character that could start another tag or an entity.
 * @param source cue text of SRT or WebVTT
 * @returns empty if there is no text
 */
export function cleanCueText(source: string): string {
  const plain = source.slice(0, sourceCharacters).replace(controlCharacters, '');
  const text = plain.replace(override, '').replace(hardSpace, '\u00a0');
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

  /** Drops a tag that is not kept, but not the text inside it. */
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

/** A code page of old files, and the languages or scripts that are written in it. */
interface CodePage {
  page: string;
  /** The first one has most of its files. */
  of: readonly string[];
  /** Letters and signs of its texts beyond ASCII. */
  letters: string;
  /** The share that these have of all letters beyond ASCII. */
  share: number;
}

const cyrillic = { letters: 'оеаинтсрвлі', share: 0.67 };
const japanese = { letters: 'のはにいとたてなかしっうんだよ', share: 0.35 };

/** The code pages of scripts with few ASCII letters, by their commonest letters. */
const ofScripts: readonly CodePage[] = [
  { page: 'windows-1251', of: ['Cyrl'], ...cyrillic },
  // It has the letters of KOI8-R, and those of Ukrainian.
  { page: 'koi8-u', of: ['Cyrl'], ...cyrillic },
  { page: 'ibm866', of: ['Cyrl'], ...cyrillic },
  { page: 'windows-1253', of: ['Grek'], letters: 'αοιετσνηυρς', share: 0.67 },
  { page: 'windows-1255', of: ['Hebr'], letters: 'יוהלאתשרמבנ', share: 0.72 },
  { page: 'windows-1256', of: ['Arab'], letters: 'اليمونرتبةهد', share: 0.6 },
  { page: 'windows-874', of: ['Thai'], letters: 'านรอกเงมยลว่้', share: 0.48 },
  { page: 'gb18030', of: ['Hans', 'Hant'], letters: '的一是不了我你在有这他们好么人就', share: 0.3 },
  { page: 'big5', of: ['Hant', 'Hans'], letters: '的一是不了我你在有這他們好麼人就', share: 0.3 },
  { page: 'euc-kr', of: ['Kore'], letters: '이다는을가고에의지나해어그니', share: 0.3 },
  { page: 'shift_jis', of: ['Jpan'], ...japanese },
  { page: 'euc-jp', of: ['Jpan'], ...japanese },
];

const western = 'windows-1252';

/** The pages of Latin languages, by all of their letters. Of equal ones, the first counts. */
const ofLanguages: readonly CodePage[] = [
  ...toPages(western, {
    'de nl et': 'àáäçèéêëïöüß',
    fr: 'àâæçèéêëîïôœùûüÿ',
    es: 'áéíñóúü¿¡ªº',
    pt: 'àáâãçéêíóôõúüªº',
    it: 'àáèéìíîòóùú',
    ca: 'àçèéíïòóúü·',
    'da fi nb no sv': 'äåæéöø',
    'fo is': 'áæéíðóöøúýþ',
  }),
  ...['windows-1250', 'iso-8859-2'].flatMap((page) =>
    toPages(page, {
      pl: 'ąćęłńóśźż',
      'bs hr sl sr': 'čćđšž',
      'cs sk': 'áäčďéěíĺľňóôŕřšťúůýž',
      hu: 'áéíóöőúüű',
      ro: 'ăâîşţ',
    }),
  ),
  ...toPages('windows-1254', { tr: 'âçğıîöşüû\u0307' }),
  ...toPages('windows-1257', { et: 'äöõüšž', lt: 'ąčęėįšųūž', lv: 'āčēģīķļņšūž' }),
  ...toPages('windows-1258', { vi: 'àáâăãèéêìíòóôơõùúưýđ\u0300\u0301\u0303\u0309\u0323' }),
];

/** @param letters by languages with blanks between them */
function toPages(page: string, letters: Readonly<Record<string, string>>): CodePage[] {
  const rows = Object.entries(letters);
  return rows.map(([of, own]) => ({ page, of: of.split(' '), letters: own, share: 1 }));
}

/**
 * The encoding of a file: the one of its byte order mark; UTF-16 if one of the first two bytes is
 * zero; UTF-8 if few of its characters are damaged; otherwise the code page that suits its language
 * and its text, mostly windows-1252.
 */
function encodingOf(bytes: Buffer, tag: string | null): string {
  const [first, second] = bytes;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  // Subtitle files start with ASCII characters: digits or `WEBVTT`.
  if (bytes.length >= 2 && first !== 0 && second === 0) return 'utf-16le';
  if (bytes.length >= 2 && first === 0 && second !== 0) return 'utf-16be';
  if (isUtf8(bytes) || isDamagedUtf8(bytes)) return 'utf-8';
  return findCodePage(bytes.subarray(0, guessedBytes), tag);
}

/** A text in another encoding has fewer characters that look like UTF-8 for each one that does not. */
const wholeForDamaged = 4;

function isDamagedUtf8(bytes: Buffer): boolean {
  const others = bytes.toString('utf8').match(/[\x80-\uffff]/g) ?? [];
  const damaged = others.filter((letter) => letter === '\ufffd').length;
  return others.length - damaged >= damaged * wholeForDamaged;
}

/** The part of a file by which its code page is found. */
const guessedBytes = 65_536;
/** Fewer letters beyond ASCII than this show no script or language. */
const guessedLetters = { script: 30, language: 8 };
/** How near the letters come to the share that they should have. */
const guessedShare = 0.8;

/**
 * Finds the code page of a text. A language may be written in two scripts, and in several pages.
 * Without a language, the text has to show one clearly.
 */
function findCodePage(bytes: Buffer, tag: string | null): string {
  const { letters, isLatin } = countLetters(bytes);
  if (tag !== null) {
    const { script = '', language = '' } = new Intl.Locale(tag).maximize();
    const [ofScript, ofLanguage] = [pagesOf(ofScripts, script), pagesOf(ofLanguages, language)];
    const [own, other] = isLatin ? [ofLanguage, ofScript] : [ofScript, ofLanguage];
    return findBest(own.length > 0 ? own : other, bytes)?.page ?? western;
  }
  if (letters < guessedLetters[isLatin ? 'language' : 'script']) return western;
  const best = findBest(isLatin ? ofLanguages : ofScripts, bytes);
  return best !== undefined && best.share >= guessedShare ? best.page : western;
}

/**
 * Counts the letters beyond ASCII. Lines without any are left out: in bilingual files, they are of
 * another language.
 */
function countLetters(bytes: Buffer): { letters: number; isLatin: boolean } {
  const lines = bytes.toString('latin1').match(/^.*[\x80-\xff].*$/gm) ?? [];
  const text = lines.join('\n').replaceAll(/<[^<>]*>/g, '');
  const count = (kind: RegExp) => text.match(kind)?.length ?? 0;
  const letters = count(/[\x80-\xff]/g);
  return { letters, isLatin: letters < count(/[a-z]/gi) };
}

/** The pages of a script or a language, those that have most of its files first. */
function pagesOf(pages: readonly CodePage[], name: string): CodePage[] {
  const own = pages.filter(({ of }) => of.includes(name));
  return own.sort((one, other) => one.of.indexOf(name) - other.of.indexOf(name));
}

/** The page that suits the text best, with how near its letters come to their share. */
function findBest(pages: readonly CodePage[], bytes: Buffer) {
  const ranked = pages.map((one) => ({ page: one.page, share: shareOf(one, bytes) }));
  return ranked.sort((one, other) => other.share - one.share).at(0);
}

/** The marks of all languages, but not those of a few. */
const commonMarks = /(?![¿¡·])[\p{P}\p{Z}\p{Sc}\u2122©®°♪]/u;

function shareOf({ page, letters, share }: CodePage, bytes: Buffer): number {
  const others =
    new TextDecoder(page)
      .decode(bytes)
      .toLowerCase()
      .match(/[\x80-\uffff]/g) ?? [];
  const told = others.filter((letter) => !commonMarks.test(letter));
  const known = told.filter((letter) => letters.includes(letter));
  return known.length / Math.max(1, told.length) / share;
}
