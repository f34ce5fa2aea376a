import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkTagColor, checkTagDescription, checkTagName, sortOrders, tagSorts } from '#contract/rules/tags/tag.ts';
import { checkedText, flagSchema, pageFacts, pageLimitSchema, pageSchema, searchSchema } from './fields.ts';

/** A tag, called channel on the screen. Times are ISO 8601 in UTC. */
export const tagSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  description: z.string(),
  /** `#RRGGBB`. */
  color: z.string(),
  /** Available videos only. */
  video_count: z.int().nonnegative(),
  created_at: z.iso.datetime(),
  active: z.boolean(),
  /** Other names that it is found by. */
  aliases: z.array(z.string()).readonly(),
});
export type Tag = z.infer<typeof tagSchema>;

/** What a video carries of each of its tags. */
export const tagLabelSchema = z.strictObject({ id: z.string(), name: z.string(), color: z.string() });
export type TagLabel = z.infer<typeof tagLabelSchema>;

/** A tag on a video. `by_folder`: the folder of the video put it there, and nobody else has; left out otherwise. */
export const videoTagSchema = tagLabelSchema.extend({ by_folder: z.literal(true).optional() });
export type VideoTag = z.infer<typeof videoTagSchema>;

/** `active=false` is for admins. */
export const tagListQuerySchema = z.object({
  active: flagSchema.default(true),
  sort_by: z.enum(tagSorts, { error: `Tags can be sorted by ${tagSorts.join(', ')}` }).default('name'),
  sort_order: z.enum(sortOrders, { error: "The sort order is 'asc' or 'desc'" }).default('asc'),
  page: pageSchema,
  limit: pageLimitSchema(limits.tagListLimit),
  search: searchSchema.optional(),
});
export type TagListQuery = z.input<typeof tagListQuerySchema>;

export const tagListSchema = z.strictObject({ tags: z.array(tagSchema), ...pageFacts });
export type TagList = z.infer<typeof tagListSchema>;

export const tagReplySchema = z.strictObject({ tag: tagSchema });
export type TagReply = z.infer<typeof tagReplySchema>;

export const tagCreationSchema = z.object({
  name: checkedText(checkTagName),
  description: checkedText(checkTagDescription).default(''),
  color: checkedText(checkTagColor).default(limits.tagColor),
});
export type TagCreation = z.input<typeof tagCreationSchema>;

/** What is absent stays as it is. */
export const tagUpdateSchema = z.object({
  name: checkedText(checkTagName).optional(),
  description: checkedText(checkTagDescription).optional(),
  color: checkedText(checkTagColor).optional(),
});
export type TagUpdate = z.input<typeof tagUpdateSchema>;
