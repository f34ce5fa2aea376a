import { limits } from '#contract/limits.ts';

/** What the name of a subtitle file says beside the name of its video. */
export interface TrackName {
  /** A tag of BCP 47. */
  language: string | null;
  /** What a person chooses by. */
  label: string;
}

/** As Jellyfin, Plex and Kodi have them behind the language. */
const kinds: Readonly<Record<string, string>> = {
  forced: 'forced',
  foreign: 'forced',
  sdh: 'for the hard of hearing',
  cc: 'for the hard of hearing',
  hi: 'for the hard of hearing',
  default: '',
};

/** Some files have whole sentences for the titles of their tracks. */
const labelCharacters = 80;

const languageNames = new Intl.DisplayNames(['en'], { type: 'language', fallback: 'none' });

/**
 * Reads what stands between the name of a video and the extension: nothing, a language, a kind, or both.
 * @param middle without the dots at its ends: `de`, `eng.forced`
 * @returns null for anything else: the file belongs to another video
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

/** A tag of BCP 47 or a code of ISO 639-2 as the tag that everybody else uses; null for what is no language. */
export function toLanguage(text: string): string | null {
  // Southern Kurdish by ISO 639-3; in the name of a file it means the hard of hearing.
  if (text.length > limits.languageCharacters || text.toLowerCase() === 'sdh') return null;
  try {
    const [tag = ''] = Intl.getCanonicalLocales(text.replaceAll('_', '-'));
    return languageNames.of(tag) === undefined ? null : tag;
  } catch {
    // No tag at all.
    return null;
  }
}

function isKind(text: string): boolean {
  return Object.hasOwn(kinds, text.toLowerCase());
}

function kindOf(text: string): string {
  return kinds[text.toLowerCase()] ?? '';
}

/** The name of a track inside a file, which has a title, or its language for one. */
export function toInnerName(stored: TrackName): TrackName {
  const language = stored.language === null ? null : toLanguage(stored.language);
  const isTitled = stored.language === null || !stored.label.startsWith(stored.language);
  const label = isTitled ? stored.label : nameOf(language) + stored.label.slice(stored.language?.length);
  return { language, label: label.slice(0, labelCharacters).toWellFormed() };
}

function nameOf(language: string | null): string {
  return (language === null ? undefined : languageNames.of(language)) ?? 'Subtitles';
}

function toTrackName(language: string | null, kind: string): TrackName {
  const name = nameOf(language);
  return { language, label: kind === '' ? name : `${name} (${kind})` };
}
