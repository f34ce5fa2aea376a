import { after } from '#app/platform/timers.ts';
import { hasRoomToPrepare } from '../budget/device-budget.ts';
import type { Priority } from '../budget/media-budget.ts';
import type { Progress } from '../health/stall-detector.ts';
import type { LayerEvent } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import type { PlayerError, Source } from './load-source.ts';
import type { EmitPart } from './player-event.ts';
import type { PlayerFacts } from './player-facts.ts';
import { PreparedNext } from './prepared-next.ts';
import type { Meet } from './replacement.ts';

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
