import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { playerOf } from '#app/playback/player/player-store.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { Attempt } from '../quadrant/attempt.ts';
import { feed, isFeedSeen } from '../quadrant/feed-state.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import type { QuadrantRequest } from '../quadrant/quadrant-request.ts';
import { isSettled } from '../quadrant/quadrant-request.ts';
import { mayPrepareNext } from './ahead.ts';
import type { Answer, Failure } from './next-video.ts';
import { nextVideo, secondsUntilNextAsk } from './next-video.ts';
import { quadrantWidth } from './quadrant-width.ts';
import { excludedFor, freePosition, isTakenElsewhere } from './surroundings.ts';

/*
 * What brings videos to the quadrants: each asks, takes what it is given, hands it to its player, and hears what became of it.
 * A quadrant has one attempt at a time. Whether its answer is for the screen or for later is decided when it comes: `isAsking`.
 */

const attempts = byQuadrant(() => new Attempt());

/** Another video for this quadrant: the prepared one at once. What was under way to the screen is given up and never comes there. */
export function playNext(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  playerOf(quadrant).abandon();
  const isAskedAhead = attempts[quadrant].isCalling && !request.isAsking;
  Object.assign(request, { coming: null, isComingBack: false, failure: null, isDownloading: false });
  if (isAskedAhead) request.isAsking = true;
  else if (request.next) showPrepared(quadrant, request.next);
  else void ask(quadrant);
}

/** Asks for a video instead of what was asked for before, and keeps the words of the last failure until it is answered. */
export async function ask(quadrant: Quadrant): Promise<void> {
  feed.requests[quadrant].isAsking = true;
  await attempt(quadrant);
}

/** Asks for the video after the one on screen while that plays. Does nothing while it is not the time. */
export function prepareNext(quadrant: Quadrant): void {
  if (attempts[quadrant].isIdle && mayPrepareNext(feed.requests[quadrant])) void attempt(quadrant);
}

/** The prepared one is not wanted any more, nor one that is asked for ahead. */
export function dropNext(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  if (!request.isAsking && isSettled(request)) attempts[quadrant].end();
  request.next = null;
  playerOf(quadrant).dropNext();
}

/** What is on its way to the screen is not wanted any more: what stands there stays. */
export function stay(quadrant: Quadrant): void {
  attempts[quadrant].end();
  playerOf(quadrant).abandon();
  Object.assign(feed.requests[quadrant], { coming: null, isComingBack: false, isAsking: false, isDownloading: false, failure: null });
}

/** §4 Quadrant: the interval has passed, or the video ended. One that is under way comes by itself, and a pinned one stays. */
export function moveOn(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  if (!request.isPinned && isSettled(request)) playNext(quadrant);
}

/** Brings a given video to the screen. Where it must stand in two quadrants, it starts apart from the other. */
export function bring(quadrant: Quadrant, video: FeedVideo, at = freePosition(quadrant, video)): void {
  Object.assign(feed.requests[quadrant], { isDownloading: false, failure: null, coming: video, comingAt: at, isComingBack: false, next: null });
  playerOf(quadrant).prepare({ url: video.url, at });
}

/** Says why there is no video, and tries again a while later. */
export function tryLater(quadrant: Quadrant, told: Partial<QuadrantRequest>, reason: 'downloading' | Failure, run: () => void): void {
  Object.assign(feed.requests[quadrant], told);
  if (isFeedSeen()) attempts[quadrant].wait(secondsUntilNextAsk(reason), run);
}

/** The server may answer now: what waits to be asked is asked. A broken video stands for its two seconds. */
export function hurry(quadrant: Quadrant): void {
  if (feed.requests[quadrant].failure !== 'video-error') attempts[quadrant].hurry();
}

/** Neither the call nor the wait that a quadrant is in goes on. What it asked for stays owed. */
export function holdBack(quadrant: Quadrant): void {
  attempts[quadrant].end();
}

/** Keeps an id among those that the quadrant does not repeat soon. */
export function remember(request: QuadrantRequest, id: string): void {
  request.recent = [id, ...request.recent.filter((other) => other !== id)].slice(0, limits.recentVideosPerQuadrant);
}

async function attempt(quadrant: Quadrant): Promise<void> {
  const signal = attempts[quadrant].begin();
  const answer = await nextVideo({
    quadrant,
    signal,
    width: quadrantWidth(),
    excluded: () => excludedFor(quadrant),
    claim: (video, isLastTry) => claim(quadrant, video, isLastTry),
  });
  if (!signal.aborted) settle(quadrant, answer);
}

function settle(quadrant: Quadrant, answer: Answer): void {
  const request = feed.requests[quadrant];
  const retry = request.isAsking ? () => void ask(quadrant) : () => prepareNext(quadrant);
  const told = request.isAsking ? toldBy(answer) : {};
  if (request.isAsking) request.delay = delayAfter(answer, request.delay);
  attempts[quadrant].end();
  request.isAsking = false;
  if (answer.kind === 'downloading') tryLater(quadrant, told, 'downloading', retry);
  if (answer.kind === 'failed') tryLater(quadrant, told, answer.failure, retry);
}

/** What the viewer is told: nothing, where the question was not theirs. */
function toldBy(answer: Answer): Partial<QuadrantRequest> {
  return answer.kind === 'failed' ? { isDownloading: false, failure: answer.failure } : { isDownloading: answer.kind === 'downloading', failure: null };
}

/** A reason counts as often as it comes in a row. */
function delayAfter(answer: Answer, before: QuadrantRequest['delay']): QuadrantRequest['delay'] {
  if (answer.kind !== 'downloading') return null;
  const { reason } = answer;
  return { reason, times: before?.reason === reason ? before.times + 1 : 1 };
}

/** Claim on reply: the first quadrant to hear of a video has it, for the screen or for later. */
function claim(quadrant: Quadrant, video: FeedVideo, isLastTry: boolean): boolean {
  if (!isLastTry && isTakenElsewhere(quadrant, video)) return false;
  const request = feed.requests[quadrant];
  if (request.isAsking) bring(quadrant, video);
  else keepForLater(quadrant, video);
  return true;
}

/** Has a video prepared out of sight. */
export function keepForLater(quadrant: Quadrant, video: FeedVideo): void {
  feed.requests[quadrant].next = video;
  playerOf(quadrant).prepareNext({ url: video.url });
}

function showPrepared(quadrant: Quadrant, video: FeedVideo): void {
  attempts[quadrant].end();
  Object.assign(feed.requests[quadrant], { coming: video, comingAt: 0, next: null });
  if (!playerOf(quadrant).showNext()) playerOf(quadrant).prepare({ url: video.url });
}
