import { after } from '#device/timers.ts';
import type { Progress } from '../health/stall-detector.ts';
import type { Priority } from '../media-budget.ts';
import { hasRoomToPrepare, prepareMode } from '../media-budget.ts';
import { warmBytes } from '../warm-bytes.ts';
import type { LayerEvent } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import type { EmitPart, PlayerFacts } from './player-facts.ts';
import type { PlayerError, Source } from './source-loading.ts';

interface Coming {
  readonly source: Source;
  /** Called when the video is on screen. */
  shown(): void;
  /** Set for a replacement only. */
  readonly meet?: Meet;
}

/**
 * Time limit until the first frame of a replacement; loading and decoding take less even on a slow
 * device.
 */
const replacementLimitMs = 30_000;

/**
 * The videos that follow the one on screen: the requested one (`coming`), and the one prepared
 * until it is requested (`next`). Both use the back layer, the latter only as far as the device
 * allows.
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

  /** Whether another video was requested and is loading. */
  get isLoading(): boolean {
    return this.coming !== null && !this.coming.meet;
  }

  /** Replaces a video that is loading or prepared: the back layer takes the new source. */
  load(source: Source, shown: () => void): void {
    this.next.clear();
    this.endComing();
    this.coming = { source, shown };
    this.emitFacts({ isPreparing: true, isNextReady: false, error: null });
    this.loadComing();
  }

  /**
   * Loads another encoding of the video on screen. The change emits no facts, and where no decoder
   * is free, nothing changes.
   */
  replace(source: Source, meet: Meet, priority: Priority, shown: () => void): void {
    if (this.coming || this.isSuspended) return;
    const { front, back } = this.layers;
    this.layers.freeBack();
    this.next.suspend();
    this.coming = { source, shown, meet };
    front.setPriority(priority);
    this.cancelMeeting = after(replacementLimitMs, () => this.cancel());
    back.load(source, priority, this.onComingEvent, { isAwaited: false });
    if (!back.isHeld) this.cancel();
  }

  /** Cancels the requested video. Returns whether there was one. */
  cancel(): boolean {
    if (!this.endComing()) return false;
    this.layers.back.release();
    this.emitFacts({ isPreparing: false, isResting: false });
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

  /** Returns false when no video is prepared. */
  showNext(shown: () => void): boolean {
    const next = this.next.claim();
    if (!next) return false;
    if (next.isLoaded) this.promote(next.source, shown);
    else this.load(next.source, shown);
    return true;
  }

  /** To be called inside or after the tap that the browser requires. */
  play(): void {
    this.isPlaying = true;
    if (this.isLoading && !this.isSuspended) this.layers.back.play();
  }

  pause(): void {
    this.isPlaying = false;
    if (this.coming) this.layers.back.pause();
  }

  /** Stops fetching, and remembers the requested and the prepared video. */
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

  /** Returns null while no frame is due: nothing is loading, or its data has not arrived. */
  progress(): Progress | null {
    // Its time may advance without a frame, so only presented frames count.
    const isDue = this.coming !== null && this.layers.back.canMove;
    return isDue ? { url: this.coming?.source.url ?? '', seconds: 0, frames: null } : null;
  }

  tryDecoder(): boolean {
    return this.layers.back.tryDecoder();
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
   * Prepares the next video when nothing else needs the back layer. A quadrant that was skipped
   * once is likely to be skipped again, so it may take the decoder of another prepared video.
   */
  preload(): void {
    if (this.coming || this.isSuspended || this.layers.isRetiring) return;
    this.next.preload({ takesTurns: this.videosShown > 1 });
  }

  private loadComing(): void {
    if (!this.coming || this.isSuspended) return;
    this.layers.freeBack();
    const { back } = this.layers;
    back.load(this.coming.source, 'quadrant', this.onComingEvent);
    if (this.isPlaying) back.play();
    else back.pause();
    this.yieldFront();
  }

  /**
   * The video on screen gives its decoder up, with its last frame in place, when the one that is to
   * follow it waits for one: otherwise an ended video would keep it for ever. After the end it goes
   * to whoever has waited longest; a video that is skipped leaves it to the one that follows it. The
   * last frame of one that has rested already gives way to the poster of what follows.
   */
  private yieldFront(): void {
    const { back, front } = this.layers;
    if (!this.isLoading || !back.isWaiting || hasRoomToPrepare()) return;
    if (!front.isReady) this.layers.clearFreezeFrame();
    if (!front.element.ended) back.goFirst();
    front.suspend();
    this.emitFacts({ isResting: back.isWaiting, ...(back.isWaiting && { hasFrame: this.layers.hasFreezeFrame }) });
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
      // Cancels the time limit, or the previous `meet` when the back layer had to load again.
      this.cancelMeeting();
      this.cancelMeeting = meet(front.element, back.element, (haveMet) => (haveMet ? this.swap() : this.cancel()));
    } else if (event.type === 'ready') this.swap();
    if (event.type === 'failed') this.fail(event.error);
    if (event.type === 'lost') meet ? this.cancel() : this.yieldFront();
    if (event.type === 'refused') this.emitFacts({ isBlocked: true });
  };

  private fail(error: PlayerError): void {
    const coming = this.endComing();
    if (coming?.meet) {
      this.preload();
      return;
    }
    const videoId = coming?.source.videoId;
    this.emitFacts({ isPreparing: false, isResting: false, error });
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
 * The video after the requested one: remembered, and prepared on the back layer only as far as the
 * device allows.
 */
class PreparedNext {
  private readonly layers: LayerPair;
  private readonly emit: EmitPart;
  private source: Source | null = null;
  /** The back layer has its source, or waits for a lease for it. */
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

  /**
   * Removes and returns the prepared source, and whether the back layer has loaded it; null when
   * there is none. The back layer keeps its source.
   */
  claim(): { source: Source; isLoaded: boolean } | null {
    const claimed = this.source && { source: this.source, isLoaded: this.isLoaded };
    this.clear();
    return claimed;
  }

  /** Forgets the video, because the back layer is needed otherwise. */
  clear(): void {
    this.cancelWarming();
    this.source = null;
    this.isLoaded = false;
  }

  /** Stops fetching. The caller has released the back layer. */
  suspend(): void {
    this.cancelWarming();
    this.isLoaded = false;
    this.emitReady(false);
  }

  /**
   * Loads the video into the free back layer.
   * @param takesTurns it may take the decoder of another prepared video
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

  /** No decoder was free for it: its first bytes alone are prepared. */
  private leaveElement(): void {
    this.isLoaded = false;
    if (this.source) this.cancelWarming = warmBytes(this.source.url);
  }

  private readonly onLayerEvent = (event: LayerEvent): void => {
    if (event.type === 'refused') return;
    if (event.type === 'failed') this.clear();
    if (event.type === 'lost' && !this.layers.back.isWaiting) this.leaveElement();
    this.emitReady(event.type === 'ready');
    if (event.type === 'failed') this.emit({ type: 'next-failed', error: event.error });
  };

  private emitReady(isNextReady: boolean): void {
    this.emit({ type: 'changed', facts: { isNextReady } });
  }
}

/**
 * Waits until the back layer shows the same frame as the front, and reports whether it does.
 * Returns a function that cancels it.
 */
export type Meet = (front: HTMLVideoElement, back: HTMLVideoElement, end: (haveMet: boolean) => void) => () => void;

/** Another encoding that replaces the one on screen. */
export interface Replacement {
  /** Position in seconds at which it starts. */
  at: number;
  /** Decides when to swap; at once by default. */
  meet?: Meet;
  /** A priority above `quadrant` may use another quadrant's decoder for a moment. */
  priority?: Priority;
  shown?(): void;
}

export const meetAtOnce: Meet = (_front, _back, end) => {
  end(true);
  return () => {};
};
