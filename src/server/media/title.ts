import { nameKey } from '#contract/rules/text.ts';
import { cleanDescription, cleanTitle } from '#contract/rules/video-details.ts';

/** The texts from which a title is chosen; null for those that do not exist. */
export interface TitleSources {
  /** The title in the container of the file. */
  container: string | null;
  /** The title in a file beside the video. */
  sidecar: string | null;
  filename: string;
}

/**
 * The title that a container or a file beside the video gives, in this order. Null if neither has
 * one that a person wrote; the video is then shown by `readableName`.
 */
export function chooseTitle({ container, sidecar, filename }: TitleSources): string | null {
  return toTitle(container, filename) ?? toTitle(sidecar, filename);
}

function toTitle(text: string | null, filename: string): string | null {
  const title = cleanTitle(text);
  if (title === null || isNoise(title, filename)) return null;
  // Many containers have the name of a release as their title.
  const isName = videoExtension.test(title) || (!title.includes(' ') && /[._].*[._]/.test(title));
  if (!isName) return title;
  const readable = readableName(title);
  return readable === readableName(filename) ? null : readable;
}

/** Titles that programs write when nobody has chosen one. */
const programTitles = [
  /^(lavf|lavc|ffmpeg|handbrake|x26[45]|mkvmerge|libmatroska|libebml|mp4box|gpac|isomedia)/i,
  /^(avidemux|virtualdub|adobe (premiere|media|after)|core media|mainconcept|nero|videohandler)/i,
  /^(untitled|no title|unknown|unnamed|title|video|movie|clip|sequence|timeline)\b[\s\d#-]*$/i,
  /^(null|none|undefined)$/i,
  /^(untitled|new|my) (project|movie|video|film|sequence|composition|clip)[\s\d#-]*$/i,
  /^(encoded|ripped|downloaded|converted|created|made|uploaded|compressed) (by|from|with|using)\b/i,
  /^(https?:\/\/\S+|(www\.)?[\w-]+\.(com|net|org|to|tv|info|me|cc|io))$/i,
];

function isNoise(title: string, filename: string): boolean {
  const key = nameKey(title);
  if (key === nameKey(filename) || key === nameKey(withoutExtension(filename))) return true;
  return uuid.test(title) || isOfProgram(title);
}

function isOfProgram(text: string): boolean {
  return !/\p{L}/u.test(text) || programTitles.some((pattern) => pattern.test(text));
}

/** A description in a container or a file beside the video; null if a program wrote it. */
export function chooseDescription(...texts: readonly (string | null)[]): string | null {
  for (const text of texts) {
    const description = cleanDescription(text ?? '');
    if (!isOfProgram(description)) return description;
  }
  return null;
}

const videoExtension = /\.(mp4|m4v|mov|qt|mkv|webm|avi|wmv|asf|flv|mpe?g|m2?ts|3gp|ogv)$/i;

function withoutExtension(filename: string): string {
  return filename.replace(videoExtension, '');
}

/** Names longer than this are not rewritten, so that the work is bounded. */
const longestName = 300;

/**
 * The title that a person would give a file of this name: without extension and technical remarks,
 * with readable separators and dates. At most `titleCharacters`.
 */
export function readableName(filename: string): string {
  const stem = withoutExtension(filename);
  const title = stem.length > longestName ? null : rewrite(restoreCharacters(stem));
  return cleanTitle(title) ?? cleanTitle(stem) ?? filename;
}

/** Characters that downloaders write because file systems refuse the original ones. */
const replaced: Readonly<Record<string, string>> = {
  '：': ':',
  '？': '?',
  '⧸': '/',
  '／': '/',
  '｜': '|',
  '＂': '"',
  '＊': '*',
};
const wide = /[：？⧸／｜＂＊]/gu;
const unspacedScripts = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;

function restoreCharacters(stem: string): string {
  const restored = unspacedScripts.test(stem) ? stem : stem.replaceAll(wide, (at) => replaced[at] ?? at);
  if (!/%[\dA-F]{2}/i.test(restored)) return restored;
  try {
    return decodeURIComponent(restored);
  } catch {
    return restored;
  }
}

const [year, month, day] = [String.raw`19[7-9]\d|20\d\d`, '0[1-9]|1[0-2]', String.raw`0[1-9]|[12]\d|3[01]`];
const date = String.raw`(?<year>${year})(?<gap>[-_. ]?)(?<month>${month})\k<gap>(?<day>${day})`;
const seconds = String.raw`[-:._m]?[0-5]\d(?:[-.]?\d{3})?s?`;
const time = String.raw`(?<hour>[01]\d|2[0-3])[-:._h]?(?<minute>[0-5]\d)(?:${seconds})?`;
const timeAfterDate = String.raw`(?:[-_. T]{1,3}| at |(?<=\d{8}))${time}`;
const dateAndTime = String.raw`(?<!\d)${date}(?:${timeAfterDate})?(?!\d|[-_.]\d\d(?!\d))`;
const anyDate = new RegExp(dateAndTime, 'u');
/** Written with dots, the day always comes first. */
const dottedDate = new RegExp(String.raw`(?<!\d)(?<day>${day})\.(?<month>${month})\.(?<year>${year})(?!\d)`, 'u');

const months = 'January,February,March,April,May,June,July,August,September,October,November,December'.split(',');

function dateText({ year, month, day, hour, minute }: Record<string, string | undefined>): string {
  const written = `${Number(day)} ${months[Number(month) - 1]} ${year}`;
  return hour === undefined ? written : `${written}, ${hour}:${minute}`;
}

const camera = 'IMG|VID|PXL|MVI|MOV|VIDEO|DSC|DJI|CAM|REC|TRIM|SL_MO_VID|signal|telegram|FILE';
const cameraName = new RegExp(
  String.raw`^(?:(?:${camera})[-_ ])?${dateAndTime}(?<rest>[-_.~ (][\w~.() -]{0,24})?$`,
  'iu',
);

/** The name that a phone or camera gives a recording: a date, and sometimes a number. */
function readCameraName(stem: string): string | null {
  const groups = cameraName.exec(stem)?.groups;
  if (groups === undefined) return null;
  const { rest = '' } = groups;
  const shared = /^-WA(\d+)$/i.exec(rest)?.[1];
  if (shared !== undefined) return `${dateText(groups)}, WhatsApp ${Number(shared)}`;
  if (/[a-z]{3}/i.test(rest.replace(/_?(HSR|HDR|LRV|COVER)/gi, ''))) return null;
  const counter = /^[-_~ (]+(\d{1,4})(?!\d)/.exec(rest)?.[1];
  return counter === undefined ? dateText(groups) : `${dateText(groups)} (${Number(counter)})`;
}

function rewrite(stem: string): string {
  return readCameraName(stem) ?? readOtherName(stem);
}

function readOtherName(stem: string): string {
  if (uuid.test(stem)) return stem;
  const bare = withoutMarks(stem);
  const found = anyDate.exec(bare) ?? dottedDate.exec(bare);
  if (found?.groups === undefined || isWholeNumber(bare)) return capitalize(readWords(bare));
  const before = capitalize(readWords(bare.slice(0, found.index)));
  const after = readWords(bare.slice(found.index + found[0].length));
  const day = dateText(found.groups);
  const parts = before === '' ? [capitalize(after), day] : [before, day, after];
  return parts.filter((part) => part !== '').join(', ');
}

/** Starts a name in small letters with a capital one; a number may precede it. */
function capitalize(title: string): string {
  if (/\p{Lu}/u.test(title)) return title;
  return title.replace(/^(?:\d{1,3}[\s.-]*)?\p{Ll}/u, (first) => first.toUpperCase());
}

function isWholeNumber(text: string): boolean {
  return /^\d+$/.test(text);
}

/** Groups of releases, checksums, sizes of pictures, and the ids that downloaders add. */
function withoutMarks(stem: string): string {
  const bare = stem
    .replace(/^\[[^\]]{1,32}\][ ._]*(?=[^\s._])/u, '')
    .replaceAll(/[ ._]*\[(?:[\w-]{11}|\d{6,}|[\dA-F]{8}|[a-z]*[\d]{6,}[\w-]*)\]/giu, '')
    .replaceAll(/[ ._]*[([][^()[\]]*\b(?:\d{3,4}p\d*|U?HD|4K|HQ|x26[45]|HEVC)\b[^()[\]]*[)\]]/giu, '');
  const id = /-(?=[\w-]*[A-Z])(?=[\w-]*[a-z])(?=[\w-]*\d)[\w-]{11}$/u.exec(bare);
  return id !== null && id.index > 0 ? bare.slice(0, id.index) : bare;
}

/** The first of these words begins the part of a name that describes the release. */
const releaseWords = [
  String.raw`\d{3,4}[pi]\d{0,3}|\d{3,4}x\d{3,4}|4K|UHD|HDR(?:10)?|10bit|[xh]\.?26[45]|HEVC|AVC`,
  'BluRay|BDRip|BRRip|DVD(?:Rip|Scr)?|WEB[-. ]?(?:DL|Rip)?|HDTV|PDTV|HDRip|REMUX|XviD|DivX',
  'AAC|DDP?5|DTS|AC3|PROPER|REPACK|UNRATED|MULTi|AMZN|NF|iNTERNAL|LIMITED',
].join('|');
const releaseWord = new RegExp(String.raw`(?<=[\s._(\[-])(?:${releaseWords})(?=$|[\s._)\]-])`, 'u');
const episode = /(?<=^|[\s._-])(?:S(\d{1,2})[ ._]?E(\d{1,3})|(\d{1,2})x(\d{2,3}))(?=$|[\s._-])/iu;

function readWords(text: string): string {
  const release = releaseWord.exec(text);
  const isRelease = release !== null && release.index > 1;
  const kept = isRelease ? text.slice(0, release.index) : text;
  const part = episode.exec(kept);
  if (part === null) return readYear(separate(kept), isRelease || isDotted(kept));
  const [season, number] = [part[1] ?? part[3] ?? '', part[2] ?? part[4] ?? ''];
  const code = `S${season.padStart(2, '0')}E${number.padStart(2, '0')}`;
  const series = capitalize(readYear(separate(kept.slice(0, part.index)), true));
  const name = capitalize(separate(kept.slice(part.index + part[0].length)));
  const whole = series === '' ? code : `${series} ${code}`;
  return name === '' ? whole : `${whole}: ${name}`;
}

/** Writes the year of a film, which follows its title, in parentheses. */
function readYear(title: string, isFilm: boolean): string {
  if (!isFilm) return title;
  return title.replace(/^(.*[^\s(]) \(?(19[2-9]\d|20[0-4]\d)\)?$/u, '$1 ($2)');
}

function isDotted(text: string): boolean {
  return !/\s/u.test(text.trim()) && /[^.]\.[^.]/u.test(text);
}

/** Replaces the characters that a name has in place of spaces. */
function separate(text: string): string {
  const spaced = text.trim().includes(' ') ? text.replaceAll('_', ' ') : spaceOut(text);
  const tidy = spaced.replaceAll(/\s+/gu, ' ').replaceAll(/\(\s*\)|\[\s*\]/gu, '');
  return tidy.replace(/^[\s,;:_)\]-]+/u, '').replace(/[\s,;:_([-]+$/u, '');
}

function spaceOut(text: string): string {
  const inner = text.replace(/^[\s._+-]+|[\s_+-]+$/gu, '');
  if (/[_+]/u.test(inner)) return inner.replaceAll(/[_+]/gu, ' ');
  if (inner.includes('.')) return inner.replaceAll(dots, (_, letters = '') => `${letters} `);
  if (/-[^-]+-/u.test(inner)) return inner.replaceAll('-', ' ');
  if (inner.includes('-')) return partWords(inner);
  return humps.test(inner) ? inner.replaceAll(/(?<=\p{Ll})(?=[\p{Lu}\d])/gu, ' ') : inner;
}

/** A single hyphen is a space before a number, and between small words that are no compound. */
function partWords(text: string): string {
  const isNumbered = /^\p{L}{3,}-v?\d+$/u.test(text);
  const isSpaced = /^\p{Ll}{3,}-\p{Ll}{3,}$/u.test(text) && !compound.test(text);
  return isNumbered || isSpaced ? text.replace('-', ' ') : text;
}

/** Parts of words that people write with a hyphen. */
const compound = new RegExp(
  '^(?:all|anti|cross|ever|full|half|high|inter|long|low|mid|multi|non|over|post|pre|pro|self|semi|short|sub|super)-|' +
    '^(?:time|ultra|under|well)-|-(?:based|free|lapse|like|made|man|men|off|out|over|proof|style|woman|wide)$',
  'u',
);

/** Dots between words, and whole abbreviations, whose dots stay. */
const dots = /((?:(?<![\p{L}\d])\p{L}\.){2,})|\./gu;
const uuid = /^[\da-f]{8}(-?[\da-f]{4}){3}-?[\da-f]{12}$/i;
/** At least three words, each with a capital letter, as in `BigBuckBunny`. */
const humps = /^(?:\p{Lu}\p{Ll}+){3,}\d*$/u;
