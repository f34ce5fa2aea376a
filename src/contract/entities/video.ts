import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { checkPieceBytes } from '#contract/rules/file-windows.ts';
import { renditions } from '#contract/rules/rendition.ts';
import { checkBlocklistSize, checkCheckedVideos, checkWatched } from '#contract/rules/tag-filter.ts';
import { checkVideoDescription, checkVideoTitle } from '#contract/rules/video-details.ts';
import {
  addRefusal,
  boundedArray,
  checkedText,
  idListSchema,
  idSchema,
  opaqueTextSchema,
  pageFacts,
  pageLimitSchema,
  pageSchema,
  wholeNumberSchema,
} from './fields.ts';
import { tagLabelSchema, videoTagSchema } from './tag.ts';

export const renditionNameSchema = z.enum(renditions);

/** Width and height are null when the container of a source does not say. */
export const encodingSchema = z.strictObject({
  name: renditionNameSchema,
  bytes: z.int().nonnegative(),
  width: z.int().nonnegative().nullable(),
  height: z.int().nonnegative().nullable(),
  /**
   * The file's requirements of a player (`rules/media-needs.ts`); left out when every device plays
   * it.
   */
  needs: z.int().nonnegative().optional(),
});
export type VideoEncoding = z.infer<typeof encodingSchema>;

/** A sheet of stills, read left to right, top to bottom. */
export const storyboardSchema = z.strictObject({
  url: z.string(),
  columns: z.int().positive(),
  rows: z.int().positive(),
  tile_width: z.int().positive(),
  tile_height: z.int().positive(),
  interval_seconds: z.number().positive(),
});
export type Storyboard = z.infer<typeof storyboardSchema>;

const processingStates = ['queued', 'running', 'failed'] as const;

/** Unfinished work on a video; `progress` is 0 to 100. */
export const processingSchema = z.strictObject({
  state: z.enum(processingStates),
  progress: z.number().min(0).max(100),
});
export type Processing = z.infer<typeof processingSchema>;

/** `path` is relative to its library root; sizes are bytes, durations seconds. */
export const videoSchema = z.strictObject({
  id: z.string(),
  path: z.string(),
  filename: z.string(),
  /** The name that screens show. It is made from the file name if nothing else gives one. */
  title: z.string(),
  size: z.int().nonnegative(),
  tags: z.array(videoTagSchema),
  /** True when some viewers may not see it, and left out otherwise. */
  restricted: z.literal(true).optional(),
  url: z.string(),
  poster_url: z.string().nullable(),
  storyboard: storyboardSchema.nullable(),
  available: z.boolean(),
  /** The reason why it is not available; null when it is. */
  message: z.string().nullable(),
  duration: z.number().nonnegative().nullable(),
  width: z.int().nonnegative().nullable(),
  height: z.int().nonnegative().nullable(),
  renditions: z.array(encodingSchema),
  processing: processingSchema.nullable(),
  created_at: z.iso.datetime(),
  /** Null if neither the file nor its time says it. */
  recorded_at: z.iso.datetime().nullable(),
});
export type Video = z.infer<typeof videoSchema>;

/** The facts about a video. `place` is its file on the server; only administrators receive it. */
export const videoDetailsSchema = z.strictObject({
  id: z.string(),
  title: z.string(),
  filename: z.string(),
  /** Empty when there is none. */
  description: z.string(),
  tags: z.array(tagLabelSchema),
  recorded_at: z.iso.datetime().nullable(),
  created_at: z.iso.datetime(),
  duration: z.number().nonnegative().nullable(),
  width: z.int().nonnegative().nullable(),
  height: z.int().nonnegative().nullable(),
  size: z.int().nonnegative(),
  container: z.string().nullable(),
  video_codec: z.string().nullable(),
  audio_codec: z.string().nullable(),
  encodings: z.array(encodingSchema),
  /** How long it was played in all, by all viewers. */
  played_seconds: z.int().nonnegative(),
  place: z.string().nullable(),
});
export type VideoDetails = z.infer<typeof videoDetailsSchema>;

export const videoDetailsReplySchema = z.strictObject({ details: videoDetailsSchema });
export type VideoDetailsReply = z.infer<typeof videoDetailsReplySchema>;

/**
 * An absent field stays as it is. A blank title, or a text equal to that of the file, removes the
 * edit.
 */
export const videoDetailsUpdateSchema = z.object({
  title: checkedText(checkVideoTitle).optional(),
  description: checkedText(checkVideoDescription, { most: 2 * limits.descriptionCharacters }).optional(),
});
export type VideoDetailsUpdate = z.input<typeof videoDetailsUpdateSchema>;

/** The path that identifies a video in calls; one URL segment or one query value, decoded. */
export const videoPathSchema = z.string().min(1, 'A path is needed').max(limits.pathBytes, 'This path is too long');

export const streamQuerySchema = z.object({
  path: videoPathSchema,
  rendition: renditionNameSchema.optional(),
  piece: wholeNumberSchema.superRefine((bytes, context) => addRefusal(context, checkPieceBytes(bytes))).optional(),
  /** The server's signature; `expires` is its end in epoch seconds. */
  signature: opaqueTextSchema.optional(),
  expires: wholeNumberSchema.optional(),
  /** Identifies the exact content that was signed, so that it may be cached. */
  version: opaqueTextSchema.optional(),
});
export type StreamQuery = z.input<typeof streamQuerySchema>;

/**
 * `version` identifies the exact content of a derived file, so that it may be cached; without it
 * the current content is answered.
 */
export const versionQuerySchema = z.object({ version: opaqueTextSchema.optional() });
export type VersionQuery = z.input<typeof versionQuerySchema>;

/** A text track, as WebVTT. `language` is a BCP 47 tag, or null when the file does not name one. */
export const subtitleTrackSchema = z.strictObject({
  track: z.int().nonnegative(),
  language: z.string().nullable(),
  /** The name that viewers choose the track by. */
  label: z.string(),
  url: z.string(),
});
export type SubtitleTrack = z.infer<typeof subtitleTrackSchema>;

const unsupportedTrackKinds = ['picture-subtitles', 'audio'] as const;

/** A track of the file that cannot be chosen: picture subtitles, and additional audio. */
export const unsupportedTrackSchema = z.strictObject({
  kind: z.enum(unsupportedTrackKinds),
  language: z.string().nullable(),
});
export type UnsupportedTrack = z.infer<typeof unsupportedTrackSchema>;

/** An audio track of a file that has several. `language` is a BCP 47 tag, or null. */
export const audioTrackSchema = z.strictObject({
  track: z.int().nonnegative(),
  language: z.string().nullable(),
  label: z.string(),
  /** It plays where no other one is chosen. */
  is_default: z.boolean(),
});
export type AudioTrack = z.infer<typeof audioTrackSchema>;

/** `processing`: tracks inside the file are still being read. */
export const subtitleListSchema = z.strictObject({
  tracks: z.array(subtitleTrackSchema),
  /** Empty when there is nothing to choose from. */
  audio_tracks: z.array(audioTrackSchema),
  unsupported: z.array(unsupportedTrackSchema),
  processing: processingSchema.nullable(),
});
export type SubtitleList = z.infer<typeof subtitleListSchema>;

/** Asks about files of videos that a device keeps. */
export const videoCheckQuestionSchema = z.object({
  videos: boundedArray(z.object({ id: idSchema, rendition: renditionNameSchema }), checkCheckedVideos),
});
export type VideoCheckQuestion = z.input<typeof videoCheckQuestionSchema>;

/** `hidden`: an administrator has hidden it. `gone`: the site no longer has it. */
const checkedStates = ['fine', 'not_in_plan', 'hidden', 'gone'] as const;

/**
 * The answers in the order of the question, with the tags, paths and titles that the videos have
 * now. Those that the caller may not have any more have neither path nor title.
 */
export const checkedVideosSchema = z.strictObject({
  videos: z.array(
    z.strictObject({
      id: z.string(),
      state: z.enum(checkedStates),
      tag_ids: z.array(z.string()),
      path: z.string().optional(),
      title: z.string().optional(),
    }),
  ),
});
export type CheckedVideos = z.infer<typeof checkedVideosSchema>;

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
