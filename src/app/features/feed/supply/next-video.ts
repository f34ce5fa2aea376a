import { call } from '#app/platform/http/call.ts';
import { HttpError, NetworkError } from '#app/platform/http/send.ts';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { afterFirstFrames } from '#app/playback/player/player.ts';
import { firstPicks } from '#app/start/first-picks.ts';
import { connection } from '#app/state/connection.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import { limits } from '#contract/limits.ts';
import type { TagFilter } from '#contract/rules/tag-filter.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import { pickVideo } from '#contract/start.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';
import { toFeedVideo } from '../quadrant/quadrant.ts';
import type { SupplyRequest, SupplyResult, VideoSource } from './pick-request.ts';

/** The server picks a video. */
const networkSource: VideoSource = { pick: pickFromServer };

/** A list cached on this device, for a filtered pick when the server is unreachable. */
const filterCacheSource: VideoSource = { pick: pickFromCache };

/** The videos that this device keeps. */
const savedSource: VideoSource = { pick: pickFromSaved };

/**
 * Sources in order of preference: the next one is tried when one fails, except when it knows that
 * no video matches. A server that does not answer is not asked: its probe finds out when it is
 * back.
 */
function videoSources(): readonly VideoSource[] {
  if (!connection.isReachable) return [savedSource, filterCacheSource];
  if (connection.isInDoubt) return [savedSource, networkSource, filterCacheSource];
  return [networkSource, filterCacheSource, savedSource];
}

/** Each of the three other quadrants can claim a video first at most once. */
const maxTries = 4;

export interface NextVideoRequest extends Omit<SupplyRequest, 'excluded'> {
  /** Called before each try, because the other quadrants' videos change meanwhile. */
  excluded(): readonly string[];
  /**
   * Claims the video for this quadrant as soon as it is known. Returns false when another quadrant
   * was faster, except on the last try, and when the viewer has blocked it.
   */
  claim(video: FeedVideo, isLastTry: boolean): boolean;
}

export type NextVideoResult = { kind: 'claimed' } | Exclude<SupplyResult, { kind: 'given' }>;

/**
 * Tries the sources until one returns a video that no other quadrant has claimed meanwhile. The
 * last try need not be free: the same video in two quadrants is better than an empty quadrant. A
 * server that does not know the blocklist yet may give blocked videos only: these fail.
 */
export async function nextVideo(request: NextVideoRequest, sources?: readonly VideoSource[]): Promise<NextVideoResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await pickFrom(sources ?? videoSources(), { ...request, excluded: request.excluded() });
    if (request.signal.aborted) return { kind: 'given-up' };
    if (result.kind !== 'given') return result;
    if (request.claim(result.video, tries >= maxTries)) return { kind: 'claimed' };
    if (tries >= maxTries) return { kind: 'failed', failure: 'not-loaded' };
  }
}

/** @returns the first result that is not a failure, or else the first source's failure */
async function pickFrom([first, ...others]: readonly VideoSource[], request: SupplyRequest): Promise<SupplyResult> {
  const result: SupplyResult = first ? await first.pick(request) : { kind: 'failed', failure: 'no-videos' };
  if (result.kind !== 'failed' || result.failure === 'no-videos' || others.length === 0) return result;
  // A server that answers knows better what plays.
  const isAway = result.failure === 'no-network';
  const other = await pickFrom(isAway ? others : others.filter((source) => source !== savedSource), request);
  return other.kind === 'failed' && other.failure !== 'no-saved' ? result : other;
}

async function pickFromServer({ quadrant, filter, demand, excluded, signal }: SupplyRequest): Promise<SupplyResult> {
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
    if (!reply.url) return { kind: 'failed', failure: 'no-data' };
    const video = toFeedVideo(reply);
    return { kind: 'given', video: savedNotice.playable ? await fromDevice(video) : video };
  } catch (error) {
    return signal.aborted ? { kind: 'given-up' } : resultOf(error);
  }
}

function resultOf(error: unknown): SupplyResult {
  if (error instanceof NetworkError) return { kind: 'failed', failure: 'no-network' };
  if (!(error instanceof HttpError)) throw error;
  if (error.code === 'site_password_required') return { kind: 'refused' };
  return { kind: 'failed', failure: error.status === 404 ? 'no-videos' : 'not-loaded' };
}

const maxFramesWaitMs = 4_000;

const none: SupplyResult = { kind: 'failed', failure: 'no-network' };

async function pickFromCache(request: SupplyRequest): Promise<SupplyResult> {
  if (request.filter.tagIds.length === 0) return none;
  const video = await loadLists()
    .then((lists) => lists.drawCached(request))
    .catch(() => null);
  return video ? { kind: 'given', video } : none;
}

/**
 * Prepares for picks while offline, after the first frames: loads the code that draws, and the
 * filter's list.
 */
function prepareDraw(filter: TagFilter): void {
  afterFirstFrames(maxFramesWaitMs, () => {
    loadLists()
      .then((lists) => lists.cacheList(filter))
      .catch(ignoreFailedPreparation);
  });
}

async function pickFromSaved(request: SupplyRequest): Promise<SupplyResult> {
  if (savedNotice.playable === 0) return none;
  return loadSaved()
    .then((saved) => saved.pickSaved(request))
    .catch(() => none);
}

/** A file that this device keeps is not fetched once more. */
async function fromDevice(video: FeedVideo): Promise<FeedVideo> {
  return loadSaved()
    .then((saved) => saved.preferSaved(video))
    .catch(() => video);
}

const loadSaved = () => loadWithinLimit(() => import('./saved-source.ts'));

const loadLists = () => loadWithinLimit(() => import('./cached-lists.ts'));

/** A failed preparation is repeated by the next filtered pick. */
function ignoreFailedPreparation(): void {}
