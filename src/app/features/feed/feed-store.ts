import { subscribe } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { recovered } from '#app/platform/http/recovery.ts';
import { createSignal } from '#app/platform/signal.ts';
import type { OnPlayerEvent } from '#app/playback/player/player.ts';
import { openPlayers, playerFacts, playerOf, releasePlayers } from '#app/playback/player/player.ts';
import { firstPicks } from '#app/start/first-picks.ts';
import type { StartHandover } from '#app/start/handover.ts';
import { emptyHandover } from '#app/start/handover.ts';
import { isBlocked, onBlocklistChange } from '#app/state/blocklist.ts';
import { connection } from '#app/state/connection.ts';
import { clearFilters, quadrantFilters, restoreFilters } from '#app/state/quadrant-filters.ts';
import { hasSavedFilters } from '#app/state/saved-filters.ts';
import { onUserChange } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { claimPlayRequest } from '#app/state/view-requests.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { collapse, feed, initialFeed, isFeedSeen, matchPlayback, matchVisibility } from './feed-state.ts';
import { restoreVolumes } from './quadrant/player-actions.ts';
import type { QuadrantEvent, QuadrantState } from './quadrant/quadrant.ts';
import { comingOf } from './quadrant/quadrant.ts';
import { machines } from './quadrant/quadrant-machine.ts';

/** A tap that lets the browser play: it starts all four. The app's own, not analytics. */
const pageInteraction = createSignal();

let stopWatching: (() => void) | null = null;

/**
 * Asks for the four first videos, all at once, except for what the page has them of. They are paused at their first
 * frames until the first tap.
 */
export function openFeed({ picks, videos }: StartHandover = emptyHandover): void {
  if (stopWatching) return;
  firstPicks.offer(picks);
  openPlayers(sendToMachine, videos);
  restoreVolumes();
  restoreFilters();
  matchFilters();
  stopWatching = watchSources();
  returnToFeed();
}

/** Another view opens: the four pause and remember video and position, and nothing more is asked. */
export function leaveFeed(): void {
  feed.isOpen = false;
  applyVisibility();
}

export function returnToFeed(): void {
  feed.isOpen = true;
  applyVisibility();
  playRequested();
}

/** To be called inside the tap. */
export function startAll(): void {
  pageInteraction.emit();
}

/** Gives a quadrant's player its place on the page. */
export function attachPlayer(quadrant: Quadrant, host: HTMLElement): void {
  playerOf(quadrant).attachTo(host);
}

export function resetFeed(): void {
  if (!stopWatching) return;
  stopWatching();
  stopWatching = null;
  collapse();
  for (const quadrant of quadrants) machines[quadrant].reset();
  releasePlayers();
  Object.assign(feed, initialFeed());
}

function watchSources(): () => void {
  document.addEventListener('visibilitychange', applyVisibility);
  const stops = [
    () => document.removeEventListener('visibilitychange', applyVisibility),
    pageInteraction.listen(start),
    subscribeKey(siteConfig, 'switchIntervalSeconds', adjustSwitchTimers),
    recovered.listen(() => sendToAll({ type: 'recovered' })),
    subscribeKey(connection, 'isReachable', hearOfNetwork),
    subscribe(quadrantFilters, matchFilters, true),
    onUserChange(replacePrepared),
    onBlocklistChange(replaceBlocked),
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
  if (quadrants.some((quadrant) => feed.quadrants[quadrant].filter)) void dropVanished();
}

/** §5: a filter loses the channels that no longer exist. */
async function dropVanished(): Promise<void> {
  const load = () => import('./filter/vanished-channels.ts');
  // Without the file the server passes over them.
  await load().then(
    ({ dropVanishedChannels }) => dropVanishedChannels(),
    () => {},
  );
}

/** A video that was chosen on another view goes to its quadrant. How many it is drawn from is not known anew. */
function playRequested(): void {
  const request = claimPlayRequest();
  if (!request) return;
  const { quadrant, video } = request;
  const matching = feed.quadrants[quadrant].shown?.matching ?? 0;
  machines[quadrant].send({ type: 'play', video: { ...video, matching } });
}

/** Out of sight the four pause, and nothing is fetched. */
function applyVisibility(): void {
  matchVisibility();
  sendToAll({ type: isFeedSeen() ? 'seen' : 'unseen' });
}

/** Without a network nothing is prepared: what comes after this video is asked for when there is one again. */
function hearOfNetwork(isReachable: boolean): void {
  sendToAll({ type: isReachable ? 'online' : 'drop-next' });
}

/** A filter that has changed is an event of its quadrant. */
function matchFilters(): void {
  for (const quadrant of quadrants) {
    const own = quadrantFilters[quadrant];
    const filter = own.tagIds.length > 0 ? own : null;
    if (filter !== feed.quadrants[quadrant].filter) machines[quadrant].send({ type: 'filter', filter });
  }
}

/**
 * Another user has another blocklist and another tier: what was prepared is dropped. The filters of the one before are
 * cleared in the storage of all tabs.
 */
function replacePrepared(): void {
  if (!hasSavedFilters()) clearFilters();
  for (const quadrant of quadrants) {
    machines[quadrant].send({ type: 'drop-next' });
    machines[quadrant].considerNext();
  }
}

/** Blocked videos leave at once, pinned or not (§4 Blocklist). */
function replaceBlocked(): void {
  for (const quadrant of quadrants)
    machines[quadrant].send({ type: 'hidden', ids: blockedVideos(feed.quadrants[quadrant]) });
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

/** What a player tells are events of its quadrant. */
const sendToMachine: OnPlayerEvent = (quadrant, event) => machines[quadrant].send(event);

function sendToAll(event: QuadrantEvent): void {
  for (const quadrant of quadrants) machines[quadrant].send(event);
}

/**
 * Has hidden videos replaced: now, because the feed may have been out of sight, whenever a counter of the server has
 * changed, and with each poll of the status. Returns what stops it.
 */
export function watchHidden(): () => void {
  void replaceHidden();
  return recovered.listen(replaceHidden);
}

/** Where no video is shown there is none to replace: the file is not among the first. */
async function replaceHidden(): Promise<void> {
  if (quadrants.every((quadrant) => !feed.quadrants[quadrant].shown)) return;
  // A file that cannot be loaded now is loaded the next time.
  const loaded = await import('./supply/hidden-videos.ts').catch(() => null);
  loaded?.replaceHiddenVideos();
}

/** Ids of the quadrant's videos, shown, prepared or past, that have a blocked channel. */
function blockedVideos(state: QuadrantState): string[] {
  const { shown, next, past } = state;
  return [shown, next, comingOf(state), ...past].flatMap((video) => (video && isBlocked(video) ? video.id : []));
}
