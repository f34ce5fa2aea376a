import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { timeWindows } from '#contract/rules/health.ts';
import { screenForms } from '#contract/rules/settings.ts';
import { hasHiddenInName } from '#contract/rules/text.ts';
import { boundedArray, idSchema, timeSchema } from './fields.ts';

const countSchema = z.int().nonnegative();
const timeWindowSchema = z
  .enum(timeWindows, { error: `The duration is one of ${timeWindows.join(', ')}` })
  .default('5m');

/** Asks for the caller's own bandwidth, or with `scope=site` (admins) for that of all viewers. */
export const bandwidthQuerySchema = z.object({ duration: timeWindowSchema, scope: z.literal('site').optional() });
export type BandwidthQuery = z.input<typeof bandwidthQuerySchema>;

/** Null when no bytes were fetched lately. */
export const bandwidthSchema = z.strictObject({
  current_bandwidth_mbps: z.number().nonnegative().nullable(),
  current_bandwidth_bps: z.number().nonnegative().nullable(),
  history: z.array(z.strictObject({ timestamp: z.iso.datetime(), mbps: z.number().nonnegative() })),
});
export type Bandwidth = z.infer<typeof bandwidthSchema>;

/**
 * One second of a quadrant, or the sum of up to `performanceSumSeconds` with one video, named by
 * its end. Counts are those since the previous sample. A value beyond any player's reach is
 * clamped, not refused.
 */
export const performanceSampleSchema = z
  .object({
    timestamp: timeSchema,
    /** The seconds that it sums; absent for one. `buffer_level_seconds` is then their mean. */
    seconds: z.int().min(1).max(limits.performanceSumSeconds).optional(),
    /** The sample's quadrant, in a report on all quadrants. */
    quadrant: z.enum(quadrants).optional(),
    dropped_frames: countSchema,
    total_frames: countSchema,
    buffer_level_seconds: z.number().nonnegative(),
    stall_events: countSchema,
    quality_adjustments: countSchema,
    bitrate_bps: z.number().nonnegative().optional(),
    /** The number of times that playback failed for good. */
    failures: countSchema.optional(),
    /** The video that was playing. */
    video_id: idSchema.optional(),
  })
  .refine((sample) => sample.dropped_frames <= sample.total_frames, {
    path: ['dropped_frames'],
    error: 'More frames were dropped than there were',
  });

const tooManySamples = `At most ${limits.performanceSamplesPerCall} samples fit in a call`;

const screenFormSchema = z.enum(screenForms);

const venueNameSchema = z
  .string()
  .max(limits.venueNameCharacters)
  .trim()
  .min(1)
  .refine((name) => !hasHiddenInName(name), 'The name has invisible characters');

const maxDaySeconds = 86_400;

/** A screen in venue mode describes itself. */
export const venueReportSchema = z.object({
  /** A random id, which the device has chosen. */
  id: idSchema.regex(/^[\w-]+$/),
  name: venueNameSchema,
  /** The number of quadrants whose video moves. */
  playing: z.int().min(0).max(quadrants.length),
  /** The version of the app that it runs. */
  version: z
    .string()
    .max(limits.idCharacters)
    .regex(/^[\w.+-]*$/),
  /** The account that it was set up with is no longer signed in there. */
  is_signed_out: z.boolean().optional(),
  /** Seconds until it closes, and until it opens after that; absent when it is always open. */
  closes_in: z.int().min(0).max(maxDaySeconds).optional(),
  opens_in: z
    .int()
    .min(0)
    .max(2 * maxDaySeconds)
    .optional(),
  /** Venue mode was switched off there. */
  has_ended: z.literal(true).optional(),
});
export type VenueReport = z.infer<typeof venueReportSchema>;

export const performanceReportSchema = z.object({
  form: screenFormSchema.optional(),
  venue: venueReportSchema.optional(),
  /**
   * How many devices this one stands for: those that `measured` of the configuration told it, or
   * none when it was not drawn and reports stalls and breaks alone. Absent: one.
   */
  stands_for: countSchema.optional(),
  /**
   * The time of sending by the device's own clock; the age of each sample is counted from it. When
   * absent, the newest sample counts as taken now.
   */
  sent_at: timeSchema.optional(),
  samples: boundedArray(performanceSampleSchema, (samples) =>
    samples.length > limits.performanceSamplesPerCall ? tooManySamples : null,
  ),
});
export type PerformanceReport = z.input<typeof performanceReportSchema>;

/**
 * The number of samples that need not be sent again: all but those that are too old, including
 * samples received before.
 */
export const performanceAcceptedSchema = z.strictObject({ accepted: countSchema });
export type PerformanceAccepted = z.infer<typeof performanceAcceptedSchema>;

export const performanceQuerySchema = z.object({ duration: timeWindowSchema });
export type PerformanceQuery = z.input<typeof performanceQuerySchema>;

/**
 * `averageDroppedFrameRate` is a percentage, `averageBufferLevel` seconds, `stallEvents` and
 * `qualityAdjustments` means per viewing session.
 */
export const performanceMetricsSchema = z.strictObject({
  averageDroppedFrameRate: z.number().min(0).max(100),
  averageBufferLevel: z.number().nonnegative(),
  stallEvents: z.number().nonnegative(),
  qualityAdjustments: z.number().nonnegative(),
  samples: countSchema,
});
export type PerformanceMetrics = z.infer<typeof performanceMetricsSchema>;

export const performancePointSchema = z.strictObject({
  timestamp: z.iso.datetime(),
  droppedFrameRate: z.number().min(0).max(100),
  bufferLevel: z.number().nonnegative(),
  stallEvents: z.number().nonnegative(),
  qualityAdjustments: z.number().nonnegative(),
  viewers: countSchema,
});
export type PerformancePoint = z.infer<typeof performancePointSchema>;

/** `id` is the requested quadrant, or `all`. */
export const performanceSchema = z.strictObject({
  id: z.enum([...quadrants, 'all']),
  duration: z.enum(timeWindows),
  metrics: performanceMetricsSchema.nullable(),
  series: z.array(performancePointSchema),
});
export type Performance = z.infer<typeof performanceSchema>;

/**
 * A threshold that was crossed, as the dashboard lists it. `timestamp` is when it was found first.
 */
export const performanceAlertSchema = z.strictObject({
  id: z.string(),
  type: z.enum(['warning', 'error']),
  title: z.string(),
  message: z.string(),
  timestamp: z.iso.datetime(),
  severity: z.enum(['medium', 'high']),
  quadrant: z.enum(quadrants).optional(),
});
export type PerformanceAlert = z.infer<typeof performanceAlertSchema>;

/** Alerts of the last 24 hours, newest first, at most `alertsShown`. */
export const performanceAlertsSchema = z.strictObject({ alerts: z.array(performanceAlertSchema) });
export type PerformanceAlerts = z.infer<typeof performanceAlertsSchema>;

/**
 * An anonymous entry for one present viewer. `address` is their network, never the full address;
 * `bandwidth_mbps` is null when none was measured lately.
 */
export const activeViewerSchema = z.strictObject({
  form: screenFormSchema.nullable(),
  address: z.string(),
  quadrants: countSchema,
  bandwidth_mbps: z.number().nonnegative().nullable(),
  stall_events: countSchema,
  since: z.iso.datetime(),
});
export type ActiveViewer = z.infer<typeof activeViewerSchema>;

/**
 * The viewers of the server process that answers; `total` is an estimate where not all devices are
 * measured. `viewers` has the first `activeViewersListed`, by stalls.
 */
export const activeViewersSchema = z.strictObject({ total: countSchema, viewers: z.array(activeViewerSchema) });
export type ActiveViewers = z.infer<typeof activeViewersSchema>;

export const troubledVideosQuerySchema = z.object({ duration: timeWindowSchema });
export type TroubledVideosQuery = z.input<typeof troubledVideosQuerySchema>;

/** `minutes` is the reported playing time within the window. */
export const troubledVideoSchema = z.strictObject({
  id: z.string(),
  filename: z.string(),
  stall_events: countSchema,
  failures: countSchema,
  minutes: z.number().nonnegative(),
});
export type TroubledVideo = z.infer<typeof troubledVideoSchema>;

/** The worst videos first, at most `troubledVideosListed`. */
export const troubledVideosSchema = z.strictObject({ videos: z.array(troubledVideoSchema) });
export type TroubledVideos = z.infer<typeof troubledVideosSchema>;

/**
 * A screen in venue mode. `state`: `silent` when it should report and has not for
 * `venueSilentMinutes`; `since`: the start of its reports without such a silence.
 */
export const venueSchema = z.strictObject({
  id: z.string(),
  name: z.string(),
  state: z.enum(['open', 'closed', 'silent']),
  playing: countSchema,
  version: z.string(),
  is_signed_out: z.boolean(),
  since: z.iso.datetime(),
  last_seen: z.iso.datetime(),
});
export type Venue = z.infer<typeof venueSchema>;

/** Venues are ordered by name, and at most `venuesListed`. */
export const venuesSchema = z.strictObject({ venues: z.array(venueSchema) });
export type Venues = z.infer<typeof venuesSchema>;
