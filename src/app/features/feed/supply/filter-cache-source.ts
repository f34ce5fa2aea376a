import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { afterFirstFrames } from '#app/playback/frames/first-frames.ts';
import type { TagFilter } from '#contract/rules/tags/tag-filter.ts';
import type { PickRequest, PickResult, VideoSource } from './video-source.ts';

/** A list that this device has cached, for a filtered pick that cannot be asked for. */
export const filterCacheSource: VideoSource = { pick };

const maxFramesWaitMs = 4_000;

const none: PickResult = { kind: 'failed', failure: 'no-network' };

async function pick(request: PickRequest): Promise<PickResult> {
  if (request.filter.tagIds.length === 0) return none;
  const video = await loadLists()
    .then((lists) => lists.drawCached(request))
    .catch(() => null);
  return video ? { kind: 'given', video } : none;
}

/**
 * Prepares for the time without a network: the code that draws, and the filter's list. The first frames go before it.
 */
export function prepareDraw(filter: TagFilter): void {
  afterFirstFrames(maxFramesWaitMs, () => {
    loadLists()
      .then((lists) => lists.cacheList(filter))
      .catch(ignoreFailedPreparation);
  });
}

const loadLists = () => loadWithinLimit(() => import('./cached-lists.ts'));

/** The next filtered pick tries again. */
function ignoreFailedPreparation(): void {}
