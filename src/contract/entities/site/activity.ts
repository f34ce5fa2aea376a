import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import { activities } from '#contract/rules/activity.ts';
import { pageFacts, pageLimitSchema, pageSchema } from '../fields.ts';

/**
 * Who did what. `actor` is a name as it was then, null for the site itself; `subject` names what it was done to, and
 * `detail` says more: a tier, a date, a field.
 */
export const activitySchema = z.strictObject({
  id: z.string(),
  at: z.iso.datetime(),
  actor: z.string().nullable(),
  kind: z.enum(activities),
  subject: z.string().nullable(),
  detail: z.string().nullable(),
});
export type Activity = z.infer<typeof activitySchema>;

export const activityListQuerySchema = z.object({
  page: pageSchema,
  limit: pageLimitSchema(limits.activitiesPerPage),
});
export type ActivityListQuery = z.input<typeof activityListQuerySchema>;

export const activityListSchema = z.strictObject({ activities: z.array(activitySchema), ...pageFacts });
export type ActivityList = z.infer<typeof activityListSchema>;
