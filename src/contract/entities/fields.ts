import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { clampPageLimit, clampPageNumber } from '#contract/rules/pages.ts';
import { splitIds } from '#contract/rules/tag-filter.ts';
import { tooLong } from './error-reply.ts';

/** Text without a rule of its own: the server looks it up. */
export const opaqueTextSchema = z.string().max(limits.textCharacters);

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
        .max(limits.textCharacters, { abort: true })
        .regex(/^-?\d+$/)
        .transform(readSafely),
    ],
    { error: wholeNumberRefusal },
  )
  .pipe(z.int(wholeNumberRefusal));

/**
 * Text that a rule checks. The rule also answers for an absent field, so that form and server show
 * the same sentence. The text is trimmed before the check, unless its blanks count (passwords). Of
 * a text longer than `most` UTF-16 units, which is more than any rule allows, only the beginning is
 * checked.
 */
export function checkedText(
  check: (text: string) => string | null,
  { keepsBlanks = false, most = limits.textCharacters as number } = {},
) {
  const text = z
    .string({ error: (issue) => (issue.input === undefined ? check('') : null) ?? 'This must be text' })
    .refine((value) => value.length <= most, {
      abort: true,
      error: ({ input }) => check(String(input).slice(0, most)) ?? tooLong,
    });
  return (keepsBlanks ? text : text.trim()).superRefine((value, context) => addRefusal(context, check(value)));
}

/** A boolean in a query: the word `true` or `false`. */
export const flagSchema = z.union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')], {
  error: "Either 'true' or 'false' is needed",
});

/** `page` counts from 1; a value out of range is clamped, not refused. */
export const pageSchema = wholeNumberSchema.default(1).transform(clampPageNumber);

export function pageLimitSchema(usual: number) {
  return wholeNumberSchema.default(usual).transform(clampPageLimit);
}

export const searchSchema = z
  .string()
  .max(limits.searchCharacters, `At most ${limits.searchCharacters} characters can be searched for`)
  .trim();

export const timeSchema = z
  .string()
  .max(limits.textCharacters)
  .pipe(z.iso.datetime({ offset: true }));

/**
 * A list whose length is checked before its elements: zod's own `max` is checked after all of them,
 * and after a refusal of each.
 * @param check the rule that limits the length
 */
export function boundedArray<Element extends z.ZodType>(
  element: Element,
  check: (items: readonly never[]) => string | null,
) {
  return z
    .custom<z.input<Element>[]>()
    .superRefine((items, context) => addRefusal(context, Array.isArray(items) ? check(items as never[]) : null))
    .pipe(z.array(element));
}

/** Ids in a body, without duplicates; `check` is the rule that limits their number. */
export function idArraySchema(check: (ids: readonly string[]) => string | null) {
  return boundedArray(idSchema, check).transform((ids) => [...new Set(ids)]);
}

/**
 * The length of the longest list that any rule allows, with ids of the greatest length and their
 * commas.
 */
const idListCharacters = limits.blockedTags * (limits.idCharacters + 1);

/** Ids joined by commas. An empty text means none; `check` is the rule that limits their number. */
export function idListSchema(check: (ids: readonly string[]) => string | null) {
  return z
    .string()
    .max(idListCharacters, { abort: true })
    .default('')
    .transform(splitIds)
    .superRefine((ids, context) => addRefusal(context, check(ids)));
}

interface RefusalContext {
  addIssue(issue: { code: 'custom'; message: string; path?: PropertyKey[] }): void;
}

/** Reports a rule's sentence as a refusal of the field; null adds nothing. */
export function addRefusal(context: RefusalContext, sentence: string | null, path?: PropertyKey[]): void {
  if (sentence !== null)
    context.addIssue(
      path === undefined ? { code: 'custom', message: sentence } : { code: 'custom', message: sentence, path },
    );
}

/** The fields that every paged list has beside its rows. */
export const pageFacts = {
  total: z.int().nonnegative(),
  total_pages: z.int().nonnegative(),
  page: z.int().positive(),
  limit: z.int().positive(),
};

/**
 * Digits beyond the safe range become the nearest safe integer: a number that is too large is
 * clamped, not refused.
 */
function readSafely(digits: string): number {
  return Math.min(Math.max(Number.MIN_SAFE_INTEGER, Number(digits)), Number.MAX_SAFE_INTEGER);
}

/*
 * The `{names}` of the paths, decoded. They are not checked here: an id that does not exist answers
 * 404, whatever its form.
 */

export const idParamsSchema = z.object({ id: z.string() });
export type IdParams = z.input<typeof idParamsSchema>;

export const quadrantParamsSchema = z.object({ quadrant: z.string() });
export type QuadrantParams = z.input<typeof quadrantParamsSchema>;

export const providerParamsSchema = z.object({ provider: z.string() });
export type ProviderParams = z.input<typeof providerParamsSchema>;

export const uploadParamsSchema = z.object({ sessionId: z.string() });
export type UploadParams = z.input<typeof uploadParamsSchema>;

export const pathParamsSchema = z.object({ path: z.string() });
export type PathParams = z.input<typeof pathParamsSchema>;

export const pathTagParamsSchema = z.object({ path: z.string(), tagId: z.string() });
export type PathTagParams = z.input<typeof pathTagParamsSchema>;

export const subtitleParamsSchema = z.object({ id: z.string(), track: z.string() });
export type SubtitleParams = z.input<typeof subtitleParamsSchema>;
