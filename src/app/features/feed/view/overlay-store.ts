import { proxy, subscribe } from 'valtio/vanilla';
import { drawsBeforePlaying } from '#app/platform/capabilities.ts';
import { after } from '#app/platform/timers.ts';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { playerFacts } from '#app/playback/player/player-store.ts';
import { limits } from '#contract/limits.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from '../quadrant/feed-state.ts';
import type { FeedVideo } from '../quadrant/feed-video.ts';
import { phaseOf } from '../quadrant/phase.ts';
import { comingOf, failureOf } from '../quadrant/quadrant-state.ts';
import type { OverlayMessage } from './overlay-message.ts';
import { overlayMessage } from './overlay-message.ts';

interface Overlay {
  message: OverlayMessage | null;
  /** The filename of a video that has just started. */
  banner: string | null;
  /** Address of the poster that stands where no frame has come yet. */
  poster: string | null;
}

/** Most first frames are there by then, and need not share the line with a poster. */
const posterDelayMs = 250;

/** What stands on each picture: the phases' words where time has a say in them. */
export const overlays = proxy<Record<Quadrant, Overlay>>(byQuadrant(() => ({ message: null, banner: null, poster: null })));

/** Keeps the overlays true. Returns what stops it. */
export function watchOverlays(): () => void {
  const stops = quadrants.map(watchOverlay);
  return () => {
    for (const stop of stops) stop();
  };
}

function watchOverlay(quadrant: Quadrant): () => void {
  const follow = [followMessage(quadrant), followBanner(quadrant), followPoster(quadrant)];
  const look = () => {
    for (const { look } of follow) look();
  };
  const stops = [subscribe(feed.quadrants[quadrant], look), subscribe(playerFacts[quadrant], look)];
  look();
  return () => {
    for (const stop of stops) stop();
    for (const { end } of follow) end();
  };
}

interface Follower {
  look(): void;
  end(): void;
}

/** A wait over a picture is not worth a word for its first 400 ms: most are over by then. */
function followMessage(quadrant: Quadrant): Follower {
  const overlay = overlays[quadrant];
  let cancelPatience: (() => void) | null = null;

  const say = () => {
    end();
    overlay.message = currentMessage(quadrant);
  };
  const look = () => {
    const message = currentMessage(quadrant);
    const isPatient = message?.kind === 'wait' && overlay.message?.kind !== 'wait' && playerFacts[quadrant].hasFrame;
    if (!isPatient) return say();
    overlay.message = null;
    cancelPatience ??= after(limits.bufferingShowsAfterMs, say);
  };
  const end = () => {
    cancelPatience?.();
    cancelPatience = null;
  };
  return { look, end };
}

function currentMessage(quadrant: Quadrant): OverlayMessage | null {
  const state = feed.quadrants[quadrant];
  return overlayMessage({ phase: phaseOf(state, playerFacts[quadrant]), failure: failureOf(state), delay: state.delay });
}

function followBanner(quadrant: Quadrant): Follower {
  const overlay = overlays[quadrant];
  let announced = feed.quadrants[quadrant].shown;
  let cancel = () => {};

  const hide = () => {
    cancel();
    overlay.banner = null;
  };
  const look = () => {
    const { shown } = feed.quadrants[quadrant];
    const { isPaused } = playerFacts[quadrant];
    if (!shown || shown === announced || isPaused) return;
    hide();
    announced = shown;
    overlay.banner = shown.filename;
    cancel = after(limits.filenameBannerMs, hide);
  };
  return { look, end: hide };
}

/** WebKit draws no frame of a video before it plays, and on a slow line the first one takes long: its poster stands there until then. */
function followPoster(quadrant: Quadrant): Follower {
  const overlay = overlays[quadrant];
  let played: FeedVideo | null = null;
  let cancelDelay: (() => void) | null = null;

  const end = () => {
    cancelDelay?.();
    cancelDelay = null;
    overlay.poster = null;
  };
  const show = () => {
    overlay.poster = posterOf(quadrant, played);
  };
  const look = () => {
    const { hasFrame, isPaused } = playerFacts[quadrant];
    if (hasFrame && !isPaused) played = feed.quadrants[quadrant].shown;
    if (posterOf(quadrant, played) === null) end();
    else if (overlay.poster !== null) show();
    else cancelDelay ??= after(posterDelayMs, show);
  };
  return { look, end };
}

/** @param played the last video that played here: it has left a frame in any engine */
function posterOf(quadrant: Quadrant, played: FeedVideo | null): string | null {
  const { shown } = feed.quadrants[quadrant];
  if (!playerFacts[quadrant].hasFrame) return comingOf(feed.quadrants[quadrant])?.posterUrl ?? null;
  return drawsBeforePlaying() || shown === played ? null : (shown?.posterUrl ?? null);
}
