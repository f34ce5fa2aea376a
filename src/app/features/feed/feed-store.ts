import { subscribe } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { createSignal } from '#app/platform/signal.ts';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import { openPlayers, playerFacts, playerOf, releasePlayers } from '#app/playback/player-store.ts';
import { connection } from '#app/state/connection.ts';
import { siteConfig } from '#app/state/site-config.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { feed } from './feed-state.ts';
import { initialRequest } from './quadrant-request.ts';
import { ask, catchUp, holdBack, moveOn, replaceBroken, takeScreen } from './quadrant-supply.ts';
import { SwitchTimer } from './switch-timer.ts';

/** A tap that lets the browser play: it starts all four. The app's own, not analytics. */
export const pageInteraction = createSignal();

const switchIntervalMs = () => siteConfig.switchIntervalSeconds * 1000;
const switchTimers = byQuadrant((quadrant) => new SwitchTimer(switchIntervalMs, () => moveOn(quadrant)));

let stopFollowing: (() => void) | null = null;

/** Asks for the four first videos, all at once. Their first pictures stand as stills until the first tap. */
export function openFeed(): void {
  if (stopFollowing) return;
  openPlayers({ shown: startShown, ended: moveOn, failed: replaceBroken });
  stopFollowing = follow();
  returnToFeed();
}

/** Another view opens: the four pause and keep video and position, and nothing more is asked. */
export function leaveFeed(): void {
  feed.isOpen = false;
  for (const quadrant of quadrants) holdBack(quadrant);
  matchPlayback();
}

export function returnToFeed(): void {
  feed.isOpen = true;
  matchPlayback();
  for (const quadrant of quadrants) catchUp(quadrant);
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
  stopFollowing?.();
  stopFollowing = null;
  for (const quadrant of quadrants) {
    holdBack(quadrant);
    switchTimers[quadrant].reset();
    Object.assign(feed.requests[quadrant], initialRequest());
  }
  releasePlayers();
  Object.assign(feed, { isStarted: false, isOpen: false, broken: [] });
}

/** The video on screen has changed: a full interval begins. */
function startShown(quadrant: Quadrant): void {
  takeScreen(quadrant);
  switchTimers[quadrant].restart();
}

function follow(): () => void {
  document.addEventListener('visibilitychange', matchPlayback);
  const stops = [
    () => document.removeEventListener('visibilitychange', matchPlayback),
    pageInteraction.listen(start),
    subscribeKey(siteConfig, 'switchIntervalSeconds', adjustSwitchTimers),
    subscribeKey(connection, 'isReachable', askWhenBack),
    ...quadrants.map((quadrant) => subscribe(playerFacts[quadrant], () => countPlayingTime(quadrant))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function start(): void {
  feed.isStarted = true;
  matchPlayback();
}

/** The four play after the first tap, while the feed is on screen and the screen is looked at. */
function matchPlayback(): void {
  const isWanted = feed.isStarted && feed.isOpen && !document.hidden;
  for (const quadrant of quadrants) {
    if (isWanted) playerOf(quadrant).play();
    else playerOf(quadrant).pause();
  }
}

function askWhenBack(isReachable: boolean): void {
  if (!isReachable || !feed.isOpen) return;
  for (const quadrant of quadrants) {
    if (feed.requests[quadrant].failure === 'no-network') void ask(quadrant);
  }
}

function adjustSwitchTimers(): void {
  for (const quadrant of quadrants) switchTimers[quadrant].adjust();
}

function countPlayingTime(quadrant: Quadrant): void {
  const { hasFrame, isPaused, isWaiting } = playerFacts[quadrant];
  if (hasFrame && !isPaused && !isWaiting) switchTimers[quadrant].run();
  else switchTimers[quadrant].hold();
}
