import type { PlayerError } from '#app/playback/player/load-source.ts';
import { playerFacts, playerOf } from '#app/playback/player/player-store.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { playNext, prepareNext, remember, tryLater } from '../supply/quadrant-supply.ts';
import { feed } from './feed-state.ts';
import { unpin } from './pin.ts';
import { reloadPinnedLater } from './pinned-reload.ts';
import { isSettled } from './quadrant-request.ts';

/** A pick can avoid 64 ids: six of three others, what leaves them, the last ten, and these. */
const brokenAtMost = 40;

/** §4 Quadrant: a video that breaks says so. It is followed by another one; a pinned one is loaded again, until the third failure unpins. */
export function replaceBroken(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  const isKept = staysPinned(quadrant);
  const broken = request.coming ?? request.shown;
  request.coming = null;
  if (broken && !isKept) avoid(quadrant, broken.id, playerFacts[quadrant].error);
  if (isKept) reloadPinnedLater(quadrant);
  else if (!request.isAsking) tryLater(quadrant, { failure: 'video-error' }, 'video-error', () => playNext(quadrant));
}

/** What was prepared gives no picture: the viewer has not missed it, and another one is prepared. */
export function replaceBrokenNext(quadrant: Quadrant, error: PlayerError): void {
  const request = feed.requests[quadrant];
  if (!request.next) return;
  avoid(quadrant, request.next.id, error);
  request.next = null;
  if (isSettled(request)) tryLater(quadrant, {}, 'video-error', () => prepareNext(quadrant));
}

/** A video that breaks so far from where it broke before has played meanwhile. */
const playedOnSeconds = 10;

/** Counts the failure of a pinned video, anew where it has played on since the last one; false when it was one too many. */
function staysPinned(quadrant: Quadrant): boolean {
  const request = feed.requests[quadrant];
  if (!request.isPinned) return false;
  const at = playerOf(quadrant).position;
  const hasPlayedOn = Math.abs(at - request.pinnedFailedAt) > playedOnSeconds;
  request.pinnedFailures = hasPlayedOn ? 1 : request.pinnedFailures + 1;
  request.pinnedFailedAt = at;
  if (request.pinnedFailures >= limits.pinnedFailuresBeforeUnpin) unpin(quadrant);
  return request.isPinned;
}

/** A video that the network cut is not to blame. */
function avoid(quadrant: Quadrant, id: string, error: PlayerError | null): void {
  remember(feed.requests[quadrant], id);
  if (error === 'network') return;
  feed.broken = [id, ...feed.broken.filter((other) => other !== id)].slice(0, brokenAtMost);
}
