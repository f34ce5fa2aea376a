import { proxy } from 'valtio/vanilla';
import { call } from '#app/platform/http/call.ts';
import { listReports } from '#contract/endpoints.ts';

/** The number of videos with open reports, as far as it is known. */
export const openReports = proxy({ videos: 0 });

/** Reads how many videos are reported. Without an answer the last number stays. */
export async function countReports(): Promise<void> {
  const reply = await call(listReports, { query: { page: 1, limit: 1 } }).catch(() => null);
  if (reply) openReports.videos = reply.total;
}
