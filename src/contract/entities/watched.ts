import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkBlocklistSize, checkWatched } from '#contract/rules/tag-lists.ts';
import { boundedArray, idListSchema, idSchema, pageFacts, pageLimitSchema, pageSchema } from './fields.ts';
import { videoSchema } from './video.ts';

/**
 * Ids of videos whose first frame came to the screen, in the order in which they came. Ids that
 * were reported a moment ago may be repeated, and unknown ones are passed over.
 */
export const watchedReportSchema = z.object({ ids: boundedArray(idSchema, checkWatched) });
export type WatchedReport = z.input<typeof watchedReportSchema>;

export const watchedListQuerySchema = z.object({
  blocked_tag_ids: idListSchema(checkBlocklistSize),
  page: pageSchema,
  limit: pageLimitSchema(limits.watchedPerPage),
});
export type WatchedListQuery = z.input<typeof watchedListQuerySchema>;

/** `watched_at` is exact to the minute. */
export const watchedVideoSchema = z.strictObject({ video: videoSchema, watched_at: z.iso.datetime() });
export type WatchedVideo = z.infer<typeof watchedVideoSchema>;

/**
 * The videos that the caller has watched, newest first; those that they may not see any more are
 * left out.
 */
export const watchedListSchema = z.strictObject({ watched: z.array(watchedVideoSchema), ...pageFacts });
export type WatchedList = z.infer<typeof watchedListSchema>;
