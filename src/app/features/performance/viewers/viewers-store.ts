import { call } from '#app/platform/http/call.ts';
import { Resource } from '#app/ui/resource.ts';
import { listActiveViewers } from '#contract/endpoints.ts';
import type { ActiveViewers } from '#contract/entities/performance.ts';
import * as failures from '#contract/failures.ts';
import { limits } from '#contract/limits.ts';

/** Who is watching now. */
export const viewers = new Resource<ActiveViewers>({
  load: (signal) => call(listActiveViewers, { signal }),
  toSentence: failures.loadViewers,
  refreshMs: () => limits.dashboardRefreshMs,
});
