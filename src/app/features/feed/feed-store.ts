import { subscribe } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { recovered } from '#app/platform/http/recovery.ts';
import { createSignal } from '#app/platform/signal.ts';
import { openPlayers, playerFacts, playerOf, releasePlayers } from '#app/playback/player/player-store.ts';
import { firstPicks } from '#app/start/first-picks.ts';
import type { StartHandover } from '#app/start/handover.ts';
import { emptyHandover } from '#app/start/handover.ts';
import { connection } from '#app/state/connection.ts';
import { onUserChange } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { restoreVolumes } from './controls/sound.ts';
import { replaceBroken, replaceBrokenNext } from './quadrant/broken-video.ts';
import { collapse } from './quadrant/expansion.ts';
import { feed, initialFeed, isFeedSeen } from './quadrant/feed-state.ts';
import { matchPlayback, matchPresence } from './quadrant/match-playback.ts';
import { reloadPinned } from './quadrant/pinned-reload.ts';
import { initialRequest, isSettled } from './quadrant/quadrant-request.ts';
import { takeScreen } from './quadrant/screen-change.ts';
import { switchTimers } from './quadrant/switch-timers.ts';
import { ask, dropNext, holdBack, hurry, moveOn, prepareNext } from './supply/quadrant-supply.ts';

/** A tap that lets the browser play: it starts all four. The app's own, not analytics. */
export const pageInteraction = createSignal();

let stopFollowing: (() => void) | null = null;

/** Asks for the four first videos, all at once, except for what the page has them of. Their first frames stand as stills until the first tap. */
export function openFeed({ picks, videos }: StartHandover = emptyHandover): void {
  if (stopFollowing) return;
  firstPicks.offer(picks);
  openPlayers({ shown: startShown, ended: moveOn, failed: replaceBroken, nextFailed: replaceBrokenNext }, videos);
  restoreVolumes();
  stopFollowing = follow();
  returnToFeed();
}

/** Another view opens: the four pause and keep video and position, and nothing more is asked. */
export function leaveFeed(): void {
  feed.isOpen = false;
  settlePresence();
}

export function returnToFeed(): void {
  feed.isOpen = true;
  settlePresence();
}

/** To be called inside the tap. */
export function startAll(): void {
  pageInteraction.emit();
}

/** Gives a quadrant's player its place on the page. */
export function attachPicture(quadrant: Quadrant, host: HTMLElement): void {
  playerOf(quadrant).attachTo(host);
}

export function resetFeed(): void {
  if (!stopFollowing) return;
  stopFollowing();
  stopFollowing = null;
  collapse();
  for (const quadrant of quadrants) {
    holdBack(quadrant);
    switchTimers[quadrant].reset();
    Object.assign(feed.requests[quadrant], initialRequest());
  }
  releasePlayers();
  Object.assign(feed, initialFeed());
}

/** The video on screen has changed: a full interval begins. */
function startShown(quadrant: Quadrant): void {
  takeScreen(quadrant);
  switchTimers[quadrant].restart();
}

function follow(): () => void {
  document.addEventListener('visibilitychange', settlePresence);
  const stops = [
    () => document.removeEventListener('visibilitychange', settlePresence),
    pageInteraction.listen(start),
    subscribeKey(siteConfig, 'switchIntervalSeconds', adjustSwitchTimers),
    recovered.listen(() => quadrants.forEach(hurry)),
    subscribeKey(connection, 'isReachable', meetNetwork),
    onUserChange(replacePrepared),
    ...quadrants.map((quadrant) => subscribe(playerFacts[quadrant], () => followPlaying(quadrant))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function start(): void {
  feed.isStarted = true;
  for (const quadrant of quadrants) playerOf(quadrant).unlock();
  matchPlayback();
}

/** Out of sight the four pause, and nothing is fetched. Back in sight, what is owed is asked for. */
function settlePresence(): void {
  matchPresence();
  for (const quadrant of quadrants) {
    if (isFeedSeen()) catchUp(quadrant);
    else holdBack(quadrant);
  }
}

function catchUp(quadrant: Quadrant): void {
  const request = feed.requests[quadrant];
  const isOwed = !request.shown || !isSettled(request);
  if (!isOwed || request.coming) return;
  if (request.isPinned) reloadPinned(quadrant);
  else void ask(quadrant);
}

/** Without a network nothing is prepared: what comes after this video is asked for when there is one again. */
function meetNetwork(isReachable: boolean): void {
  for (const quadrant of quadrants) {
    const { failure, isAsking } = feed.requests[quadrant];
    if (!isReachable) dropNext(quadrant);
    else if (isFeedSeen() && failure === 'no-network' && !isAsking) void ask(quadrant);
    else prepareNext(quadrant);
  }
}

/** Who signs in or out has another blocklist and another tier: what was prepared is not theirs. */
function replacePrepared(): void {
  for (const quadrant of quadrants) {
    dropNext(quadrant);
    prepareNext(quadrant);
  }
}

function adjustSwitchTimers(): void {
  for (const quadrant of quadrants) switchTimers[quadrant].adjust();
}

/** While a video plays its interval passes, and the one after it is prepared. */
function followPlaying(quadrant: Quadrant): void {
  const { hasFrame, isPaused, isWaiting } = playerFacts[quadrant];
  if (!hasFrame || isPaused || isWaiting) {
    switchTimers[quadrant].hold();
    return;
  }
  switchTimers[quadrant].run();
  prepareNext(quadrant);
}
