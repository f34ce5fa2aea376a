import { call } from '#app/platform/http/call.ts';
import { Resource } from '#app/ui/resource.ts';
import { readAbout } from '#contract/endpoints.ts';
import type { About } from '#contract/entities/site.ts';
import * as failures from '#contract/failures.ts';

export const about = new Resource<About>({
  load: (signal) => call(readAbout, { signal }),
  toSentence: failures.loadAbout,
});
