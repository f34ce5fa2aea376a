import { proxy, subscribe } from 'valtio/vanilla';
import { isPageSeen, watchPageSight } from '#app/platform/page-sight.ts';
import type { Quadrant } from '#contract/quadrants.ts';
import { after } from '#device/timers.ts';
import { byQuadrant } from '../../../contract/quadrants.ts';
import { decoderTrials } from '../decoder-trials.ts';
import type { Progress, RecoveryStep } from '../health/stall-detector.ts';
import { ActiveLayer, PlaybackMeter } from './active-layer.ts';
import { LayerPair } from './layer-pair.ts';
import type { PartEvent, PlaybackMetrics, PlayerEvent, PlayerFacts } from './player-facts.ts';
import { restingFacts } from './player-facts.ts';
import type { PlayerError, Source } from './source-loading.ts';
import type { Replacement } from './source-queue.ts';
import { meetAtOnce, SourceQueue } from './source-queue.ts';
import { sizeOf } from './video-element.ts';

/** The facts of the four players, as reported by their elements. */
export const playerFacts = proxy<Record<Quadrant, PlayerFacts>>(byQuadrant(() => ({ ...restingFacts })));

/** Receives the players' events, except for changes of their facts. */
export type OnPlayerEvent = (quadrant: Quadrant, event: Exclude<PlayerEvent, { type: 'changed' }>) => void;

let players: Record<Quadrant, Player> | null = null;
let stopWatching = () => {};

/**
 * Creates the four players. They can load a first frame before they are attached to the page.
 * @param started elements that are already loading a source
 */
export function openPlayers(listener: OnPlayerEvent, started: Partial<Record<Quadrant, HTMLVideoElement>> = {}): void {
  players = byQuadrant((quadrant) => new Player((event) => handle(quadrant, event, listener), started[quadrant]));
  stopWatching = watchPageSight(hideWithPage);
  hideWithPage();
}

/** @throws when called before `openPlayers` */
export function playerOf(quadrant: Quadrant): Player {
  if (!players) throw new Error('The players are not open');
  return players[quadrant];
}

export function openedPlayers(): [Quadrant, Player][] {
  return Object.entries(players ?? {}) as [Quadrant, Player][];
}

export function releasePlayers(): void {
  stopWatching();
  for (const [, player] of openedPlayers()) player.release();
  decoderTrials.forget();
  players = null;
}

function handle(quadrant: Quadrant, event: PlayerEvent, listener: OnPlayerEvent): void {
  if (event.type === 'changed') Object.assign(playerFacts[quadrant], event.facts);
  else listener(quadrant, event);
}

function hideWithPage(): void {
  for (const [, player] of openedPlayers()) player.setHidden(!isPageSeen());
}

/** Runs once, when all four quadrants have a frame or after `maxMs`. */
export function afterFirstFrames(maxMs: number, run: () => void): void {
  const finish = () => {
    stopListening();
    cancel();
    run();
  };
  const areAllThere = () => Object.values(playerFacts).every(({ hasFrame }) => hasFrame);
  const stopListening = subscribe(playerFacts, () => areAllThere() && finish());
  const cancel = after(areAllThere() ? 0 : maxMs, finish);
}

/**
 * The player of one quadrant, with two stacked layers. The next video is prepared on the back
 * layer, beneath the front; when its first frame is drawn the layers are swapped, and the old
 * source is released once the new frame is composited. So the quadrant always shows a frame.
 */
export class Player {
  private readonly emit: (event: PlayerEvent) => void;
  private readonly layers: LayerPair;
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private readonly recovery: StallRecovery;
  private readonly conditions: PlayConditions;
  private readonly meter: PlaybackMeter;
  /** Whether the video on screen cannot continue. */
  hasFailed = false;

  /** @param first an element that is already loading its source */
  constructor(emit: (event: PlayerEvent) => void, first?: HTMLVideoElement) {
    this.emit = emit;
    this.layers = new LayerPair(first);
    this.active = new ActiveLayer(this.layers, this.onPartEvent);
    this.queue = new SourceQueue(this.layers, this.onPartEvent);
    this.conditions = new PlayConditions(this.active, this.queue);
    this.meter = new PlaybackMeter(this.layers, this.active);
    this.recovery = new StallRecovery(this.active, this.queue, (error) => this.failActive(error));
  }

  /** Seconds into the video on screen. */
  get position(): number {
    return this.layers.front.position;
  }

  /** Duration in seconds; NaN while unknown. */
  get duration(): number {
    return this.active.video.duration;
  }

  /** Device pixels; null before layout. */
  get size(): { width: number; height: number } | null {
    return sizeOf(this.active.video);
  }

  attachTo(host: HTMLElement): void {
    this.layers.attachTo(host);
  }

  /**
   * Listens for changes of position, duration or buffer, four times a second at most. Returns a
   * function that stops listening.
   */
  onTime(listener: () => void): () => void {
    return this.active.time.listen(listener);
  }

  /**
   * Shows a video as soon as its first frame is drawn. It replaces a video that is loading or
   * prepared.
   */
  prepare(source: Source): void {
    this.queue.load(source, this.emitShown);
  }

  /** Switches the same video to another URL; this does not count as the start of a video. */
  replaceSource(url: string, { at, meet = meetAtOnce, priority = 'quadrant', shown }: Replacement): void {
    this.queue.replace({ url, at, videoId: this.active.videoId }, meet, priority, () => {
      this.meter.countQualityAdjustment();
      shown?.();
      this.emitEnd();
    });
  }

  /** Cancels the requested video: its request is aborted and it is never shown. */
  cancel(): void {
    if (this.queue.cancel() && this.conditions.isPresent) this.active.reload();
  }

  /** Clears the screen at once, before the next video is ready. A requested video still loads. */
  clear(): void {
    this.hasFailed = false;
    this.layers.clearFront();
    this.emit({ type: 'changed', facts: { hasFrame: false, isWaiting: false, durationSeconds: null, error: null } });
  }

  /**
   * Prepares the next video as far as the device allows. `showNext`, `dropNext` or `prepare` ends
   * it.
   */
  prepareNext(source: Source): void {
    this.queue.prepareNext(source);
  }

  /**
   * Shows the prepared video, at once when its first frame is drawn. Returns false when none is
   * prepared.
   */
  showNext(): boolean {
    return this.queue.showNext(this.emitShown);
  }

  dropNext(): void {
    this.queue.dropNext();
  }

  /** To be called inside the first tap: after it, swapping layers needs no further tap. */
  unlock(): void {
    this.layers.unlock();
  }

  /** To be called inside a tap where the browser requires one. */
  play(): void {
    this.emit({ type: 'changed', facts: { isBlocked: false } });
    this.conditions.setWanted(true);
    // Chromium fires no event at the end of a video that was sought there while paused.
    this.emitEnd();
  }

  pause(): void {
    this.conditions.setWanted(false);
  }

  /** §5: ignored while the duration is unknown. */
  seekTo(seconds: number): void {
    this.active.seekTo(seconds);
  }

  setLooping(isLooping: boolean): void {
    this.active.setLooping(isLooping);
  }

  /** To be called inside a tap. On devices that allow one audible video, the others are muted. */
  setMuted(isMuted: boolean): void {
    this.active.setMuted(isMuted);
  }

  /** @param volume 0 to 1 */
  setVolume(volume: number): void {
    this.active.setVolume(volume);
  }

  /** @param speed 1: as recorded. It holds for the next videos, too. */
  setSpeed(speed: number): void {
    this.layers.setSpeed(speed);
    this.emit({ type: 'changed', facts: { speed } });
  }

  /** The progress of the video that should be playing; null when none should. */
  progress(): Progress | null {
    return this.conditions.isPlaying ? this.recovery.target.progress() : null;
  }

  /** Whether the video on screen was last seen to move. */
  noteMotion(isMoving: boolean): void {
    if (!this.queue.isLoading) this.layers.front.noteMotion(isMoving);
  }

  /** Its picture stands. Returns whether it is tried with one decoder free. */
  tryDecoder(): boolean {
    return this.recovery.target.tryDecoder();
  }

  /** Applies a recovery step to a player that has stalled. */
  recover(step: RecoveryStep): void {
    this.recovery.apply(step);
  }

  metrics(): PlaybackMetrics {
    return this.meter.read(this.conditions.isPlaying && !this.hasFailed);
  }

  /** Stops playing and fetching while the page is hidden. */
  setHidden(isHidden: boolean): void {
    this.conditions.setHidden(isHidden);
  }

  /** Leaves its decoder to whoever waits for one, and waits in turn; its last frame stays. */
  rest(): void {
    this.active.rest();
  }

  /** It is the next to get a decoder that another one leaves. */
  goFirst(): void {
    this.layers.front.goFirst();
    this.layers.back.goFirst();
  }

  /** Gives up sources and leases, and remembers video and position. */
  suspend(): void {
    this.conditions.setAway(true);
    this.layers.front.suspend();
  }

  resume(): void {
    this.conditions.setAway(false);
  }

  release(): void {
    this.conditions.setWanted(false);
    this.queue.release();
    this.active.release();
    this.layers.release();
    this.emit({ type: 'changed', facts: restingFacts });
  }

  private readonly onPartEvent = (event: PartEvent): void => {
    switch (event.type) {
      case 'swapped':
        this.hasFailed = false;
        this.active.activate();
        return;
      case 'active-failed':
        this.failActive(event.error);
        return;
      case 'coming-failed':
        this.meter.countFailure(event.videoId);
        this.emitFailed(event.error);
        return;
      default:
        this.emit(event);
    }
  };

  /** A video that is loading replaces a broken one by itself, so no failure is emitted then. */
  private failActive(error: PlayerError): void {
    this.hasFailed = true;
    this.meter.countFailure(this.active.videoId);
    if (this.queue.isLoading) return;
    this.queue.cancel();
    this.emit({ type: 'changed', facts: { isWaiting: false, error } });
    this.emitFailed(error);
  }

  private emitFailed(error: PlayerError): void {
    this.emit({ type: 'failed', error, at: this.position });
  }

  private readonly emitEnd = (): void => {
    if (this.active.video.ended) this.emit({ type: 'ended' });
  };

  private readonly emitShown = (): void => {
    this.emit({ type: 'shown' });
    this.emitEnd();
  };
}

/**
 * Decides whether a player should play and fetch: the viewer wants it to and can see it. Keeps its
 * parts in that state.
 */
class PlayConditions {
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private isWanted = false;
  /** The page is hidden. */
  private isHidden = false;
  /** Another view is open. */
  private isAway = false;

  constructor(active: ActiveLayer, queue: SourceQueue) {
    this.active = active;
    this.queue = queue;
  }

  get isPresent(): boolean {
    return !this.isHidden && !this.isAway;
  }

  get isPlaying(): boolean {
    return this.isWanted && this.isPresent;
  }

  setWanted(isWanted: boolean): void {
    this.isWanted = isWanted;
    this.applyPlayback();
  }

  setHidden(isHidden: boolean): void {
    if (isHidden === this.isHidden) return;
    this.isHidden = isHidden;
    this.applyPresence();
  }

  setAway(isAway: boolean): void {
    this.isAway = isAway;
    this.applyPresence();
  }

  private applyPresence(): void {
    const { isPresent } = this;
    if (isPresent) this.active.reload();
    else this.queue.suspend();
    this.applyPlayback();
    if (isPresent) this.queue.resume();
  }

  private applyPlayback(): void {
    for (const part of [this.active, this.queue]) {
      if (this.isPlaying) part.play();
      else part.pause();
    }
  }
}

/** Applies recovery steps to the video that is loading, or else to the one on screen. */
class StallRecovery {
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private readonly gaveUp: (error: PlayerError) => void;

  /** @param gaveUp is called when no step has helped the video on screen */
  constructor(active: ActiveLayer, queue: SourceQueue, gaveUp: (error: PlayerError) => void) {
    this.active = active;
    this.queue = queue;
    this.gaveUp = gaveUp;
  }

  apply(step: RecoveryStep): void {
    if (step === 'nudge') this.target.nudge();
    else if (step === 'reload') this.target.restart();
    else if (this.queue.isLoading) this.queue.giveUp();
    else this.gaveUp('frozen');
  }

  get target(): SourceQueue | ActiveLayer {
    return this.queue.isLoading ? this.queue : this.active;
  }
}
