import { call } from '#app/platform/http/call.ts';
import { HttpError, NetworkError } from '#app/platform/http/http-error.ts';
import { firstPicks } from '#app/start/first-picks.ts';
import { pickVideo } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { joinIds } from '#contract/rules/tag-filter.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { toFeedVideo } from '../quadrant/feed-video.ts';

/** Why a quadrant has nothing new to show. */
export type Failure = 'no-videos' | 'no-data' | 'no-network' | 'not-loaded' | 'video-error';

export type Answer =
  /** A video was given, and the quadrant has taken it. */
  | { kind: 'taken' }
  /** `available:false`: bytes that are still fetched or made playable, or that cannot be: `reason` says which, for a person. */
  | { kind: 'downloading'; reason: string }
  | { kind: 'failed'; failure: Exclude<Failure, 'video-error'> }
  /** The gate is closed: the password page takes over, and nothing is asked again. */
  | { kind: 'refused' }
  /** The question's signal has ended it. */
  | { kind: 'given-up' };

type Reply = { kind: 'given'; video: FeedVideo } | Exclude<Answer, { kind: 'taken' }>;

export interface Question {
  quadrant: Quadrant;
  /** Device pixels of the quadrant. */
  width: number;
  /** Asked before each try: the others go on meanwhile. */
  excluded(): string[];
  /** Takes the video for this quadrant in the moment of its reply; false when another quadrant was faster, but for the last try. */
  claim(video: FeedVideo, isLastTry: boolean): boolean;
  signal: AbortSignal;
}

/** Three others can be faster at most once each. */
const triesAtMost = 4;

/** §4 Quadrant: seconds after which a quadrant asks again by itself. */
export function secondsUntilNextAsk(reason: 'downloading' | Failure): number {
  if (reason === 'video-error') return limits.retryVideoErrorSeconds;
  return reason === 'downloading' ? limits.retryNotAvailableSeconds : limits.retryFailedLoadSeconds;
}

/**
 * Asks for a video until one is given that no other quadrant took meanwhile. The last try is taken as it comes: two quadrants with one
 * video are better than one without.
 */
export async function nextVideo(question: Question): Promise<Answer> {
  for (let tries = 1; ; tries += 1) {
    const reply = await ask(question);
    if (question.signal.aborted) return { kind: 'given-up' };
    if (reply.kind !== 'given') return reply;
    if (question.claim(reply.video, tries === triesAtMost)) return { kind: 'taken' };
  }
}

async function ask({ quadrant, width, excluded, signal }: Question): Promise<Reply> {
  try {
    const reply = await call(pickVideo, {
      params: { quadrant },
      query: { exclude: joinIds(excluded()), width },
      signal,
      limitSeconds: limits.pickTimeoutSeconds,
      early: () => firstPicks.claim(quadrant),
    });
    if (!reply) return { kind: 'failed', failure: 'no-data' };
    if (!reply.available) return { kind: 'downloading', reason: reply.message };
    return reply.url ? { kind: 'given', video: toFeedVideo(reply) } : { kind: 'failed', failure: 'no-data' };
  } catch (error) {
    return signal.aborted ? { kind: 'given-up' } : replyOf(error);
  }
}

function replyOf(error: unknown): Reply {
  if (error instanceof NetworkError) return { kind: 'failed', failure: 'no-network' };
  if (!(error instanceof HttpError)) throw error;
  if (error.code === 'site_password_required') return { kind: 'refused' };
  return { kind: 'failed', failure: error.status === 404 ? 'no-videos' : 'not-loaded' };
}
