import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { checkSwitchInterval } from '#contract/rules/settings.ts';
import { tagEditingPolicies } from '#contract/rules/tag.ts';
import {
  checkAskedVideos,
  checkBlocklistSize,
  checkExcludeSize,
  checkFilterSize,
  filterModes,
} from '#contract/rules/tag-filter.ts';
import { uploadPolicies } from '#contract/rules/upload-file.ts';
import { addRefusal, idListSchema, wholeNumberSchema } from './fields.ts';
import { tagLabelSchema } from './tag.ts';
import { encodingSchema, processingSchema, renditionNameSchema, storyboardSchema, videoPathSchema } from './video.ts';

export const videoSettingsSchema = z.strictObject({ switch_interval_seconds: z.int().positive() });

export const configSchema = z.strictObject({
  video_settings: videoSettingsSchema,
  upload: z.strictObject({
    max_bytes: z.int().positive(),
    extensions: z.array(z.string()),
    eula_version: z.string(),
    /** MiB of the largest body that proxies pass to the server; null: no limit. */
    chunk_mb: z.int().positive().nullable(),
    allowed: z.enum(uploadPolicies),
  }),
  analytics: z.strictObject({ measurement_id: z.string(), endpoint: z.string() }).nullable(),
  features: z.strictObject({
    billing: z.enum(['open', 'closed']),
    registration: z.boolean(),
    tag_editing: z.enum(tagEditingPolicies),
    /** Whether the site remembers what is watched. */
    watched: z.boolean(),
  }),
  /** One in so many devices reports how all of its videos play; the others report stalls and breaks. */
  measured: z.strictObject({ one_in: z.int().positive() }),
  version: z.string(),
});
export type Config = z.infer<typeof configSchema>;

const countSchema = z.int().nonnegative();
const playlistSchema = z.strictObject({ PlaylistLength: countSchema });

export const statusSchema = z.strictObject({
  TotalVideos: countSchema,
  AvailableVideos: countSchema,
  total_videos: countSchema,
  available_videos: countSchema,
  /**
   * The number of available videos, the same for each quadrant; the number that a quadrant's filter
   * matches is `matching` in its pick.
   */
  QuadrantStatus: z.record(z.enum(quadrants), playlistSchema),
  ScanningStatus: z.strictObject({
    FullScanComplete: z.boolean(),
    BackgroundScanning: z.boolean(),
    InitialScanComplete: z.boolean(),
  }),
});
export type Status = z.infer<typeof statusSchema>;

export const filterModeSchema = z.enum(filterModes, { error: "The filter mode is 'OR' or 'AND'" });

/** Device pixels of an element; a value out of range is clamped. */
const elementWidthSchema = wholeNumberSchema.transform((pixels) =>
  Math.min(Math.max(1, pixels), limits.elementWidthMaxPx),
);

/**
 * `tag_ids`, `blocked_tag_ids` and `exclude` (video ids) are joined by commas. No tags means all
 * videos. `width` and `height` are device pixels of the element, `kbps` is the bandwidth for one
 * quadrant, `saves` is 1 when the viewer saves data. The device's codecs are in its cookie
 * (`deviceClassCookie`).
 */
export const pickQuerySchema = z.object({
  tag_ids: idListSchema(checkFilterSize),
  blocked_tag_ids: idListSchema(checkBlocklistSize),
  filter_mode: filterModeSchema.default('OR'),
  exclude: idListSchema(checkExcludeSize),
  width: elementWidthSchema.optional(),
  height: elementWidthSchema.optional(),
  kbps: wholeNumberSchema.optional(),
  saves: z.literal('1').optional(),
  /** The language of the audio track that the viewer chose last: a BCP 47 tag. */
  audio_language: z.string().max(limits.languageCharacters).optional(),
});
export type PickQuery = z.input<typeof pickQuerySchema>;

const pickedSchema = z.strictObject({
  available: z.literal(true),
  message: z.null(),
  id: z.string(),
  path: z.string(),
  filename: z.string(),
  title: z.string(),
  /** A signed URL, valid for some hours. */
  url: z.string(),
  poster_url: z.string().nullable(),
  duration: z.number().nonnegative().nullable(),
  width: z.int().nonnegative().nullable(),
  height: z.int().nonnegative().nullable(),
  size: z.int().nonnegative(),
  tags: z.array(tagLabelSchema),
  /** The encoding behind `url`. */
  rendition: renditionNameSchema,
  /** The audio track behind `url`; absent for the default one. */
  audio_track: z.int().nonnegative().optional(),
  /** All encodings that this device plays and this viewer may have, including the source. */
  renditions: z.array(encodingSchema),
  storyboard: storyboardSchema.nullable(),
  /** True when some viewers may not see it, and left out otherwise. */
  restricted: z.literal(true).optional(),
  /** The number of available videos that match the quadrant's filter. */
  matching: countSchema,
  /**
   * The number of those that the viewer's round still has, with this one; it equals `matching` when
   * a round begins. Absent: the pick belongs to no round.
   */
  unseen: countSchema.optional(),
});
export type PickedVideo = z.infer<typeof pickedSchema>;

/**
 * Videos match, but this device cannot play any of them yet. `processing` is the work on one of
 * them; null when no work is queued, and `message` says why.
 */
const notYetSchema = z.strictObject({
  available: z.literal(false),
  message: z.string(),
  id: z.null(),
  path: z.null(),
  filename: z.null(),
  url: z.null(),
  matching: z.literal(0),
  processing: processingSchema.nullable(),
});

export const pickReplySchema = z.discriminatedUnion('available', [pickedSchema, notYetSchema]);
export type PickReply = z.infer<typeof pickReplySchema>;

/** The filter of each quadrant: its tags and its mode. No tags means all videos. */
export const firstPicksQuerySchema = z.object({
  'top-left': idListSchema(checkFilterSize),
  'top-left-mode': filterModeSchema.default('OR'),
  'top-right': idListSchema(checkFilterSize),
  'top-right-mode': filterModeSchema.default('OR'),
  'bottom-left': idListSchema(checkFilterSize),
  'bottom-left-mode': filterModeSchema.default('OR'),
  'bottom-right': idListSchema(checkFilterSize),
  'bottom-right-mode': filterModeSchema.default('OR'),
});
export type FirstPicksQuery = z.input<typeof firstPicksQuerySchema>;

/**
 * One pick for each quadrant, all different while there are enough videos. A quadrant whose filter
 * matches nothing is absent.
 */
export const firstPicksSchema = z.partialRecord(z.enum(quadrants), pickReplySchema);
export type FirstPicks = z.infer<typeof firstPicksSchema>;

/** Asks which of these videos an administrator has hidden; ids joined by commas. */
export const hiddenIdsQuerySchema = z.object({ ids: idListSchema(checkAskedVideos) });
export type HiddenIdsQuery = z.input<typeof hiddenIdsQuerySchema>;

export const hiddenIdsSchema = z.strictObject({ hidden: z.array(z.string()) });
export type HiddenIds = z.infer<typeof hiddenIdsSchema>;

const switchIntervalSchema = z
  .number()
  .superRefine((seconds, context) => addRefusal(context, checkSwitchInterval(seconds)));

export const configUpdateSchema = z.object({
  video_settings: z.object({ switch_interval_seconds: switchIntervalSchema }),
});
export type ConfigUpdate = z.input<typeof configUpdateSchema>;

export const configUpdatedSchema = z.strictObject({ success: z.literal(true), video_settings: videoSettingsSchema });
export type ConfigUpdated = z.infer<typeof configUpdatedSchema>;

const quadrantSchema = z.enum(quadrants, { error: `The quadrant is one of ${quadrants.join(', ')}` });
const pixelsSchema = z
  .number()
  .positive('A size in pixels is needed')
  .max(limits.elementWidthMaxPx, 'This is larger than any screen');

/** A device's measurements of one of its quadrants. */
export const qualityQuestionSchema = z.object({
  quadrant: quadrantSchema,
  width: pixelsSchema,
  height: pixelsSchema,
  device_pixel_ratio: z.number().positive().max(limits.devicePixelRatioMax).default(1),
  bandwidth_mbps: z.number().nonnegative().optional(),
  save_data: z.boolean().default(false),
  dropped_frames_percent: z.number().min(0).max(100).optional(),
});
export type QualityQuestion = z.input<typeof qualityQuestionSchema>;

/** Null means no limit. `reason` is a sentence for people. */
export const qualityAnswerSchema = z.strictObject({
  quality: renditionNameSchema,
  max_height: z.int().positive().nullable(),
  max_bitrate_bps: z.int().positive().nullable(),
  reason: z.string(),
});
export type QualityAnswer = z.infer<typeof qualityAnswerSchema>;

/** Matches URLs, and paths that lead out of the library. */
const isOutside = (path: string) => path.split('/').some((part) => part === '' || part === '.' || part === '..');

export const videoUrlQuestionSchema = z.object({
  path: videoPathSchema.refine((path) => !isOutside(path), 'A path within the library is needed'),
  quadrant: quadrantSchema,
  quality: renditionNameSchema.optional(),
  /** The caller wants to keep the video: the server encodes a heavy source that has no encoding. */
  keeps: z.boolean().optional(),
  /** The place of an audio track of the file; the server encodes the video with it if it has to. */
  audio_track: z.int().nonnegative().optional(),
});
export type VideoUrlQuestion = z.input<typeof videoUrlQuestionSchema>;

/** `url` is signed and expires. */
export const videoUrlSchema = z.strictObject({
  url: z.string(),
  rendition: renditionNameSchema,
  width: z.int().nonnegative().nullable(),
  height: z.int().nonnegative().nullable(),
  bitrate_bps: z.int().nonnegative().nullable(),
  /** The chosen audio track behind `url`; absent for the default one. */
  audio_track: z.int().nonnegative().optional(),
  /** The encoding that is made for who keeps the video or chose the track; null when none is. */
  processing: processingSchema.nullable(),
});
export type VideoUrl = z.infer<typeof videoUrlSchema>;
