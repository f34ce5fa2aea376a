import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { clampPageLimit, clampPageNumber } from '#contract/rules/pages.ts';
import { splitIds } from '#contract/rules/tag-filter.ts';

/** An opaque id. */
export const idSchema = z.string().min(1, 'An id is needed').max(limits.idCharacters, 'This is not an id');

const wholeNumberRefusal = 'A whole number is needed';

/** A whole number, as a number or as the text that a query carries. */
export const wholeNumberSchema = z
  .union(
    [
      z.number(),
      z
        .string()
        .regex(/^-?\d+$/)
        .transform(readSafely),
    ],
    { error: wholeNumberRefusal },
  )
  .pipe(z.int(wholeNumberRefusal));

/**
 * Text that a rule judges. The rule speaks for an absent field too, so that form and server say the same words;
 * what it judges and what the server gets is trimmed, unless the blanks belong to it (passwords).
 */
export function checkedText(check: (text: string) => string | null, { keepsBlanks = false } = {}) {
  const text = z.string({ error: (issue) => (issue.input === undefined ? check('') : null) ?? 'This must be text' });
  return (keepsBlanks ? text : text.trim()).superRefine((value, context) => addRefusal(context, check(value)));
}

/** A switch in a query: `true` or `false`, in words. */
export const flagSchema = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
  error: "Either 'true' or 'false' is needed",
});

/** `page` counts from 1; what is out of range is clamped, not refused. */
export const pageSchema = wholeNumberSchema.default(1).transform(clampPageNumber);

export function pageLimitSchema(usual: number) {
  return wholeNumberSchema.default(usual).transform(clampPageLimit);
}

export const searchSchema = z.string().trim().max(limits.searchCharacters, `At most ${limits.searchCharacters} characters can be searched for`);

/** Ids in a body, each once; `check` is the rule that says how many are too many. */
export function idArraySchema(check: (ids: readonly string[]) => string | null) {
  return z
    .array(idSchema)
    .transform((ids) => [...new Set(ids)])
    .superRefine((ids, context) => addRefusal(context, check(ids)));
}

/** Ids joined by commas. An empty text means none; `check` is the rule that says how many are too many. */
export function idListSchema(check: (ids: readonly string[]) => string | null) {
  return z
    .string()
    .default('')
    .transform(splitIds)
    .superRefine((ids, context) => addRefusal(context, check(ids)));
}

interface RefusalContext {
  addIssue(issue: { code: 'custom'; message: string; path?: PropertyKey[] }): void;
}

/** Turns the sentence of a rule into a refusal of the field; null says nothing. */
export function addRefusal(context: RefusalContext, sentence: string | null, path?: PropertyKey[]): void {
  if (sentence !== null) context.addIssue(path === undefined ? { code: 'custom', message: sentence } : { code: 'custom', message: sentence, path });
}

/** What every paged list says beside its rows. */
export const pageFacts = { total: z.int().nonnegative(), total_pages: z.int().nonnegative(), page: z.int().positive(), limit: z.int().positive() };

/** Digits beyond the safe range become the nearest safe number: too much is clamped, not refused. */
function readSafely(digits: string): number {
  return Math.min(Math.max(Number.MIN_SAFE_INTEGER, Number(digits)), Number.MAX_SAFE_INTEGER);
}
