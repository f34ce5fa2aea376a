import { call } from '#app/platform/http/call.ts';
import { Resource } from '#app/ui/resource.ts';
import { readEncodingOverview } from '#contract/endpoints.ts';
import type { EncodingOverview } from '#contract/entities/library.ts';
import * as failures from '#contract/failures.ts';

const refreshMs = 5_000;

/** What encodings take and may take, and which are being made. */
export const encodings = new Resource<EncodingOverview>({
  load: (signal) => call(readEncodingOverview, { signal }),
  toSentence: failures.loadEncodings,
  refreshMs: () => refreshMs,
});
