import { loadWithinLimit } from '#app/platform/http/time-limit.ts';
import { after, now } from '#app/platform/timers.ts';
import { byQuadrant } from '#app/playback/by-quadrant.ts';
import type { PlayerError } from '#app/playback/player/load-source.ts';
import type { Player } from '#app/playback/player/player.ts';
import { playerOf } from '#app/playback/player/player-store.ts';
import { needsOfPlayed } from '#app/playback/quality/playable-video.ts';
import { isBlocked } from '#app/state/channels/blocklist.ts';
import { connection } from '#app/state/connection.ts';
import { noFilter } from '#app/state/filters/quadrant-filters.ts';
import { siteConfig } from '#app/state/site-config.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { NextVideoResult } from '../supply/next-video.ts';
import { nextVideo } from '../supply/next-video.ts';
import { pickDemand } from '../supply/pick-demand.ts';
import { exclusionsFor, freePosition, isTakenElsewhere } from '../supply/pick-exclusions.ts';
import { feed } from './feed-state.ts';
import type { FeedVideo } from './feed-video.ts';
import { matchPlayback } from './match-playback.ts';
import type { Effect, EffectOf, QuadrantEvent } from './quadrant-events.ts';
import { initialQuadrant } from './quadrant-state.ts';
import { reduceQuadrant } from './reduce-quadrant.ts';
import { SwitchTimer } from './switch-timer.ts';

/** One on screen and one prepared for each quadrant, and two more, so that the draw still has a choice. */
const minVideosToPrepare = quadrants.length * 2 + 2;

/** A pick can avoid 64 ids: six of three others, what leaves them, the last ten, and these. */
const maxBroken = 40;

/**
 * Runs one quadrant: sends events through `reduceQuadrant`, stores the state, and does what the transitions ask for.
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
    avoid: ({ video }) => {
      feed.broken = [video, ...feed.broken.filter(({ id }) => id !== video.id)].slice(0, maxBroken);
    },
    doubt: ({ video, error }) => needsOfPlayed(video) && void loseNeed(video, error),
    'match-playback': matchPlayback,
    'consider-next': () => this.considerNext(),
  };
  /** Ends the open call or the running timer. */
  private endPending = () => {};

  constructor(quadrant: Quadrant) {
    this.quadrant = quadrant;
  }

  send(event: QuadrantEvent): void {
    const [state, effects] = reduceQuadrant(feed.quadrants[this.quadrant], event, now());
    Object.assign(feed.quadrants[this.quadrant], state);
    for (const effect of effects) (this.run[effect.type] as (effect: Effect) => void)(effect);
  }

  /** Has another video prepared while the one on screen plays, where network and library allow it. */
  considerNext(): void {
    const matching = feed.quadrants[this.quadrant].shown?.matching ?? 0;
    if (feed.isStarted && connection.isReachable && matching - feed.broken.length >= minVideosToPrepare)
      this.send({ type: 'prepare-next' });
  }

  /** Neither call nor timer is left. */
  reset(): void {
    this.stop();
    this.switchTimer.reset();
    Object.assign(feed.quadrants[this.quadrant], initialQuadrant());
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
   * The first quadrant to hear of a video has it, for the screen or for later. A channel may have been blocked since the
   * call was made.
   */
  private claim(video: FeedVideo, isLastTry: boolean): boolean {
    if (!isLastTry && (isBlocked(video) || isTakenElsewhere(feed, this.quadrant, video))) return false;
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
      // Without the file the video counts as broken.
      .catch(() => null);
    if (signal.aborted) return;
    this.send(video ? { type: 'addressed', video } : { ...asked, type: 'failed', isFinal: true });
  }

  private sendResult(result: NextVideoResult): void {
    if (result.kind === 'downloading')
      this.send({ type: 'not-available', reason: result.reason, processing: result.processing });
    if (result.kind === 'failed') this.send({ type: 'not-given', failure: result.failure });
    if (result.kind === 'refused') this.send({ type: 'refused' });
  }

  /** A call takes the place of an open one or of a running timer. */
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

/** Without the file it is learned from the next one. */
async function loseNeed(video: FeedVideo, error: PlayerError): Promise<void> {
  const lost = await import('#app/playback/quality/lost-needs.ts').catch(() => null);
  await lost?.loseNeed(video, error);
}

export const machines = byQuadrant((quadrant) => new QuadrantMachine(quadrant));
