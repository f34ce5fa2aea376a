import { canStart } from '#app/platform/http/address.ts';
import { call } from '#app/platform/http/call.ts';
import { now } from '#app/platform/timers.ts';
import type { PlayerError } from '#app/playback/player/source-loading.ts';
import { loseNeed } from '#app/playback/quality/lost-needs.ts';
import { needsOfPlayed } from '#app/playback/quality/playable-video.ts';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import type { FeedVideo } from '../quadrant/quadrant.ts';

interface AddressRequest {
  quadrant: Quadrant;
  video: FeedVideo;
  /** Why the address that it has is of no use. */
  error: PlayerError | null;
  /** It had a frame from there. */
  isOnScreen: boolean;
  signal: AbortSignal;
}

/** So often within that time another address is asked for of the same video in a quadrant. */
const maxTimes = 2;
const withinMs = 60_000;

const asked = new Map<Quadrant, { id: string; times: number[] }>();

/**
 * The video with another address, of another encoding where this one may be to blame; null: it does not help, or there
 * is none.
 */
export async function readdress(request: AddressRequest): Promise<FeedVideo | null> {
  const { quadrant, video, error, signal } = request;
  if (!isWorthAsking(request)) return null;
  const isLost = await loseNeed(video, error);
  const times = countTimes(quadrant, video.id);
  if (times > maxTimes) return null;
  const { path, rendition: quality } = video;
  try {
    const reply = await call(resolveVideoUrl, {
      body: { path, quadrant, ...(times === 1 && !isLost && { quality }) },
      signal,
      limitSeconds: limits.pickTimeoutSeconds,
    });
    return { ...video, url: reply.url, rendition: reply.rendition };
  } catch {
    // The video counts as broken, which is told.
    return null;
  }
}

/**
 * An encoding plays everywhere: when one is refused it is gone. A source that asks much of a player may be too much for
 * this one. Anything else is broken.
 */
function isWorthAsking({ video, error, isOnScreen }: AddressRequest): boolean {
  if (!canStart(video.url, now())) return true;
  if (error === 'network') return isOnScreen;
  if (error === 'unsupported' && (isOnScreen || video.rendition !== 'source')) return true;
  return error !== 'frozen' && needsOfPlayed(video) > 0;
}

/** How often within a minute, with this one. */
function countTimes(quadrant: Quadrant, id: string): number {
  const before = asked.get(quadrant);
  const recent = before?.id === id ? before.times.filter((time) => now() - time < withinMs) : [];
  const times = recent.length < maxTimes ? [...recent, now()] : recent;
  asked.set(quadrant, { id, times });
  return recent.length + 1;
}
