import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { ReportReason } from '#contract/rules/video-details.ts';
import { checkReportText, reportReasons } from '#contract/rules/video-details.ts';
import { checkedText, opaqueTextSchema, pageFacts, pageLimitSchema, pageSchema, searchSchema } from './fields.ts';

const countSchema = z.int().nonnegative();

/** A folder of videos, or a place in a store. Bytes are those of its disk, null while the disk does not answer. */
export const libraryRootSchema = z.strictObject({
  name: z.string(),
  folder: z.string(),
  kind: z.enum(['folder', 'store', 'demo', 'uploads']),
  videos: countSchema,
  available: countSchema,
  /** The time since which the folder cannot be read; null while it can. */
  missing_since: z.iso.datetime().nullable(),
  /** The end of its last complete scan. */
  scanned_at: z.iso.datetime().nullable(),
  free_bytes: countSchema.nullable(),
  total_bytes: countSchema.nullable(),
});
export type LibraryRoot = z.infer<typeof libraryRootSchema>;

/**
 * `progress` is 0 to 100, null when no earlier scan allows an estimate. Times are those of the last
 * complete scan.
 */
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

/** `hidden_by` is the name of an administrator; null when that account is deleted. */
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

const reasonSchema = z.enum(Object.keys(reportReasons) as [ReportReason, ...ReportReason[]], {
  error: 'Choose a reason',
});

/** The body of a report: it says what is wrong with a video. */
export const reportCreationSchema = z.object({
  reason: reasonSchema,
  text: checkedText(checkReportText).default(''),
});
export type ReportCreation = z.input<typeof reportCreationSchema>;

export const reportListQuerySchema = z.object({ page: pageSchema, limit: pageLimitSchema(limits.reportsPerPage) });
export type ReportListQuery = z.input<typeof reportListQuerySchema>;

/** `by` is the reporter's name; null for somebody without an account, or whose account is deleted. */
export const reportSchema = z.strictObject({
  reason: reasonSchema,
  text: z.string(),
  at: z.iso.datetime(),
  by: z.string().nullable(),
});

/** A video with open reports: `count` is that of all, `reports` are the latest of them. */
export const reportedVideoSchema = z.strictObject({
  id: z.string(),
  root: z.string(),
  path: z.string(),
  filename: z.string(),
  poster_url: z.string().nullable(),
  count: z.int().positive(),
  reports: z.array(reportSchema),
});
export type ReportedVideo = z.infer<typeof reportedVideoSchema>;

/** `total` is the number of videos. */
export const reportListSchema = z.strictObject({ videos: z.array(reportedVideoSchema), ...pageFacts });
export type ReportList = z.infer<typeof reportListSchema>;

/** A video that is being encoded now; `progress` is 0 to 100. */
export const runningEncodingSchema = z.strictObject({
  video_id: z.string(),
  filename: z.string(),
  progress: z.number().min(0).max(100),
  /** The time since which it is paused because videos stalled; null while it runs. */
  paused_at: z.iso.datetime().nullable(),
  /**
   * The time since which it is paused in favour of a video that a viewer waits for; null while it
   * is not.
   */
  yields_since: z.iso.datetime().nullable(),
});
export type RunningEncoding = z.infer<typeof runningEncodingSchema>;

/** The encoding status for administrators. */
export const encodingOverviewSchema = z.strictObject({
  /** Bytes used by encodings, storyboards and subtitles, and their budget. */
  used_bytes: countSchema,
  budget_bytes: countSchema,
  /** Free bytes on their disk; null while it does not answer. */
  free_bytes: countSchema.nullable(),
  /** Videos that have an encoding. */
  videos: countSchema,
  waiting: countSchema,
  failed: countSchema,
  running: z.array(runningEncodingSchema),
  /** The name of ffmpeg's encoder; null when there is no ffmpeg. */
  encoder: z.string().nullable(),
  is_hardware: z.boolean(),
  /** Whether HDR is converted by tone mapping; otherwise it is converted without. */
  maps_tones: z.boolean(),
});
export type EncodingOverview = z.infer<typeof encodingOverviewSchema>;

const jobStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

/** Durable background work; `progress` is 0 to 100. */
export const jobSchema = z.strictObject({
  id: z.string(),
  kind: z.string(),
  state: z.enum(jobStates),
  progress: z.number().min(0).max(100),
  attempts: z.int().nonnegative(),
  error: z.string().nullable(),
  video_id: z.string().nullable(),
  created_at: z.iso.datetime(),
  started_at: z.iso.datetime().nullable(),
  finished_at: z.iso.datetime().nullable(),
});
export type Job = z.infer<typeof jobSchema>;

export const jobListQuerySchema = z.object({
  kind: opaqueTextSchema.optional(),
  state: z.enum(jobStates).optional(),
  page: pageSchema,
  limit: pageLimitSchema(limits.jobsPerPage),
});
export type JobListQuery = z.input<typeof jobListQuerySchema>;

export const jobListSchema = z.strictObject({ jobs: z.array(jobSchema), ...pageFacts });
export type JobList = z.infer<typeof jobListSchema>;

/** The number of jobs of one kind in each state. */
export const jobKindSchema = z.strictObject({
  kind: z.string(),
  queued: countSchema,
  running: countSchema,
  failed: countSchema,
  done: countSchema,
  cancelled: countSchema,
});
export type JobKindCounts = z.infer<typeof jobKindSchema>;

export const jobKindListSchema = z.strictObject({ kinds: z.array(jobKindSchema) });
export type JobKindList = z.infer<typeof jobKindListSchema>;

/** All failed, or all waiting, jobs of one kind. */
export const jobKindQuestionSchema = z.object({ kind: opaqueTextSchema });
export type JobKindQuestion = z.input<typeof jobKindQuestionSchema>;

export const jobsChangedSchema = z.strictObject({ success: z.literal(true), jobs: countSchema });
export type JobsChanged = z.infer<typeof jobsChangedSchema>;
