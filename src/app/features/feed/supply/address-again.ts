import { canStart } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { NetworkError } from '#app/platform/http/send.ts';
import type { PlayerError } from '#app/playback/player/source-loading.ts';
import { isOfOtherHost } from '#app/playback/player/video-element.ts';
import { loseNeed } from '#app/playback/quality/lost-needs.ts';
import { needsOfPlayed } from '#app/playback/quality/playable-video.ts';
import { isAnsweredFor } from '#app/playback/warm-bytes.ts';
import { connection } from '#app/state/connection.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { now } from '#device/timers.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';

interface AddressRequest {
  quadrant: Quadrant;
  video: FeedVideo;
  /** Why the current URL failed. */
  error: PlayerError | null;
  /** The current URL has given a frame. */
  isOnScreen: boolean;
  signal: AbortSignal;
}

/** At most this many new URLs are requested for one video per quadrant within the window. */
const maxTimes = 2;
const withinMs = 60_000;

const asked = new Map<Quadrant, { id: string; times: number[] }>();

/**
 * Returns the video with a new URL, of another encoding where the current one may be the cause;
 * null when that does not help or none is available; `no-network` when nothing that our server
 * sends is the cause.
 */
export async function readdress(request: AddressRequest): Promise<FeedVideo | 'no-network' | null> {
  const { quadrant, video, error, signal } = request;
  if (!isWorthAsking(request)) return (await isAway(request)) ? 'no-network' : null;
  const isLost = await loseNeed(video, error);
  const times = countTimes(quadrant, video.id);
  if (times > maxTimes) return null;
  const { path, rendition: quality, audioTrack: audio_track } = video;
  try {
    const reply = await call(resolveVideoUrl, {
      body: { path, quadrant, audio_track, ...(times === 1 && !isLost && { quality }) },
      signal,
      limitSeconds: limits.pickTimeoutSeconds,
    });
    return { ...video, url: reply.url, rendition: reply.rendition, audioTrack: reply.audio_track };
  } catch (failure) {
    // A server that does not answer says nothing about the video. One that does makes it a broken
    // one, and the viewer is told.
    return failure instanceof NetworkError ? 'no-network' : null;
  }
}

/** Whether the element failed because nobody, or a portal's page, has answered. */
async function isAway({ video, error, signal }: AddressRequest): Promise<boolean> {
  if (!connection.isReachable) return true;
  return error === 'unsupported' && !(await isAnsweredFor(video.url, signal));
}

/**
 * Whether a new URL may help. A rendition plays everywhere, so a refused one no longer exists. A
 * source with special media needs may be too much for this device. Another host does not say why it
 * refuses, and may judge the end of a URL by another clock. Any other video is broken.
 */
function isWorthAsking({ video, error, isOnScreen }: AddressRequest): boolean {
  if (!canStart(video.url, now())) return true;
  if (error === 'network') return isOnScreen;
  const mayBeRefused = isOnScreen || video.rendition !== 'source' || isOfOtherHost(video.url);
  if (error === 'unsupported' && mayBeRefused) return true;
  return error !== 'frozen' && needsOfPlayed(video) > 0;
}

/** Counts the requests within the window, including this one. */
function countTimes(quadrant: Quadrant, id: string): number {
  const before = asked.get(quadrant);
  const recent = before?.id === id ? before.times.filter((time) => Math.abs(now() - time) < withinMs) : [];
  const times = recent.length < maxTimes ? [...recent, now()] : recent;
  asked.set(quadrant, { id, times });
  return recent.length + 1;
}
