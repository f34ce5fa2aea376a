import { limits } from '#contract/limits.ts';
import { cleanName, countCharacters, hasHiddenInName, hasMoreCharacters } from './text.ts';

/** Checks the title that somebody gives a video; blank text takes the title away. */
export function checkVideoTitle(title: string): string | null {
  const isTooLong = hasMoreCharacters(title.trim(), limits.titleCharacters);
  return isTooLong ? `Title must be at most ${limits.titleCharacters} characters` : null;
}

export function checkVideoDescription(description: string): string | null {
  const isTooLong = hasMoreCharacters(description.trim(), limits.descriptionCharacters);
  return isTooLong ? `Description must be at most ${limits.descriptionCharacters} characters` : null;
}

/** The reasons for which a video can be reported, in the order of the dialog, with their words. */
export const reportReasons = {
  unplayable: 'Does not play',
  channel: 'Wrong channel',
  unsuitable: 'Not suitable',
  rights: 'Rights',
  other: 'Something else',
} as const;
export type ReportReason = keyof typeof reportReasons;

export function checkReportText(text: string): string | null {
  if (hasMoreCharacters(text.trim(), limits.reportCharacters))
    return `A report must be at most ${limits.reportCharacters} characters`;
  return hasHiddenInName(text.trim()) ? 'A report must not contain hidden characters' : null;
}

/** A text as one line of at most `titleCharacters`; null if nothing is left of it. */
export function cleanTitle(text: string | null): string | null {
  const spaced = boundedStart(text ?? '', limits.titleCharacters).replace(/\s/gu, ' ');
  const line = cleanName(spaced).replace(/ {2,}/g, ' ');
  return line === '' || line.includes('\uFFFD') ? null : cut(line, limits.titleCharacters);
}

/** A text of several lines without hidden characters, of at most `descriptionCharacters`. */
export function cleanDescription(text: string): string {
  const lines = boundedStart(text, limits.descriptionCharacters).split(/\r\n|[\n\r]/u);
  const cleaned = lines.map((line) => cleanName(line.replace(/\s/gu, ' '))).join('\n');
  return cut(cleaned.replace(/\n{3,}/gu, '\n\n').trim(), limits.descriptionCharacters);
}

/** Limits the work on a text from outside that is far too long. */
function boundedStart(text: string, most: number): string {
  return text.slice(0, 8 * most);
}

function cut(text: string, most: number): string {
  return countCharacters(text) > most ? Array.from(text).slice(0, most).join('').trim() : text;
}
