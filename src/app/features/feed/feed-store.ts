import { subscribe } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { recovered } from '#app/platform/http/recovery.ts';
import { createSignal } from '#app/platform/signal.ts';
import type { HearPlayer } from '#app/playback/player/player-store.ts';
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
import { collapse } from './quadrant/expansion.ts';
import { feed, initialFeed, isFeedSeen } from './quadrant/feed-state.ts';
import { matchPlayback, matchVisibility } from './quadrant/match-playback.ts';
import type { QuadrantEvent } from './quadrant/quadrant-events.ts';
import { machines } from './quadrant/quadrant-machine.ts';

/** A tap that lets the browser play: it starts all four. The app's own, not analytics. */
export const pageInteraction = createSignal();

let stopFollowing: (() => void) | null = null;

/** Asks for the four first videos, all at once, except for what the page has them of. Their first frames stand as stills until the first tap. */
export function openFeed({ picks, videos }: StartHandover = emptyHandover): void {
  if (stopFollowing) return;
  firstPicks.offer(picks);
  openPlayers(tellMachine, videos);
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
  for (const quadrant of quadrants) machines[quadrant].reset();
  releasePlayers();
  Object.assign(feed, initialFeed());
}

function follow(): () => void {
  document.addEventListener('visibilitychange', settlePresence);
  const stops = [
    () => document.removeEventListener('visibilitychange', settlePresence),
    pageInteraction.listen(start),
    subscribeKey(siteConfig, 'switchIntervalSeconds', adjustSwitchTimers),
    recovered.listen(() => sendToAll({ type: 'recovered' })),
    subscribeKey(connection, 'isReachable', hearOfNetwork),
    onUserChange(replacePrepared),
    ...quadrants.map((quadrant) => subscribe(playerFacts[quadrant], () => hearOfFacts(quadrant))),
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

/** Out of sight the four pause, and nothing is fetched. */
function settlePresence(): void {
  matchVisibility();
  sendToAll({ type: isFeedSeen() ? 'seen' : 'unseen' });
}

/** Without a network nothing is prepared: what comes after this video is asked for when there is one again. */
function hearOfNetwork(isReachable: boolean): void {
  sendToAll({ type: isReachable ? 'online' : 'drop-next' });
}

/** Whoever signs in or out has another blocklist and another tier: what was prepared is not theirs. */
function replacePrepared(): void {
  for (const quadrant of quadrants) {
    machines[quadrant].send({ type: 'drop-next' });
    machines[quadrant].considerNext();
  }
}

function adjustSwitchTimers(): void {
  for (const quadrant of quadrants) machines[quadrant].switchTimer.adjust();
}

/** While a video plays its interval passes, and the one after it is prepared. */
function hearOfFacts(quadrant: Quadrant): void {
  const { hasFrame, isPaused, isWaiting } = playerFacts[quadrant];
  if (!hasFrame || isPaused || isWaiting) {
    machines[quadrant].switchTimer.hold();
    return;
  }
  machines[quadrant].switchTimer.run();
  machines[quadrant].considerNext();
}

/** The events of a player are those of its quadrant. */
const tellMachine: HearPlayer = (quadrant, event) => machines[quadrant].send(event);

function sendToAll(event: QuadrantEvent): void {
  for (const quadrant of quadrants) machines[quadrant].send(event);
}
