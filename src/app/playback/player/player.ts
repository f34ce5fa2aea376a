import { proxy, subscribe } from 'valtio/vanilla';
import type { Quadrant } from '#contract/quadrants.ts';
import { after } from '../../platform/timers.ts';
import { byQuadrant } from '../by-quadrant.ts';
import type { Progress, RecoveryStep } from '../health/stall-detector.ts';
import { ActiveLayer, PlaybackMeter } from './active-layer.ts';
import { LayerPair } from './layer.ts';
import type { PartEvent, PlaybackMetrics, PlayerEvent, PlayerFacts } from './player-facts.ts';
import { restingFacts } from './player-facts.ts';
import type { PlayerError, Source } from './source-loading.ts';
import type { Replacement } from './source-queue.ts';
import { meetAtOnce, SourceQueue } from './source-queue.ts';
import { sizeOf } from './video-element.ts';

/** The facts of the four players, as their elements reported them. */
export const playerFacts = proxy<Record<Quadrant, PlayerFacts>>(byQuadrant(() => ({ ...restingFacts })));

/** Receives what happens to the players, except for their facts. */
export type OnPlayerEvent = (quadrant: Quadrant, event: Exclude<PlayerEvent, { type: 'changed' }>) => void;

let players: Record<Quadrant, Player> | null = null;

/**
 * Makes the four players. They need no place on the page yet: a frame can be on its way before there is one.
 * @param started elements whose source is set already
 */
export function openPlayers(hear: OnPlayerEvent, started: Partial<Record<Quadrant, HTMLVideoElement>> = {}): void {
  players = byQuadrant((quadrant) => new Player((event) => handle(quadrant, event, hear), started[quadrant]));
  document.addEventListener('visibilitychange', hideWithPage);
  hideWithPage();
}

/** @throws before `openPlayers` */
export function playerOf(quadrant: Quadrant): Player {
  if (!players) throw new Error('The players are not open');
  return players[quadrant];
}

export function openedPlayers(): [Quadrant, Player][] {
  return Object.entries(players ?? {}) as [Quadrant, Player][];
}

export function releasePlayers(): void {
  document.removeEventListener('visibilitychange', hideWithPage);
  for (const [, player] of openedPlayers()) player.release();
  players = null;
}

function handle(quadrant: Quadrant, event: PlayerEvent, hear: OnPlayerEvent): void {
  if (event.type === 'changed') Object.assign(playerFacts[quadrant], event.facts);
  else hear(quadrant, event);
}

function hideWithPage(): void {
  for (const [, player] of openedPlayers()) player.setHidden(document.hidden);
}

/** Runs once, when all four quadrants have a frame or the time is up. */
export function afterFirstFrames(maxMs: number, run: () => void): void {
  afterAllFour(({ hasFrame }) => hasFrame, maxMs, run);
}

function afterAllFour(isThere: (facts: PlayerFacts) => boolean, maxMs: number, run: () => void): void {
  const finish = () => {
    stopListening();
    cancel();
    run();
  };
  const areAllThere = () => Object.values(playerFacts).every(isThere);
  const stopListening = subscribe(playerFacts, () => areAllThere() && finish());
  const cancel = after(areAllThere() ? 0 : maxMs, finish);
}

/**
 * One quadrant's player: two stacked layers. What comes is prepared on the back one, which lies beneath the front; when
 * its first frame is drawn they change places, and the old one is released once the new frame is composited. So there
 * is a frame at all times.
 */
export class Player {
  private readonly emit: (event: PlayerEvent) => void;
  private readonly layers: LayerPair;
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private readonly recovery: StallRecovery;
  private readonly conditions: PlayConditions;
  private readonly meter: PlaybackMeter;
  private hasActiveFailed = false;

  /** @param first an element whose source is under way already */
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

  /** Seconds; NaN while unknown. */
  get duration(): number {
    return this.active.video.duration;
  }

  /** Device pixels; null before it is laid out. */
  get size(): { width: number; height: number } | null {
    return sizeOf(this.active.video);
  }

  /** The video on screen cannot go on. */
  get hasFailed(): boolean {
    return this.hasActiveFailed;
  }

  attachTo(host: HTMLElement): void {
    this.layers.attachTo(host);
  }

  /** Position, length or buffer have changed: four times a second at most. Returns what stops it. */
  onTime(hear: () => void): () => void {
    return this.active.time.listen(hear);
  }

  /**
   * Brings a video to the screen with its first frame. What was under way or prepared is superseded and never shown.
   */
  prepare(source: Source): void {
    this.queue.load(source, this.emitShown);
  }

  /** The same video from another address: no video counts as started. */
  replaceSource(url: string, { at, meet = meetAtOnce, priority = 'quadrant', shown }: Replacement): void {
    this.queue.replace({ url, at, videoId: this.active.videoId }, meet, priority, () => {
      this.meter.countQualityAdjustment();
      shown?.();
      this.emitEnd();
    });
  }

  /** What is on its way is not wanted any more: it never comes to the screen, and its request ends. */
  cancel(): void {
    if (this.queue.cancel() && this.conditions.isPresent) this.active.reload();
  }

  /** The video on screen leaves it at once, before another one is there. What is on its way comes all the same. */
  clear(): void {
    this.hasActiveFailed = false;
    this.layers.clearFront();
    this.emit({ type: 'changed', facts: { hasFrame: false, isWaiting: false, durationSeconds: null, error: null } });
  }

  /** Prepares the video after this one, as far as the device allows. `showNext`, `dropNext` or `prepare` ends it. */
  prepareNext(source: Source): void {
    this.queue.prepareNext(source);
  }

  /** Brings what was prepared to the screen: at once when its first frame is there. False: nothing was prepared. */
  showNext(): boolean {
    return this.queue.showNext(this.emitShown);
  }

  dropNext(): void {
    this.queue.dropNext();
  }

  /** To be called inside the first tap: from then on no change of layers needs another one. */
  unlock(): void {
    this.layers.unlock();
  }

  /** To be called inside the tap where the browser asks for one. */
  play(): void {
    this.emit({ type: 'changed', facts: { isBlocked: false } });
    this.conditions.setWanted(true);
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

  /** To be called inside the tap. Where only one may sound, the others fall silent. */
  setMuted(isMuted: boolean): void {
    this.active.setMuted(isMuted);
  }

  /** @param volume 0 to 1 */
  setVolume(volume: number): void {
    this.active.setVolume(volume);
  }

  /** Of what should move now; null when nothing should. */
  progress(): Progress | null {
    return this.conditions.isPlaying ? this.recovery.progress() : null;
  }

  /** For a player that should move and does not. */
  recover(step: RecoveryStep): void {
    this.recovery.apply(step);
  }

  metrics(): PlaybackMetrics {
    return this.meter.read(this.conditions.isPlaying && !this.hasActiveFailed);
  }

  /** The page is out of sight: nothing plays, and nothing is fetched. */
  setHidden(isHidden: boolean): void {
    this.conditions.setHidden(isHidden);
  }

  /** Gives sources and leases up, and remembers video and second. */
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
        this.hasActiveFailed = false;
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

  /** What is on its way will replace a broken video by itself. */
  private failActive(error: PlayerError): void {
    this.hasActiveFailed = true;
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

/** Whether a player is to play and to fetch: the viewer wants it to, and can see it. Its parts are kept to that. */
class PlayConditions {
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private isWanted = false;
  /** The page is out of sight. */
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

/** Applies recovery steps to a player: to the video that is on its way, or else to the one on screen. */
class StallRecovery {
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private readonly gaveUp: (error: PlayerError) => void;

  /** @param gaveUp no step has helped the video on screen */
  constructor(active: ActiveLayer, queue: SourceQueue, gaveUp: (error: PlayerError) => void) {
    this.active = active;
    this.queue = queue;
    this.gaveUp = gaveUp;
  }

  progress(): Progress | null {
    return this.target.progress();
  }

  apply(step: RecoveryStep): void {
    if (step === 'nudge') this.target.nudge();
    else if (step === 'reload') this.target.restart();
    else if (this.queue.isLoading) this.queue.giveUp();
    else this.gaveUp('frozen');
  }

  private get target(): SourceQueue | ActiveLayer {
    return this.queue.isLoading ? this.queue : this.active;
  }
}
