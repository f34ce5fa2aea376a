import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkUsername } from '#contract/rules/credentials.ts';
import {
  checkAliases,
  checkTagColor,
  checkTagDescription,
  checkTagName,
  personUndoHours,
  sortOrders,
  tagAudiences,
  tagChangeKinds,
  tagChangeStates,
  tagSorts,
  transferFormats,
} from '#contract/rules/tag.ts';
import { checkFilterSize } from '#contract/rules/tag-filter.ts';
import {
  boundedArray,
  checkedText,
  flagSchema,
  idListSchema,
  idSchema,
  opaqueTextSchema,
  pageFacts,
  pageLimitSchema,
  pageSchema,
  searchSchema,
} from './fields.ts';

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
  /** Other names that a search finds the tag by. */
  aliases: z.array(z.string()).readonly(),
  /** Whom it is shown to; left out when that is everybody. */
  audience: z.enum(tagAudiences).exclude(['anyone']).optional(),
});
export type Tag = z.infer<typeof tagSchema>;

/** The part of a tag that travels with each of its videos. */
export const tagLabelSchema = z.strictObject({ id: z.string(), name: z.string(), color: z.string() });
export type TagLabel = z.infer<typeof tagLabelSchema>;

/**
 * A tag on a video. `by_folder` is true when only the video's folder assigned it, and left out
 * otherwise.
 */
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
  /** Only the tags that these ids stand for: a merged one is the tag that it went into. */
  ids: idListSchema(checkFilterSize),
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

/** Absent fields stay unchanged. */
export const tagUpdateSchema = z.object({
  name: checkedText(checkTagName).optional(),
  description: checkedText(checkTagDescription).optional(),
  color: checkedText(checkTagColor).optional(),
  /** Only administrators set it. */
  audience: z.enum(tagAudiences, { error: 'Choose whom the channel is for' }).optional(),
});
export type TagUpdate = z.input<typeof tagUpdateSchema>;

const countSchema = z.int().nonnegative();

/**
 * A change that somebody made to tags. It can be undone until `expires_at` while its state is
 * `done` or `failed`; undoing a failed change reverts what it did before it failed. `detail` is the
 * name of the tag that another was merged into. For the kind `person`, `tags` counts the removed
 * tags of that person, `links` the other changes that were undone, and `error` says what could not
 * be undone, even when the state is `done`.
 */
export const tagChangeRecordSchema = z.strictObject({
  id: z.string(),
  kind: z.enum(tagChangeKinds),
  state: z.enum(tagChangeStates),
  subject: z.string(),
  detail: z.string().nullable(),
  made_by: z.string().nullable(),
  created_at: z.iso.datetime(),
  expires_at: z.iso.datetime(),
  tags: countSchema,
  links: countSchema,
  error: z.string().nullable(),
});
export type TagChangeRecord = z.infer<typeof tagChangeRecordSchema>;

export const tagChangeReplySchema = z.strictObject({ change: tagChangeRecordSchema });
export type TagChangeReply = z.infer<typeof tagChangeReplySchema>;

export const tagChangeListQuerySchema = z.object({
  page: pageSchema,
  limit: pageLimitSchema(limits.tagChangesPerPage),
});
export type TagChangeListQuery = z.input<typeof tagChangeListQuerySchema>;

export const tagChangeListSchema = z.strictObject({ changes: z.array(tagChangeRecordSchema), ...pageFacts });
export type TagChangeList = z.infer<typeof tagChangeListSchema>;

/** `into` is the id of the tag that stays. */
export const tagMergeStartSchema = z.object({ into: idSchema });
export type TagMergeStart = z.input<typeof tagMergeStartSchema>;

/**
 * The complete list of a tag's other names; a name that is missing from it is removed. `known` is
 * the list that was changed: names that others have added or removed since stay so.
 */
export const tagAliasesUpdateSchema = z.object({
  aliases: boundedArray(checkedText(checkTagName), checkAliases),
  known: boundedArray(checkedText(checkTagName), checkAliases).optional(),
});
export type TagAliasesUpdate = z.input<typeof tagAliasesUpdateSchema>;

/** Undoes one person's changes of the last `hours`; `username` may belong to a deleted account. */
export const tagPersonUndoStartSchema = z.object({
  username: checkedText(checkUsername),
  hours: z.literal(personUndoHours),
});
export type TagPersonUndoStart = z.input<typeof tagPersonUndoStartSchema>;

export const tagExportQuerySchema = z.object({ format: z.enum(transferFormats).default('csv') });
export type TagExportQuery = z.input<typeof tagExportQuerySchema>;

/** `text` is the unchanged content of the file. A dry run changes nothing. */
export const tagImportStartSchema = z.object({
  filename: opaqueTextSchema.min(1),
  format: z.enum(transferFormats),
  text: z.string().min(1).max(limits.importCharacters, { abort: true }),
  dry_run: z.boolean().default(false),
});
export type TagImportStart = z.input<typeof tagImportStartSchema>;

/**
 * `failed` holds the first `namedImportFailures`, `failed_count` all. `change` is null for a dry
 * run.
 */
export const tagImportReplySchema = z.strictObject({
  dry_run: z.boolean(),
  tags_created: countSchema,
  links_added: countSchema,
  links_present: countSchema,
  /** Videos that get another title or description. */
  details_changed: countSchema,
  failed_count: countSchema,
  failed: z.array(z.strictObject({ line: countSchema, message: z.string() })),
  change: tagChangeRecordSchema.nullable(),
});
export type TagImportReply = z.infer<typeof tagImportReplySchema>;

/**
 * Whether the first folders below the roots become channels, and how many channels came from
 * folders.
 */
export const folderChannelsSchema = z.strictObject({ enabled: z.boolean(), channels: countSchema });
export type FolderChannels = z.infer<typeof folderChannelsSchema>;

export const folderChannelsUpdateSchema = z.object({ enabled: z.boolean() });
export type FolderChannelsUpdate = z.input<typeof folderChannelsUpdateSchema>;
