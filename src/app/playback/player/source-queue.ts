import { after } from '#app/platform/timers.ts';
import type { Progress } from '../health/stall-detector.ts';
import type { Priority } from '../media-budget.ts';
import { hasRoomToPrepare, prepareMode } from '../media-budget.ts';
import { warmBytes } from '../warm-bytes.ts';
import type { LayerEvent, LayerPair } from './layer.ts';
import type { EmitPart, PlayerFacts } from './player-facts.ts';
import type { PlayerError, Source } from './source-loading.ts';

interface Coming {
  readonly source: Source;
  /** It is on screen. */
  shown(): void;
  /** Of a replacement. */
  readonly meet?: Meet;
}

/** Until the first frame of a replacement: beyond what loads and decodes on a slow device. */
const replacementLimitMs = 30_000;

/**
 * What follows the video on screen: one that is on its way, or one that is prepared until it is wanted. Both live on
 * the back layer, the second only as far as the device allows.
 */
export class SourceQueue {
  private readonly layers: LayerPair;
  private readonly emit: EmitPart;
  private readonly next: PreparedNext;
  private coming: Coming | null = null;
  private cancelMeeting = () => {};
  private isSuspended = false;
  private isPlaying = false;
  private videosShown = 0;

  constructor(layers: LayerPair, emit: EmitPart) {
    this.layers = layers;
    this.emit = emit;
    this.next = new PreparedNext(layers, emit);
  }

  /** Another video is on its way. */
  get isLoading(): boolean {
    return this.coming !== null && !this.coming.meet;
  }

  /** Supersedes what was under way or prepared: the same layer takes the new source. */
  load(source: Source, shown: () => void): void {
    this.next.clear();
    this.endComing();
    this.coming = { source, shown };
    this.emitFacts({ isPreparing: true, isNextReady: false, error: null });
    this.loadComing();
  }

  /**
   * Another encoding takes the place of what is on screen. Nothing is told of it, and where there is no decoder for it,
   * nothing changes.
   */
  replace(source: Source, meet: Meet, priority: Priority, shown: () => void): void {
    if (this.coming || this.isSuspended) return;
    const { front, back } = this.layers;
    this.layers.freeBack();
    this.next.suspend();
    this.coming = { source, shown, meet };
    front.setPriority(priority);
    this.cancelMeeting = after(replacementLimitMs, () => this.cancel());
    back.load(source, priority, this.onComingEvent);
    if (!back.isHeld) this.cancel();
  }

  /** Ends what is on its way. Returns whether there was anything. */
  cancel(): boolean {
    if (!this.endComing()) return false;
    this.layers.back.release();
    this.emitFacts({ isPreparing: false });
    this.preload();
    return true;
  }

  prepareNext(source: Source): void {
    this.next.set(source);
    this.preload();
  }

  dropNext(): void {
    this.next.drop();
  }

  /** False: nothing was prepared. */
  showNext(shown: () => void): boolean {
    const next = this.next.claim();
    if (!next) return false;
    if (next.isLoaded) this.promote(next.source, shown);
    else this.load(next.source, shown);
    return true;
  }

  /** In or after the tap that the browser asks for. */
  play(): void {
    this.isPlaying = true;
    if (this.isLoading && !this.isSuspended) this.layers.back.play();
  }

  pause(): void {
    this.isPlaying = false;
    if (this.coming) this.layers.back.pause();
  }

  /** Nothing is fetched any more; what was to come is remembered. */
  suspend(): void {
    this.isSuspended = true;
    if (!this.isLoading) this.endComing();
    this.layers.retireNow();
    this.layers.back.release();
    this.next.suspend();
  }

  resume(): void {
    if (!this.isSuspended) return;
    this.isSuspended = false;
    if (this.coming) this.loadComing();
    else this.preload();
  }

  /** Null while nothing is due: nothing is under way, or its data has not come. */
  progress(): Progress | null {
    const { element, isHeld } = this.layers.back;
    const isDue =
      this.coming !== null && isHeld && !element.seeking && element.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
    // Its time may move: what counts is that no frame is presented.
    return isDue ? { url: this.coming?.source.url ?? '', seconds: 0, frames: null } : null;
  }

  nudge(): void {
    this.layers.back.nudge();
  }

  restart(): void {
    this.layers.back.release();
    this.loadComing();
  }

  giveUp(): void {
    this.layers.back.release();
    this.fail('frozen');
  }

  release(): void {
    this.endComing();
    this.next.clear();
  }

  /**
   * The next video uses the back layer when nothing else needs it. A quadrant that was skipped once is likely to be
   * skipped again.
   */
  preload(): void {
    if (this.coming || this.isSuspended || this.layers.isRetiring) return;
    this.next.preload({ takesTurns: this.videosShown > 1 });
  }

  private loadComing(): void {
    if (!this.coming || this.isSuspended) return;
    this.layers.freeBack();
    const { back, front } = this.layers;
    back.load(this.coming.source, 'quadrant', this.onComingEvent);
    if (this.isPlaying) back.play();
    else back.pause();
    if (back.isWaiting && !hasRoomToPrepare()) front.suspend();
  }

  private promote(source: Source, shown: () => void): void {
    const { back } = this.layers;
    const { isReady } = back;
    this.coming = { source, shown };
    this.emitFacts({ isPreparing: !isReady, isNextReady: false, error: null });
    back.promote(this.onComingEvent);
    if (this.isPlaying) back.play();
    if (isReady) this.swap();
  }

  private readonly onComingEvent = (event: LayerEvent): void => {
    const { meet } = this.coming ?? {};
    const { front, back } = this.layers;
    if (event.type === 'ready' && meet) {
      // The limit, or the meeting of a back that had to load again.
      this.cancelMeeting();
      this.cancelMeeting = meet(front.element, back.element, (haveMet) => (haveMet ? this.swap() : this.cancel()));
    } else if (event.type === 'ready') this.swap();
    if (event.type === 'failed') this.fail(event.error);
    if (event.type === 'lost' && meet) this.cancel();
    if (event.type === 'refused') this.emitFacts({ isBlocked: true });
  };

  private fail(error: PlayerError): void {
    const coming = this.endComing();
    if (coming?.meet) {
      this.preload();
      return;
    }
    const videoId = coming?.source.videoId;
    this.emitFacts({ isPreparing: false, error });
    this.emit({ type: 'coming-failed', error, videoId });
  }

  private endComing(): Coming | null {
    const { coming } = this;
    this.coming = null;
    this.cancelMeeting();
    this.cancelMeeting = () => {};
    this.layers.front.setPriority('quadrant');
    return coming;
  }

  private emitFacts(facts: Partial<PlayerFacts>): void {
    this.emit({ type: 'changed', facts });
  }

  private swap(): void {
    const coming = this.endComing();
    this.videosShown += 1;
    if (this.isPlaying) this.layers.back.play();
    this.layers.swap(() => this.preload());
    this.layers.front.setPriority('quadrant');
    this.emit({ type: 'swapped' });
    coming?.shown();
    if (!this.layers.isRetiring) this.preload();
  }
}

/**
 * The video after the one that is wanted now: remembered, and prepared on the back layer only as far as the device
 * allows.
 */
class PreparedNext {
  private readonly layers: LayerPair;
  private readonly emit: EmitPart;
  private source: Source | null = null;
  /** The back layer carries it, or waits to carry it. */
  private isLoaded = false;
  private cancelWarming = () => {};

  constructor(layers: LayerPair, emit: EmitPart) {
    this.layers = layers;
    this.emit = emit;
  }

  set(source: Source): void {
    this.drop();
    this.source = source;
  }

  drop(): void {
    if (this.isLoaded) this.layers.back.release();
    this.clear();
    this.emitReady(false);
  }

  /** What was kept, and whether the back layer has it; null when nothing was. The back layer goes with it. */
  claim(): { source: Source; isLoaded: boolean } | null {
    const claimed = this.source && { source: this.source, isLoaded: this.isLoaded };
    this.clear();
    return claimed;
  }

  /** The back layer is needed for something else. */
  clear(): void {
    this.cancelWarming();
    this.source = null;
    this.isLoaded = false;
  }

  /** Nothing is fetched for it any more. The back layer has been released. */
  suspend(): void {
    this.cancelWarming();
    this.isLoaded = false;
    this.emitReady(false);
  }

  /**
   * Uses the back layer, which is free.
   * @param takesTurns its decoder may be that of another one which is prepared
   */
  preload({ takesTurns }: { takesTurns: boolean }): void {
    if (!this.source || this.isLoaded) return;
    const { back } = this.layers;
    const mode = prepareMode();
    if (mode === 'nothing') return;
    if (mode === 'element') {
      this.isLoaded = true;
      back.load(this.source, 'ahead', this.onLayerEvent, { takesTurns });
    }
    if (!back.isHeld) this.cancelWarming = warmBytes(this.source.url);
  }

  private readonly onLayerEvent = (event: LayerEvent): void => {
    if (event.type === 'refused') return;
    if (event.type === 'failed') this.clear();
    this.emitReady(event.type === 'ready');
    if (event.type === 'failed') this.emit({ type: 'next-failed', error: event.error });
  };

  private emitReady(isNextReady: boolean): void {
    this.emit({ type: 'changed', facts: { isNextReady } });
  }
}

/**
 * Waits until what is ready on the back layer has the frame that the front shows, and says whether they have met.
 * Returns what ends it.
 */
export type Meet = (front: HTMLVideoElement, back: HTMLVideoElement, end: (haveMet: boolean) => void) => () => void;

/** How another encoding of the video on screen takes its place. */
export interface Replacement {
  /** Second at which it comes in. */
  at: number;
  /** When; at once unless said. */
  meet?: Meet;
  /** Above that of a quadrant it may use the decoder of another one for a moment. */
  priority?: Priority;
  shown?(): void;
}

export const meetAtOnce: Meet = (_front, _back, end) => {
  end(true);
  return () => {};
};
