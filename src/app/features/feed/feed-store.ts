import { subscribe } from 'valtio/vanilla';
import { subscribeKey } from 'valtio/vanilla/utils';
import { recovered } from '#app/platform/link.ts';
import { watchPageSight } from '#app/platform/page-sight.ts';
import { createSignal } from '#app/platform/signal.ts';
import type { OnPlayerEvent } from '#app/playback/player/player.ts';
import { openPlayers, playerFacts, playerOf, releasePlayers } from '#app/playback/player/player.ts';
import { firstPicks } from '#app/start/first-picks.ts';
import type { StartHandover } from '#app/start/handover.ts';
import { emptyHandover } from '#app/start/handover.ts';
import { connection } from '#app/state/connection.ts';
import { clearFilters, quadrantFilters, restoreFilters } from '#app/state/quadrant-filters.ts';
import { hasSavedFilters } from '#app/state/saved-filters.ts';
import { isBlocked, onBlocklistChange, onUserChange } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { shownVideos } from '#app/state/unsent.ts';
import { claimPlayRequest, titleChanged } from '#app/state/view-requests.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { collapse, feed, initialFeed, isFeedSeen, matchPlayback, matchVisibility } from './feed-state.ts';
import { restoreVolumes } from './quadrant/player-actions.ts';
import type { FeedVideo, QuadrantEvent, QuadrantState } from './quadrant/quadrant.ts';
import { comingOf, isSaved } from './quadrant/quadrant.ts';
import { machines } from './quadrant/quadrant-machine.ts';

/** A tap after which the browser allows playback; it starts all four videos. */
const pageInteraction = createSignal();

let stopWatching: (() => void) | null = null;

/**
 * Requests the first videos of all quadrants in parallel, except for those that the page has
 * already picked. They stay paused at their first frames until the first tap.
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

/**
 * Called when another view opens: the four videos pause, keep their position, and nothing more is
 * requested.
 */
export function leaveFeed(): void {
  feed.isOpen = false;
  applyVisibility();
}

export function returnToFeed(): void {
  feed.isOpen = true;
  applyVisibility();
  playRequested();
}

/** To be called inside the first tap. */
export function startAll(): void {
  pageInteraction.emit();
}

/** Attaches a quadrant's player to its element. */
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
  const stops = [
    watchPageSight(applyVisibility),
    pageInteraction.listen(start),
    subscribeKey(siteConfig, 'switchIntervalSeconds', adjustSwitchTimers),
    recovered.listen(() => sendToAll({ type: 'recovered' })),
    subscribeKey(connection, 'isReachable', hearOfNetwork),
    subscribe(quadrantFilters, matchFilters, true),
    onUserChange(replacePrepared),
    onBlocklistChange(replaceBlocked),
    titleChanged.listen(({ id, title }) => sendToAll({ type: 'titled', id, title })),
    ...quadrants.map((quadrant) => subscribe(playerFacts[quadrant], () => hearOfFacts(quadrant))),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function start(): void {
  feed.isStarted = true;
  shownVideos.untold.push(...quadrants.flatMap((quadrant) => feed.quadrants[quadrant].shown?.id ?? []));
  for (const quadrant of quadrants) playerOf(quadrant).unlock();
  matchPlayback();
  if (quadrants.some((quadrant) => feed.quadrants[quadrant].filter)) void dropVanished();
}

/** §5: a filter loses the channels that no longer exist. */
async function dropVanished(): Promise<void> {
  const load = () => import('./filter/vanished-channels.ts');
  // If the file does not load, the filters stay: the server ignores missing channels.
  await load().then(
    ({ dropVanishedChannels }) => dropVanishedChannels(),
    () => {},
  );
}

/** Plays a video chosen in another view in its quadrant. The quadrant keeps its playlist's size. */
function playRequested(): void {
  const request = claimPlayRequest();
  if (!request) return;
  const { quadrant, video } = request;
  const matching = feed.quadrants[quadrant].shown?.matching ?? 0;
  machines[quadrant].send({ type: 'play', video: { ...video, matching } });
}

/** Pauses the four videos and stops fetching when the feed is no longer visible. */
function applyVisibility(): void {
  matchVisibility();
  sendToAll({ type: isFeedSeen() ? 'seen' : 'unseen' });
}

/**
 * Drops the prepared videos that need the other state of the network: those of the server when it
 * becomes unreachable, and saved ones when the server picks again.
 */
function hearOfNetwork(isReachable: boolean): void {
  for (const quadrant of quadrants) {
    const { next } = feed.quadrants[quadrant];
    if (next && isSaved(next) === isReachable) machines[quadrant].send({ type: 'drop-next' });
  }
  if (isReachable) sendToAll({ type: 'online' });
  else for (const quadrant of quadrants) machines[quadrant].considerNext();
}

/** Sends a changed filter to its quadrant. */
function matchFilters(): void {
  for (const quadrant of quadrants) {
    const own = quadrantFilters[quadrant];
    const filter = own.tagIds.length > 0 ? own : null;
    if (filter !== feed.quadrants[quadrant].filter) machines[quadrant].send({ type: 'filter', filter });
  }
}

/**
 * Drops the prepared videos, because another user has another blocklist and tier. The filters of
 * the previous user are cleared in the storage shared by all tabs.
 */
function replacePrepared(): void {
  if (!hasSavedFilters()) clearFilters();
  for (const quadrant of quadrants) {
    machines[quadrant].send({ type: 'drop-next' });
    machines[quadrant].considerNext();
  }
}

/** Removes blocked videos at once, even pinned ones (§4 Blocklist). */
function replaceBlocked(): void {
  for (const quadrant of quadrants)
    machines[quadrant].send({ type: 'hidden', ids: blockedVideos(feed.quadrants[quadrant]) });
}

function adjustSwitchTimers(): void {
  for (const quadrant of quadrants) machines[quadrant].switchTimer.adjust();
}

/** Runs the switch timer while a video plays, and prepares the next one. */
function hearOfFacts(quadrant: Quadrant): void {
  const { hasFrame, isPaused, isWaiting } = playerFacts[quadrant];
  if (!hasFrame || isPaused || isWaiting) {
    machines[quadrant].switchTimer.hold();
    return;
  }
  machines[quadrant].switchTimer.run();
  machines[quadrant].considerNext();
}

/** Sends the players' events to their quadrants. */
const sendToMachine: OnPlayerEvent = (quadrant, event) => {
  machines[quadrant].send(event);
  if (event.type === 'shown' && feed.quadrants[quadrant].shown?.isRestricted) void replaceHidden();
};

function sendToAll(event: QuadrantEvent): void {
  for (const quadrant of quadrants) machines[quadrant].send(event);
}

/**
 * Replaces hidden videos: once now, because the feed may have been out of sight, and then whenever
 * a poll of the status or a changed server counter signals it. Returns a function that stops it.
 */
export function watchHidden(): () => void {
  void replaceHidden();
  return recovered.listen(replaceHidden);
}

/** Loads the file only when a video is shown, so that it does not delay the first frames. */
async function replaceHidden(): Promise<void> {
  if (quadrants.every((quadrant) => !feed.quadrants[quadrant].shown)) return;
  // If the file does not load, the next signal tries again.
  const loaded = await import('./supply/hidden-videos.ts').catch(() => null);
  loaded?.replaceHiddenVideos();
}

/** Ids of the quadrant's videos that have a blocked channel. */
function blockedVideos(state: QuadrantState): string[] {
  return videosOf(state).flatMap((video) => (isBlocked(video) ? video.id : []));
}

/** The quadrant's shown, prepared, coming, pinned and past videos. */
export function videosOf(state: QuadrantState): FeedVideo[] {
  const { shown, next, pinned, past } = state;
  return [shown, next, comingOf(state), pinned?.video, ...past].flatMap((video) => video ?? []);
}
