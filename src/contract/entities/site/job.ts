import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { opaqueTextSchema, pageFacts, pageLimitSchema, pageSchema } from '../fields.ts';

export const jobStates = ['queued', 'running', 'done', 'failed', 'cancelled'] as const;

/** Durable work in the background; `progress` is 0 to 100. */
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

const countSchema = z.int().nonnegative();

/** All work of one kind, by its state. */
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

/** All failed, or all waiting, work of one kind. */
export const jobKindQuestionSchema = z.object({ kind: opaqueTextSchema });
export type JobKindQuestion = z.input<typeof jobKindQuestionSchema>;

export const jobsChangedSchema = z.strictObject({ success: z.literal(true), jobs: countSchema });
export type JobsChanged = z.infer<typeof jobsChangedSchema>;
