import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { ReportReason } from '#contract/rules/report.ts';
import { checkReportText, reportReasons } from '#contract/rules/report.ts';
import { checkedText, pageFacts, pageLimitSchema, pageSchema } from './fields.ts';

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
