import { limits } from '#contract/limits.ts';
import { hasHiddenInName, hasMoreCharacters } from './text.ts';

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
