import { limits } from '#contract/limits.ts';

/** The language and kind in the name of a subtitle file, after the name of its video. */
export interface TrackName {
  /** A BCP 47 tag. */
  language: string | null;
  /** The name of the track in the player's menu. */
  label: string;
}

/** The suffixes that Jellyfin, Plex and Kodi allow after the language. */
const kinds: Readonly<Record<string, string>> = {
  forced: 'forced',
  foreign: 'forced',
  sdh: 'for the hard of hearing',
  cc: 'for the hard of hearing',
  hi: 'for the hard of hearing',
  default: '',
};

/** Limits the label, as some files have whole sentences as track titles. */
const labelCharacters = 80;

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/**
 * Reads the part between a video's name and the extension: nothing, a language, a kind, or both.
 * @param middle without the dots at its ends: `de`, `eng.forced`
 * @returns null for anything else; the file then belongs to another video
 */
export function readTrackName(middle: string): TrackName | null {
  if (middle === '') return toTrackName(null, '');
  const parts = middle.split('.', 3);
  const [first = '', second] = parts;
  if (parts.length > 2) return null;
  const language = toLanguage(first);
  if (second === undefined && language === null) return isKind(first) ? toTrackName(null, kindOf(first)) : null;
  if (second === undefined) return toTrackName(language, '');
  return language !== null && isKind(second) ? toTrackName(language, kindOf(second)) : null;
}

/**
 * Converts a BCP 47 tag or an ISO 639-2 code to the canonical tag. Null if it is not a language.
 */
export function toLanguage(text: string): string | null {
  // `sdh` is Southern Kurdish in ISO 639-3, but in a file's name it means the hard of hearing.
  if (text.length > limits.languageCharacters || text.toLowerCase() === 'sdh') return null;
  try {
    const [tag = ''] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
    return languageNames.of(tag) === undefined ? null : tag;
  } catch {
    // The text is not a well-formed tag.
    return null;
  }
}

function isKind(text: string): boolean {
  return Object.hasOwn(kinds, text.toLowerCase());
}

function kindOf(text: string): string {
  return kinds[text.toLowerCase()] ?? '';
}

/**
 * The name of a track inside a file. Its stored label is a title, or the language code if it has
 * none; either may be followed by a kind in brackets.
 */
export function toInnerName(stored: TrackName): TrackName {
  const language = stored.language === null ? null : toLanguage(stored.language);
  const [code = ''] = stored.label.split(' (', 1);
  const label = code === stored.language ? nameOf(language) + stored.label.slice(code.length) : stored.label;
  return { language, label: label.slice(0, labelCharacters).toWellFormed() };
}

/**
 * The name of an audio track: its title, or else its language; with the channels of more than
 * stereo.
 */
export function toAudioName(track: {
  language: string | null;
  title: string | null;
  channels: number | null;
}): TrackName {
  const language = track.language === null ? null : toLanguage(track.language);
  const title = track.title?.trim().slice(0, labelCharacters).toWellFormed();
  const surround = (track.channels ?? 0) > 2 ? ', surround' : '';
  return { language, label: title || nameOf(language, 'Audio') + surround };
}

function nameOf(language: string | null, unknown = 'Subtitles'): string {
  return (language === null ? undefined : languageNames.of(language)) ?? unknown;
}

function toTrackName(language: string | null, kind: string): TrackName {
  const name = nameOf(language);
  return { language, label: kind === '' ? name : `${name} (${kind})` };
}
