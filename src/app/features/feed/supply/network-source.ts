import { call } from '#app/platform/http/call.ts';
import { HttpError, NetworkError } from '#app/platform/http/http-error.ts';
import { firstPicks } from '#app/start/first-picks.ts';
import { limits } from '#contract/limits.ts';
import { joinIds } from '#contract/rules/tags/tag-filter.ts';
import { pickVideo } from '#contract/start-endpoints.ts';
import { toFeedVideo } from '../quadrant/feed-video.ts';
import { prepareDraw } from './filter-cache-source.ts';
import type { PickRequest, PickResult, VideoSource } from './video-source.ts';

/** The server draws a video. */
export const networkSource: VideoSource = { pick };

async function pick({ quadrant, filter, demand, excluded, signal }: PickRequest): Promise<PickResult> {
  const isFiltered = filter.tagIds.length > 0;
  const chosen = isFiltered ? { tag_ids: joinIds(filter.tagIds), filter_mode: filter.mode } : {};
  try {
    const reply = await call(pickVideo, {
      params: { quadrant },
      query: { ...chosen, exclude: joinIds([...excluded]), ...demand },
      signal,
      limitSeconds: limits.pickTimeoutSeconds,
      early: () => firstPicks.claim(quadrant, filter),
    });
    if (isFiltered) prepareDraw(filter);
    if (!reply) return { kind: 'failed', failure: 'no-data' };
    if (!reply.available) return { kind: 'downloading', reason: reply.message, processing: reply.processing };
    return reply.url ? { kind: 'given', video: toFeedVideo(reply) } : { kind: 'failed', failure: 'no-data' };
  } catch (error) {
    return signal.aborted ? { kind: 'given-up' } : resultOf(error);
  }
}

function resultOf(error: unknown): PickResult {
  if (error instanceof NetworkError) return { kind: 'failed', failure: 'no-network' };
  if (!(error instanceof HttpError)) throw error;
  if (error.code === 'site_password_required') return { kind: 'refused' };
  return { kind: 'failed', failure: error.status === 404 ? 'no-videos' : 'not-loaded' };
}
