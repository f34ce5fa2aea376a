import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { playerFacts, playerOf } from '#app/playback/player-store.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { Attempt } from './attempt.ts';
import { excludedIds, isTakenNeedlessly } from './exclusion.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './feed-video.ts';
import { claimedElsewhere, leavingElsewhere, positionsElsewhere } from './neighbours.ts';
import type { Answer, Failure } from './next-video.ts';
import { nextVideo, secondsUntilNextAsk } from './next-video.ts';
import type { QuadrantRequest } from './quadrant-request.ts';
import { isSettled } from './quadrant-request.ts';
import { quadrantWidth } from './quadrant-width.ts';
import { startPosition } from './start-position.ts';

/*
 * What brings videos to the quadrants: each asks, takes what it is given, hands it to its player, and hears what became of it.
 */

/** A pick can avoid 64 ids: three others, what leaves them, the last ten, and these. */
const brokenAtMost = 40;

const attempts = byQuadrant(() => new Attempt());

/** Another video for this quadrant. What was under way for it is given up and never comes to the screen. */
export function playNext(quadrant: Quadrant): void {
  playerOf(quadrant).abandon();
  Object.assign(feed.requests[quadrant], { coming: null, failure: null, isDownloading: false });
  void ask(quadrant);
}

/** Asks for a video instead of what was asked for before, and keeps the words of the last failure until it is answered. */
export async function ask(quadrant: Quadrant): Promise<void> {
  const signal = attempts[quadrant].begin();
  feed.requests[quadrant].isAsking = true;
  const answer = await nextVideo({
    quadrant,
    signal,
    width: quadrantWidth(),
    excluded: () => excludedFor(quadrant),
    claim: (video, isLastTry) => claim(quadrant, video, isLastTry),
  });
  if (!signal.aborted) settle(quadrant, answer);
}

/** §4 Quadrant: the interval has passed, or the video ended. One that is under way comes by itself. */
export function moveOn(quadrant: Quadrant): void {
  if (isSettled(feed.requests[quadrant])) playNext(quadrant);
}

/** The first picture of what was given is on screen. */
export function takeScreen(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  if (!request.coming) return;
  request.shown = request.coming;
  request.coming = null;
  remember(request, request.shown.id);
}

/** §4 Quadrant: a video that breaks says so and is followed by another one. */
export function replaceBroken(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  const broken = request.coming ?? request.shown;
  if (broken) {
    remember(request, broken.id);
    noteBroken(quadrant, broken.id);
  }
  request.coming = null;
  if (request.isAsking) return;
  wait(quadrant, { failure: 'video-error' }, 'video-error');
}

/** Neither the call nor the wait that a quadrant is in goes on. What it asked for stays owed. */
export function holdBack(quadrant: Quadrant): void {
  attempts[quadrant].end();
}

/** Asks anew for what is owed. */
export function catchUp(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  const isOwed = !request.shown || !isSettled(request);
  if (isOwed && !request.coming) void ask(quadrant);
}

function settle(quadrant: Quadrant, answer: Answer): void {
  feed.requests[quadrant].isAsking = false;
  if (answer.kind === 'downloading') wait(quadrant, { isDownloading: true, failure: null }, 'downloading');
  if (answer.kind === 'failed') wait(quadrant, { isDownloading: false, failure: answer.failure }, answer.failure);
}

function wait(quadrant: Quadrant, told: Partial<QuadrantRequest>, reason: 'downloading' | Failure): void {
  Object.assign(feed.requests[quadrant], told);
  if (feed.isOpen) attempts[quadrant].wait(secondsUntilNextAsk(reason), () => void ask(quadrant));
}

/** Claim on reply: the first quadrant to hear of a video has it. Where it must repeat, it starts apart from the others. */
function claim(quadrant: Quadrant, video: FeedVideo, isLastTry: boolean): boolean {
  if (!isLastTry && isTakenElsewhere(quadrant, video)) return false;
  const taken = positionsElsewhere(feed.requests, quadrant, video.id, (other) => playerOf(other).position);
  const at = startPosition(video.durationSeconds, taken);
  Object.assign(feed.requests[quadrant], { isDownloading: false, failure: null, coming: video, comingAt: at });
  playerOf(quadrant).prepare({ url: video.url, at });
  return true;
}

function isTakenElsewhere(quadrant: Quadrant, { id, matching }: FeedVideo): boolean {
  return isTakenNeedlessly(id, { claimed: claimedElsewhere(feed.requests, quadrant), broken: feed.broken, matching });
}

/** A video that the network cut is not to blame. */
function noteBroken(quadrant: Quadrant, id: string): void {
  if (playerFacts[quadrant].error === 'network') return;
  feed.broken = [id, ...feed.broken.filter((other) => other !== id)].slice(0, brokenAtMost);
}

function remember(request: QuadrantRequest, id: string): void {
  request.recent = [id, ...request.recent.filter((other) => other !== id)].slice(0, limits.recentVideosPerQuadrant);
}

function excludedFor(quadrant: Quadrant): string[] {
  const { recent, shown } = feed.requests[quadrant];
  const claimed = claimedElsewhere(feed.requests, quadrant);
  const leaving = leavingElsewhere(feed.requests, quadrant);
  return excludedIds({ claimed, leaving, recent, broken: feed.broken, matching: shown?.matching ?? null });
}
