import type { FeedVideo } from '../quadrant/feed-video.ts';
import { filterCacheSource } from './filter-cache-source.ts';
import { networkSource } from './network-source.ts';
import type { PickRequest, PickResult, VideoSource } from './video-source.ts';

/** In the order in which they are asked: the next one when one has failed, except when it knows that there is none. */
const videoSources: readonly VideoSource[] = [networkSource, filterCacheSource];

/** Each of the three other quadrants can claim a video first at most once. */
const maxTries = 4;

export interface NextVideoRequest extends Omit<PickRequest, 'excluded'> {
  /** Read before each try: the other quadrants go on in between. */
  excluded(): readonly string[];
  /**
   * Claims the video for this quadrant as soon as it is known; false when another quadrant was faster, except on the
   * last try.
   */
  claim(video: FeedVideo, isLastTry: boolean): boolean;
}

export type NextVideoResult = { kind: 'claimed' } | Exclude<PickResult, { kind: 'given' }>;

/**
 * Asks the sources until one gives a video that no other quadrant has claimed in between. The last one is claimed as it
 * comes: the same video in two quadrants is better than a quadrant without one.
 */
export async function nextVideo(request: NextVideoRequest, sources = videoSources): Promise<NextVideoResult> {
  for (let tries = 1; ; tries += 1) {
    const result = await pickFrom(sources, { ...request, excluded: request.excluded() });
    if (request.signal.aborted) return { kind: 'given-up' };
    if (result.kind !== 'given') return result;
    if (request.claim(result.video, tries === maxTries)) return { kind: 'claimed' };
  }
}

/** @returns the first result that is no failure, or else the first source's failure */
async function pickFrom([first, ...others]: readonly VideoSource[], request: PickRequest): Promise<PickResult> {
  const result: PickResult = first ? await first.pick(request) : { kind: 'failed', failure: 'no-videos' };
  if (result.kind !== 'failed' || result.failure === 'no-videos' || others.length === 0) return result;
  const other = await pickFrom(others, request);
  return other.kind === 'failed' ? result : other;
}
