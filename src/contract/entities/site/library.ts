import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { pageFacts, pageLimitSchema, pageSchema, searchSchema } from '../fields.ts';

const countSchema = z.int().nonnegative();

/** A folder of videos. Bytes are those of its disk, null while that cannot be asked. */
export const libraryRootSchema = z.strictObject({
  name: z.string(),
  folder: z.string(),
  kind: z.enum(['folder', 'demo', 'uploads']),
  videos: countSchema,
  available: countSchema,
  /** Since when its folder cannot be read; null while it can. */
  missing_since: z.iso.datetime().nullable(),
  /** End of its last whole scan. */
  scanned_at: z.iso.datetime().nullable(),
  free_bytes: countSchema.nullable(),
  total_bytes: countSchema.nullable(),
});
export type LibraryRoot = z.infer<typeof libraryRootSchema>;

/** `progress` is 0 to 100, null when nothing is known to compare with. Times are those of the last whole scan. */
export const libraryScanSchema = z.strictObject({
  is_running: z.boolean(),
  progress: z.number().min(0).max(100).nullable(),
  found: countSchema.nullable(),
  finished_at: z.iso.datetime().nullable(),
  duration_seconds: z.number().nonnegative().nullable(),
});
export type LibraryScan = z.infer<typeof libraryScanSchema>;

export const librarySchema = z.strictObject({
  roots: z.array(libraryRootSchema),
  scan: libraryScanSchema,
  unplayable: countSchema,
  hidden: countSchema,
  cache_bytes: countSchema,
});
export type Library = z.infer<typeof librarySchema>;

export const unplayableListQuerySchema = z.object({
  search: searchSchema.optional(),
  page: pageSchema,
  limit: pageLimitSchema(limits.videosPerPage),
});
export type UnplayableListQuery = z.input<typeof unplayableListQuerySchema>;

/** `path` is within the root; `reason` is a sentence. */
export const unplayableVideoSchema = z.strictObject({
  id: z.string(),
  root: z.string(),
  path: z.string(),
  size: countSchema,
  reason: z.string(),
});
export type UnplayableVideo = z.infer<typeof unplayableVideoSchema>;

export const unplayableListSchema = z.strictObject({ videos: z.array(unplayableVideoSchema), ...pageFacts });
export type UnplayableList = z.infer<typeof unplayableListSchema>;

export const hiddenListQuerySchema = z.object({ page: pageSchema, limit: pageLimitSchema(limits.videosPerPage) });
export type HiddenListQuery = z.input<typeof hiddenListQuerySchema>;

/** `hidden_by` is the name of an administrator; null when that account is gone. */
export const hiddenVideoSchema = z.strictObject({
  id: z.string(),
  root: z.string(),
  path: z.string(),
  poster_url: z.string().nullable(),
  hidden_at: z.iso.datetime(),
  hidden_by: z.string().nullable(),
});
export type HiddenVideo = z.infer<typeof hiddenVideoSchema>;

export const hiddenListSchema = z.strictObject({ videos: z.array(hiddenVideoSchema), ...pageFacts });
export type HiddenList = z.infer<typeof hiddenListSchema>;
