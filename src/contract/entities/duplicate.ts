import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { pageFacts, pageLimitSchema, pageSchema } from './fields.ts';

export const duplicateListQuerySchema = z.object({
  page: pageSchema,
  limit: pageLimitSchema(limits.duplicatesPerPage),
});
export type DuplicateListQuery = z.input<typeof duplicateListQuerySchema>;

/**
 * A video of a group. `is_copy` and `likeness` compare it with the first one: the whole content is
 * equal, and how many percent of the stills' details agree (null if a still is missing).
 */
export const duplicateVideoSchema = z.strictObject({
  id: z.string(),
  path: z.string(),
  title: z.string(),
  poster_url: z.string().nullable(),
  size: z.int().nonnegative(),
  /** Seconds. */
  duration: z.number().nonnegative().nullable(),
  width: z.int().nonnegative().nullable(),
  height: z.int().nonnegative().nullable(),
  video_codec: z.string().nullable(),
  created_at: z.iso.datetime(),
  tags: z.array(z.strictObject({ id: z.string(), name: z.string() })),
  is_copy: z.boolean(),
  likeness: z.number().min(0).max(100).nullable(),
  /**
   * An upload can be removed: `entry` is the entry of a history to delete, `stored` the id by which
   * it is brought back. Null for a file of the library.
   */
  upload: z.strictObject({ entry: z.string(), stored: z.string() }).nullable(),
});
export type DuplicateVideo = z.infer<typeof duplicateVideoSchema>;

/** Videos that are alike, the oldest first; `count` is that of all, also of those left out. */
export const duplicateGroupSchema = z.strictObject({
  id: z.string(),
  count: z.int().positive(),
  videos: z.array(duplicateVideoSchema),
});
export type DuplicateGroup = z.infer<typeof duplicateGroupSchema>;

/** `progress` is 0 to 100 while a search runs, null while one waits, or none is wanted. */
export const duplicateSearchSchema = z.strictObject({
  is_running: z.boolean(),
  progress: z.number().min(0).max(100).nullable(),
  /** The end of the last search; null if none has ended. */
  finished_at: z.iso.datetime().nullable(),
});

/** `total` is the number of groups. */
export const duplicateListSchema = z.strictObject({
  groups: z.array(duplicateGroupSchema),
  search: duplicateSearchSchema,
  ...pageFacts,
});
export type DuplicateList = z.infer<typeof duplicateListSchema>;
