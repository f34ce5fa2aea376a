import { pickFirstVideos, pickVideo } from '#contract/endpoints.ts';
import type { FirstPicks } from '#contract/entities/feed.ts';
import { firstVideosId } from '#contract/first-videos.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { quadrantWidth } from './features/feed/quadrant-width.ts';
import type { AskedAhead } from './platform/asked-ahead.ts';
import { hasFrameCallback } from './platform/capabilities.ts';
import { addressOf } from './platform/http/address.ts';
import type { Answer } from './platform/http/answer.ts';
import { fetchAnswer } from './platform/http/send.ts';
import { after } from './platform/timers.ts';
import { refreshToken } from './platform/tokens/token-store.ts';
import { readLearned } from './playback/learned-decoders.ts';
import { drawPictureGrid } from './playback/picture-grid.ts';
import { addressOf as streamAddressOf } from './playback/stream-address.ts';
import { createVideo, releaseVideo } from './playback/video-element.ts';

/*
 * The build puts this into the page itself: it shows the first four pictures, and plays them at a tap, while the engine's file is on its way. What
 * they are of stands in the page already, or is asked for at once. The engine makes a call for each quadrant, and takes answers and elements over; what
 * it does not ask for is dropped. Whoever is signed in asks with a token, so that nothing of this fits. Out of sight nothing is fetched and nothing plays.
 */
/** The engine's start takes the page's thread and the processors: a tap that comes with the pictures is answered without it. */
const restMs = 150;
const restAfterTapMs = 250;

const ahead: AskedAhead = { answers: {}, questions: new AbortController(), videos: {}, grid: null, isTapped: false, shown: Promise.resolve() };
let endRest = (_ms: number) => {};

if (location.search === '' && !document.hidden) {
  window.askedAhead = ahead;
  document.addEventListener('visibilitychange', matchPlayback);
  const answer = readAnswer();
  for (const quadrant of quadrants) ahead.answers[callOf(quadrant)] = () => answer.then((first) => answerFor(quadrant, first));
  ahead.shown = answer.then(startVideos).then(rest).catch(leaveToEngine);
}

async function readAnswer(): Promise<Answer> {
  const text = document.getElementById(firstVideosId)?.textContent;
  return text ? { status: 200, ok: true, text } : ask(addressOf(pickFirstVideos.path));
}

function ask(address: string): Promise<Answer> {
  return fetchAnswer({ method: 'GET', address, signal: ahead.questions.signal }, null);
}

function callOf(quadrant: Quadrant): string {
  return addressOf(pickVideo.path, { quadrant }, { exclude: '', width: quadrantWidth() });
}

/** A refusal of all four is the refusal of each. */
function answerFor(quadrant: Quadrant, first: Answer): Promise<Answer> | Answer {
  if (!first.ok) return first;
  const pick = picksOf(first)?.[quadrant];
  return pick ? { ...first, text: JSON.stringify(pick) } : ask(callOf(quadrant));
}

/** Null for a browser that is signed in. */
function picksOf({ text }: Answer): FirstPicks | null {
  return text === '' ? null : JSON.parse(text);
}

function startVideos(first: Answer): Promise<unknown> | null {
  const picks = first.ok ? picksOf(first) : null;
  if (!picks || !ahead.videos) return null;
  // Where there are fewer than four, the engine starts the same video elsewhere in the quadrants that ask after the first.
  const addresses = quadrants.map((quadrant) => picks[quadrant].url);
  const videos = quadrants.flatMap((quadrant, at) => {
    const url = addresses[at];
    return url && addresses.indexOf(url) === at ? startVideo(quadrant, url) : [];
  });
  if (!fitsFour()) return dropVideos(videos);
  requestAnimationFrame(showVideos);
  return Promise.all(videos.map(firstPicture));
}

/**
 * Whoever has a token draws videos of their own, and a device that has learned of too few decoders leases what there is. To look into the storage makes
 * the page stand still: by then the videos are on their way.
 */
function fitsFour(): boolean {
  return refreshToken() === null && readLearned() === null;
}

function dropVideos(videos: readonly HTMLVideoElement[]): null {
  videos.forEach(releaseVideo);
  ahead.videos = {};
  return null;
}

function startVideo(quadrant: Quadrant, url: string): HTMLVideoElement {
  const video = createVideo();
  video.src = streamAddressOf(url);
  if (ahead.videos) ahead.videos[quadrant] = video;
  return video;
}

function firstPicture(video: HTMLVideoElement): Promise<unknown> {
  return new Promise((resolve) => {
    video.onerror = resolve;
    if (hasFrameCallback(video)) video.requestVideoFrameCallback(resolve);
    else video.onloadeddata = resolve;
  });
}

/** No frame is drawn before the style sheets are there. What the parser still adds to the body would lie over the grid. */
function showVideos(): void {
  const { videos } = ahead;
  if (!videos) return;
  if (document.readyState === 'loading') {
    requestAnimationFrame(showVideos);
    return;
  }
  const grid = drawPictureGrid(playAll);
  for (const quadrant of quadrants) grid.hosts[quadrant].append(...(videos[quadrant] ? [videos[quadrant]] : []));
  ahead.grid = grid;
}

function rest(): Promise<void> {
  return new Promise((resolve) => {
    const cancel = after(restMs, resolve);
    endRest = (ms) => {
      cancel();
      after(ms, resolve);
    };
  });
}

function playAll(): void {
  ahead.isTapped = true;
  endRest(restAfterTapMs);
  matchPlayback();
}

function matchPlayback(): void {
  for (const video of Object.values(ahead.videos ?? {})) {
    if (document.hidden) video.pause();
    else if (ahead.isTapped) video.play().catch(leaveToEngine);
  }
}

/** It makes the same call, or plays the same element, and says what failed. */
function leaveToEngine(): void {}
