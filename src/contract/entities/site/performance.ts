import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { timeWindows } from '#contract/rules/time-window.ts';
import { boundedArray, timeSchema } from '../fields.ts';

const countSchema = z.int().nonnegative();
const timeWindowSchema = z
  .enum(timeWindows, { error: `The duration is one of ${timeWindows.join(', ')}` })
  .default('5m');

/** Whose bandwidth: the caller's own, or with `scope=site` (admins) that of everybody who is watching. */
export const bandwidthQuerySchema = z.object({ duration: timeWindowSchema, scope: z.literal('site').optional() });
export type BandwidthQuery = z.input<typeof bandwidthQuerySchema>;

/** Null where nobody is watching. */
export const bandwidthSchema = z.strictObject({
  current_bandwidth_mbps: z.number().nonnegative().nullable(),
  current_bandwidth_bps: z.number().nonnegative().nullable(),
  history: z.array(z.strictObject({ timestamp: z.iso.datetime(), mbps: z.number().nonnegative() })),
});
export type Bandwidth = z.infer<typeof bandwidthSchema>;

/** Counts are those since the sample before. */
export const performanceSampleSchema = z
  .object({
    timestamp: timeSchema,
    dropped_frames: countSchema,
    total_frames: countSchema,
    buffer_level_seconds: z.number().nonnegative(),
    stall_events: countSchema,
    quality_adjustments: countSchema,
    bitrate_bps: z.number().nonnegative().optional(),
  })
  .refine((sample) => sample.dropped_frames <= sample.total_frames, {
    path: ['dropped_frames'],
    error: 'More frames were dropped than there were',
  });

const tooManySamples = `At most ${limits.performanceSamplesPerCall} samples fit in a call`;

export const performanceReportSchema = z.object({
  samples: boundedArray(performanceSampleSchema, (samples) =>
    samples.length > limits.performanceSamplesPerCall ? tooManySamples : null,
  ),
});
export type PerformanceReport = z.input<typeof performanceReportSchema>;

export const performanceAcceptedSchema = z.strictObject({ accepted: countSchema });
export type PerformanceAccepted = z.infer<typeof performanceAcceptedSchema>;

export const performanceQuerySchema = z.object({ duration: timeWindowSchema });
export type PerformanceQuery = z.input<typeof performanceQuerySchema>;

/**
 * `averageDroppedFrameRate` is a percentage, `averageBufferLevel` seconds, `stallEvents` the mean per viewing session.
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

/** `id` is the quadrant that was asked for, or `all`. */
export const performanceSchema = z.strictObject({
  id: z.enum([...quadrants, 'all']),
  duration: z.enum(timeWindows),
  metrics: performanceMetricsSchema.nullable(),
  series: z.array(performancePointSchema),
});
export type Performance = z.infer<typeof performanceSchema>;

/** A crossed threshold, as the dashboard lists it. */
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
