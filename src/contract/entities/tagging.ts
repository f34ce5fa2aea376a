import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkAssignedTags } from '#contract/rules/tag.ts';
import { checkBlocklistSize, checkFilterSize, videoSorts } from '#contract/rules/tag-filter.ts';
import { filterModeSchema } from './feed.ts';
import {
  flagSchema,
  idArraySchema,
  idListSchema,
  pageFacts,
  pageLimitSchema,
  pageSchema,
  searchSchema,
} from './fields.ts';
import { videoTagSchema } from './tag.ts';
import { videoSchema } from './video.ts';

/** No tags means all videos. A search covers file names and tag names. */
export const videosByTagsQuerySchema = z.object({
  tag_ids: idListSchema(checkFilterSize),
  blocked_tag_ids: idListSchema(checkBlocklistSize),
  filter_mode: filterModeSchema.default('OR'),
  search: searchSchema.optional(),
  sort_by: z.enum(videoSorts, { error: `Videos can be sorted by ${videoSorts.join(', ')}` }).default('newest'),
  page: pageSchema,
  limit: pageLimitSchema(limits.videosPerPage),
});
export type VideosByTagsQuery = z.input<typeof videosByTagsQuerySchema>;

export const videoListSchema = z.strictObject({ videos: z.array(videoSchema), ...pageFacts });
export type VideoList = z.infer<typeof videoListSchema>;

/**
 * The favourites of a person, the latest first, also those whose videos are hidden or gone, but none
 * that is withheld from them.
 */
export const favouriteIdsSchema = z.strictObject({ ids: z.array(z.string()) });
export type FavouriteIds = z.infer<typeof favouriteIdsSchema>;

export const videoReplySchema = z.strictObject({ video: videoSchema });
export type VideoReply = z.infer<typeof videoReplySchema>;

export const taggingQuerySchema = z.object({
  search: searchSchema.optional(),
  show_untagged_only: flagSchema.default(false),
  untagged_first: flagSchema.default(false),
  page: pageSchema,
  limit: pageLimitSchema(limits.taggingVideosPerPage),
});
export type TaggingQuery = z.input<typeof taggingQuerySchema>;

export const allTaggingQuerySchema = taggingQuerySchema.pick({ search: true, show_untagged_only: true });
export type AllTaggingQuery = z.input<typeof allTaggingQuerySchema>;

/** A video with its tags. */
export const taggedVideoSchema = z.strictObject({ video: videoSchema, tags: z.array(videoTagSchema) });
export type TaggedVideo = z.infer<typeof taggedVideoSchema>;

const countSchema = z.int().nonnegative();

export const taggingListSchema = z.strictObject({
  videos: z.array(taggedVideoSchema),
  ...pageFacts,
  counts: z.strictObject({ untagged: countSchema, tagged: countSchema, total: countSchema }),
});
export type TaggingList = z.infer<typeof taggingListSchema>;

/** `truncated` is true when there are more videos than the 10,000 that one answer holds. */
export const allTaggingListSchema = z.strictObject({
  videos: z.array(taggedVideoSchema),
  total: countSchema,
  truncated: z.boolean(),
});
export type AllTaggingList = z.infer<typeof allTaggingListSchema>;

export const videoTagsSchema = z.strictObject({ tags: z.array(videoTagSchema) });
export type VideoTags = z.infer<typeof videoTagsSchema>;

/**
 * `by_folder` records the tags that the video's folder gives as assigned by the folder again.
 * Undoing a removal uses it.
 */
export const tagAssignmentSchema = z.object({
  tag_ids: idArraySchema(checkAssignedTags),
  confidence_score: z
    .literal(limits.confidenceScore, { error: 'The confidence is always 1' })
    .default(limits.confidenceScore),
  by_folder: z.boolean().default(false),
});
export type TagAssignment = z.input<typeof tagAssignmentSchema>;
