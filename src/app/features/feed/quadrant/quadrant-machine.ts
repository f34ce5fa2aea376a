import { canStart } from '#app/platform/http/address.ts';
import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import type { Player } from '#app/playback/player/player.ts';
import { playerOf } from '#app/playback/player/player.ts';
import type { PlayerError } from '#app/playback/player/source-loading.ts';
import { needsOfPlayed } from '#app/playback/quality/playable-video.ts';
import { isAnsweredFor } from '#app/playback/warm-bytes.ts';
import { connection } from '#app/state/connection.ts';
import { may } from '#app/state/may.ts';
import { noFilter } from '#app/state/quadrant-filters.ts';
import { savedNotice } from '#app/state/saved/saved-notice.ts';
import { isBlocked } from '#app/state/session.ts';
import { siteConfig } from '#app/state/site-config.ts';
import { shownVideos } from '#app/state/unsent.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { byQuadrant, quadrants } from '#contract/quadrants.ts';
import { after, now } from '#device/timers.ts';
import { feed, matchPlayback } from '../feed-state.ts';
import type { NextVideoResult } from '../supply/next-video.ts';
import { nextVideo } from '../supply/next-video.ts';
import { exclusionsFor, freePosition, isTakenElsewhere, pickDemand } from '../supply/pick-request.ts';
import type { Effect, EffectOf, FeedVideo, QuadrantEvent } from './quadrant.ts';
import { initialQuadrant, isSaved, isSettled } from './quadrant.ts';
import { reduceQuadrant } from './quadrant-reducer.ts';

type Pausable = Readonly<Record<Quadrant, { readonly isPaused: boolean }>>;

export function togglePin(quadrant: Quadrant): void {
  if (may('video_controls')) setPinned(quadrant, !feed.quadrants[quadrant].pinned);
}

export function setPinned(quadrant: Quadrant, isPinned: boolean): void {
  const { position, hasFailed } = playerOf(quadrant);
  machines[quadrant].send(isPinned ? { type: 'pin', at: position, hasFailed } : { type: 'unpin' });
}

export function skip(quadrant: Quadrant): void {
  if (!may('video_controls')) return;
  const { shown } = feed.quadrants[quadrant];
  if (shown) leaveAt(leftAt[quadrant], shown.id, playerOf(quadrant).position);
  machines[quadrant].send({ type: 'skip' });
}

/** The second at which each of the last skipped videos was left, by its id. */
const leftAt = byQuadrant(() => new Map<string, number>());
/** Skip back leads to no more videos than these. */
const leftKept = 10;

function leaveAt(seconds: Map<string, number>, id: string, at: number): void {
  seconds.delete(id);
  seconds.set(id, at);
  for (const oldest of seconds.keys()) if (seconds.size > leftKept) seconds.delete(oldest);
}

/**
 * Returns to the last video that was shown here and that no other quadrant has now; to the second
 * at which it was skipped.
 */
export function skipBack(quadrant: Quadrant): void {
  goBackTo(quadrant, lastFree(quadrant));
}

/** Returns to the video that was skipped last, also before another one has come. */
export function undoLastSkip(quadrant: Quadrant): void {
  const state = feed.quadrants[quadrant];
  const { shown } = state;
  const [lastLeft] = [...leftAt[quadrant].keys()].reverse();
  const isLeaving = shown !== null && shown.id === lastLeft && !isSettled(state);
  // Another quadrant has it now, or a new filter leads back to none.
  const isGone = state.isGivenAway || state.isFilterPending;
  goBackTo(quadrant, isLeaving && !isGone ? shown : lastFree(quadrant));
}

function goBackTo(quadrant: Quadrant, video: FeedVideo | null | undefined): void {
  if (!may('video_controls') || !video) return;
  const left = leftAt[quadrant].get(video.id);
  leftAt[quadrant].delete(video.id);
  const at = left ?? freePosition(feed, quadrant, video, (other) => playerOf(other).position);
  machines[quadrant].send({ type: 'skip-back', video, at });
}

/** A repeated press, before the first one's video is shown, goes one video further back. */
function lastFree(quadrant: Quadrant): FeedVideo | undefined {
  const { past, activity } = feed.quadrants[quadrant];
  const comesBack = activity.kind === 'coming' && activity.back ? activity.video.id : null;
  const from = comesBack === null ? 0 : past.findIndex(({ id }) => id === comesBack) + 1;
  return past.slice(from).find((video) => !isTakenElsewhere(feed, quadrant, video));
}

/** Toggles pause for one quadrant, with its Play/Pause key. */
export function togglePaused(quadrant: Quadrant): void {
  setPaused(quadrant, !feed.quadrants[quadrant].isPaused);
}

export function setPaused(quadrant: Quadrant, isPaused: boolean): void {
  machines[quadrant].send({ type: 'pause', isPaused });
}

export function setAllPaused(isPaused: boolean): void {
  for (const quadrant of quadrants) setPaused(quadrant, isPaused);
}

export function areAllPaused(states: Pausable): boolean {
  return quadrants.every((quadrant) => states[quadrant].isPaused);
}

/** Counts the playing time of one video until the switch interval has passed. */
export class SwitchTimer {
  private readonly intervalMs: () => number;
  private readonly passed: () => void;
  private playedMs = 0;
  private runningSince: number | null = null;
  private cancel = () => {};

  constructor(intervalMs: () => number, passed: () => void) {
    this.intervalMs = intervalMs;
    this.passed = passed;
  }

  run(): void {
    if (this.runningSince !== null) return;
    this.runningSince = now();
    this.cancel = after(Math.max(0, this.intervalMs() - this.playedMs), this.passed);
  }

  hold(): void {
    if (this.runningSince === null) return;
    this.cancel();
    this.playedMs += this.ranMs(this.runningSince);
    this.runningSince = null;
  }

  /** Starts a full interval for another video. */
  restart(): void {
    const wasRunning = this.runningSince !== null;
    this.reset();
    if (wasRunning) this.run();
  }

  reset(): void {
    this.hold();
    this.playedMs = 0;
  }

  /** Applies a changed interval; the time played so far counts. */
  adjust(): void {
    if (this.runningSince === null) return;
    this.hold();
    this.run();
  }

  /** A change of the device's clock neither subtracts time nor adds more than one interval. */
  private ranMs(since: number): number {
    return Math.min(Math.max(0, now() - since), this.intervalMs());
  }
}

/**
 * One video on screen and one prepared per quadrant, plus two, so that a pick still has a choice.
 */
const minVideosToPrepare = quadrants.length * 2 + 2;

/**
 * A pick can exclude 64 ids: six of the other three quadrants, their leaving videos, the last ten,
 * and these.
 */
const maxBroken = 40;

/**
 * Runs one quadrant: passes events to `reduceQuadrant`, stores the new state, and performs the
 * effects.
 */
class QuadrantMachine {
  /** Counts the playing time of the video on screen. */
  readonly switchTimer = new SwitchTimer(
    () => siteConfig.switchIntervalSeconds * 1000,
    () => this.send({ type: 'interval-passed' }),
  );
  private readonly quadrant: Quadrant;
  private readonly run: { readonly [Type in Effect['type']]: (effect: EffectOf<Type>) => void } = {
    ask: () => void this.ask(),
    'ask-address': (effect) => void this.askAddress(effect),
    wait: ({ ms }) => this.wait(ms),
    stop: () => this.stop(),
    prepare: ({ video: { id, url }, at }) => this.player.prepare({ url, at, videoId: id }),
    'prepare-next': ({ video: { id, url } }) => this.player.prepareNext({ url, videoId: id }),
    'show-next': ({ video: { id, url } }) => this.player.showNext() || this.player.prepare({ url, videoId: id }),
    'drop-next': () => this.player.dropNext(),
    cancel: () => this.player.cancel(),
    clear: () => this.player.clear(),
    loop: ({ isLooping }) => this.player.setLooping(isLooping),
    'restart-interval': () => this.switchTimer.restart(),
    watched: ({ id }) => this.noteShown(id),
    avoid: ({ video }) => void (isSaved(video) ? noteSavedFailure(video.url) : avoid(video)),
    doubt: ({ video, error }) => needsOfPlayed(video) && void loseNeed(video, error),
    'match-playback': matchPlayback,
    'consider-next': () => this.considerNext(),
  };
  /** Aborts the open call or clears the running timer. */
  private endPending = () => {};

  constructor(quadrant: Quadrant) {
    this.quadrant = quadrant;
  }

  send(event: QuadrantEvent): void {
    const before = feed.quadrants[this.quadrant];
    const [state, effects] = reduceQuadrant(before, event, now());
    if (state !== before) Object.assign(before, state);
    for (const effect of effects) (this.run[effect.type] as (effect: Effect) => void)(effect);
  }

  /** Prepares another video while the one on screen plays, where network and library allow it. */
  considerNext(): void {
    const matching = feed.quadrants[this.quadrant].shown?.matching ?? 0;
    const canAsk = connection.isReachable || Boolean(savedNotice.playable);
    if (feed.isStarted && canAsk && matching - feed.broken.length >= minVideosToPrepare)
      this.send({ type: 'prepare-next' });
  }

  /** Ends the open call and the running timer, and restores the initial state. */
  reset(): void {
    this.stop();
    this.switchTimer.reset();
    Object.assign(feed.quadrants[this.quadrant], initialQuadrant());
  }

  /** The videos that stand still before the first tap count as watched with the tap. */
  private noteShown(id: string): void {
    admit(id);
    if (feed.isStarted) shownVideos.untold.push(id);
  }

  private get player(): Player {
    return playerOf(this.quadrant);
  }

  private async ask(): Promise<void> {
    const signal = this.open();
    const { quadrant } = this;
    const result = await nextVideo({
      quadrant,
      filter: feed.quadrants[quadrant].filter ?? noFilter,
      signal,
      demand: pickDemand(quadrant),
      excluded: () => exclusionsFor(feed, quadrant),
      claim: (video, isLastTry) => this.claim(video, isLastTry),
    });
    if (!signal.aborted) this.sendResult(result);
  }

  /**
   * Claims a video for this quadrant, for the screen or for later. Returns false when another
   * quadrant has claimed it first, except on the last try, or when one of its channels is blocked:
   * the server may not know the viewer's last change yet.
   */
  private claim(video: FeedVideo, isLastTry: boolean): boolean {
    if (isBlocked(video)) return false;
    if (!isLastTry && isTakenElsewhere(feed, this.quadrant, video)) return false;
    this.send({
      type: 'given',
      video,
      at: freePosition(feed, this.quadrant, video, (other) => playerOf(other).position),
    });
    return true;
  }

  private async askAddress(asked: EffectOf<'ask-address'>): Promise<void> {
    const signal = this.open();
    const { quadrant } = this;
    const video = await loadWithinLimit(() => import('../supply/address-again.ts'))
      .then(({ readdress }) => readdress({ ...asked, quadrant, signal }))
      // If the file does not load, the video counts as broken.
      .catch(() => null);
    if (signal.aborted) return;
    if (video === 'no-network') this.loseNetwork();
    else this.send(video ? { type: 'addressed', video } : { ...asked, type: 'failed', isFinal: true });
  }

  /**
   * The video is as good as before: a saved one takes its place until the network is back, but not
   * that of a pinned one.
   */
  private loseNetwork(): void {
    this.player.cancel();
    this.send({ type: 'not-given', failure: 'no-network' });
    const { pinned } = feed.quadrants[this.quadrant];
    if (savedNotice.playable && !pinned) this.send({ type: 'wait-over' });
  }

  private sendResult(result: NextVideoResult): void {
    if (result.kind === 'downloading')
      this.send({ type: 'not-available', reason: result.reason, processing: result.processing });
    if (result.kind === 'failed') this.send({ type: 'not-given', failure: result.failure });
    if (result.kind === 'refused') this.send({ type: 'refused' });
  }

  /** Starts a call; it replaces an open call or a running timer. */
  private open(): AbortSignal {
    this.stop();
    const abort = new AbortController();
    this.endPending = () => abort.abort();
    return abort.signal;
  }

  private wait(ms: number): void {
    this.stop();
    this.endPending = after(ms, () => this.send({ type: 'wait-over' }));
  }

  private stop(): void {
    this.endPending();
    this.endPending = () => {};
  }
}

/** The server or its disk may come back, after which the video plays. */
const brokenMs = 10 * 60_000;
/** Cancels the end of the exclusion of each broken video, by its id. */
const cancelEnd = new Map<string, () => void>();

/**
 * Excludes a video from later picks until it plays, for ten minutes at most; not where its signature
 * has expired, or the network is the cause: a portal's page in its place.
 */
async function avoid(video: FeedVideo): Promise<void> {
  if (canStart(video.url, now()) === false) return;
  admit(video.id);
  feed.broken = [video, ...feed.broken].slice(0, maxBroken);
  const admitAgain = () => admit(video.id);
  cancelEnd.set(video.id, after(brokenMs, admitAgain));
  if (!(await isAnsweredFor(video.url))) admitAgain();
}

/** Includes a video in later picks again. */
function admit(id: string): void {
  cancelEnd.get(id)?.();
  cancelEnd.delete(id);
  const others = feed.broken.filter((video) => video.id !== id);
  if (others.length < feed.broken.length) feed.broken = others;
}

/** If the file does not load, the video is found to be broken when it is drawn again. */
async function noteSavedFailure(url: string): Promise<void> {
  const library = await import('#app/state/saved/saved-library.ts').catch(() => null);
  await library?.noteFailure(url);
}

/** If the file does not load, the need is recorded at the next failure. */
async function loseNeed(video: FeedVideo, error: PlayerError): Promise<void> {
  const lost = await import('#app/playback/quality/lost-needs.ts').catch(() => null);
  await lost?.loseNeed(video, error);
}

export const machines = byQuadrant((quadrant) => new QuadrantMachine(quadrant));
