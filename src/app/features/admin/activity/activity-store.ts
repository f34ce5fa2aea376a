import { call } from '#app/platform/http/call.ts';
import { createPagedList } from '#app/ui/list/paged-list.ts';
import { listActivities } from '#contract/endpoints.ts';
import type { Activity } from '#contract/entities/site.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';

const limit = limits.activitiesPerPage;

/** Who did what, the latest first. */
export const activities = createPagedList<Activity, object>({
  limit,
  filters: {},
  load: async ({ page }, signal) => {
    const reply = await call(listActivities, { query: { page, limit }, signal });
    return { items: reply.activities, total: reply.total };
  },
  idOf: ({ id }) => id,
  toSentence: failures.loadActivity,
});
