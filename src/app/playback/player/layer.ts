import { continuesShortRanges, framesOf } from '#app/platform/capabilities.ts';
import { reached } from '#app/platform/http/send.ts';
import type { Lease, Priority } from '../media-budget.ts';
import { mediaBudget } from '../media-budget.ts';
import type { PlayerError, Source, SourceEvent } from './source-loading.ts';
import { loadSource, onCompositedFrame, watchDataWait } from './source-loading.ts';
import { createVideo, releaseVideo } from './video-element.ts';

/** What becomes of a layer's source. */
export type LayerEvent =
  | SourceEvent
  /** The browser refused to play. */
  | { type: 'refused' }
  /** Another layer has its decoder now. It goes on by itself when it has one again. */
  | { type: 'lost' };

type EmitLayer = (event: LayerEvent) => void;

/**
 * One of a player's two layers: an element that has a source only while it holds a lease. `data-layer` says whether it
 * is the `front`, which the viewer sees, or the `back`, which lies beneath it.
 */
export class Layer {
  readonly element: HTMLVideoElement;
  /** What it shows, prepares, or would once its lease comes; `at` is where it goes on. */
  source: Source | null = null;
  /** Its source's first frame was drawn. */
  isReady = false;
  /** Where its events go; replaced when its role in the pair changes. */
  emit: EmitLayer = () => {};
  private lease: Lease | null = null;
  private failedAt = 0;
  private isPlaying = false;
  private cancel = () => {};
  private cancelWatch = () => {};
  /** Called before the element loses its source. */
  private readonly onUnload: (layer: Layer) => void;

  /** @param element one whose source is under way already, if there is one */
  constructor(onUnload: (layer: Layer) => void, element = createVideo()) {
    this.onUnload = onUnload;
    this.element = element;
  }

  /** Seconds into its video, also while it waits for its lease. */
  get position(): number {
    return this.isReady ? this.element.currentTime : (this.source?.at ?? this.failedAt);
  }

  /** It has its element's resources: false also while it waits for them. */
  get isHeld(): boolean {
    return this.lease?.isHeld ?? false;
  }

  get isWaiting(): boolean {
    return this.lease !== null && !this.lease.isHeld;
  }

  /** A source under way is superseded, and its lease kept. */
  load(source: Source, priority: Priority, emit: EmitLayer, { takesTurns = false } = {}): void {
    if (this.isReady) this.release();
    this.cancel();
    this.source = source;
    this.failedAt = 0;
    this.emit = emit;
    const isAsked = this.isWaiting;
    if (this.lease) this.lease.setPriority(priority);
    else this.lease = this.requestLease(priority, takesTurns);
    if (!this.isHeld) releaseVideo(this.element);
    // One that has asked before begins when it is granted.
    if (this.isHeld && !isAsked) this.begin();
  }

  /** What was prepared ahead is wanted now. */
  promote(emit: EmitLayer): void {
    this.emit = emit;
    this.setPriority('quadrant');
  }

  setPriority(priority: Priority): void {
    this.lease?.setPriority(priority);
  }

  /** To be called inside the tap where the browser asks for one. */
  play(): void {
    this.isPlaying = true;
    if (!this.isHeld || !this.source || this.element.ended || this.element.error) return;
    this.element.play().catch((refusal: Error) => {
      // Any other refusal is an abort by the next source, or comes as an error of the element as well.
      if (refusal.name === 'NotAllowedError' && this.isPlaying) this.emit({ type: 'refused' });
    });
  }

  pause(): void {
    this.isPlaying = false;
    this.element.pause();
  }

  /**
   * To be called inside a tap: WebKit keeps by element whether it may play without one, and asks it of each in Low
   * Power Mode. An element without a source is allowed as well.
   */
  unlock(): void {
    if (!this.element.paused) return;
    // The pause aborts it.
    this.element.play().catch(() => {});
    this.element.pause();
  }

  /** A jump to where it is makes the decoder start anew. */
  nudge(): void {
    this.element.currentTime = this.position;
  }

  /** Gives up lease and source, but remembers what it showed and where, so that `load` can go on with it. */
  suspend(): void {
    this.stop();
    this.end();
  }

  release(): void {
    this.stop();
    this.end();
    this.source = null;
    this.isPlaying = false;
  }

  private requestLease(priority: Priority, takesTurns: boolean): Lease {
    const revoked = () => {
      this.stop();
      this.emit({ type: 'lost' });
    };
    return mediaBudget.request({
      needs: ['decoder', 'connection'],
      priority,
      takesTurns,
      granted: () => this.begin(),
      revoked,
    });
  }

  private begin(): void {
    if (!this.source) return;
    this.cancel = loadSource(this.element, this.source, (event) => {
      if (event.type === 'failed') {
        this.fail(event.error);
        return;
      }
      this.isReady = true;
      if (continuesShortRanges()) this.lease?.giveBack('connection');
      this.emit(event);
    });
    this.cancelWatch();
    this.cancelWatch = watchDataWait(this.element, (event) =>
      event === 'silent' ? this.handleSilence() : this.loadAgain(),
    );
    if (this.isPlaying) this.play();
  }

  private fail(error: PlayerError): void {
    const at = this.position;
    this.release();
    this.failedAt = at;
    this.emit({ type: 'failed', error });
  }

  /** A video that had a frame is loaded again at its second before it counts as broken. */
  private handleSilence(): void {
    reached.emit('silent');
    if (this.isReady) this.loadAgain();
    else this.fail('network');
  }

  private loadAgain(): void {
    this.stop();
    this.begin();
  }

  private stop(): void {
    this.onUnload(this);
    if (this.source) this.source = { ...this.source, at: this.position };
    this.cancel();
    this.cancelWatch();
    this.isReady = false;
    releaseVideo(this.element);
  }

  private end(): void {
    const lease = this.lease;
    this.lease = null;
    lease?.release();
  }
}

/**
 * The two stacked layers of a player, and beneath them the freeze frame of a front that had to give its decoder up.
 * `data-layer` says which one is the `front`, which the viewer sees, and which the `back`, where the next video is
 * prepared. What lies covered is not composed, and would be transparent for some frames when it came forward: so the
 * back one has `data-peeks` while the front has a frame, and the stylesheet leaves a few pixels of it uncovered.
 */
export class LayerPair {
  front: Layer;
  back: Layer;
  /** Of the front, whichever of the two it is. */
  readonly frames = new FrameCount();
  private readonly freezeFrame = new FreezeFrame();
  private cancelRetirement: (() => void) | null = null;
  /** The freeze frame is shown in place of the old front. */
  private isBackFree = false;

  /** @param first an element whose source is under way already: the back one, to begin with */
  constructor(first?: HTMLVideoElement) {
    const onUnload = (layer: Layer) => layer === this.front && this.closeFront();
    this.front = new Layer(onUnload);
    this.back = new Layer(onUnload, first);
    this.labelLayers();
  }

  /** What is there already is not moved: to move an element that plays takes the page several milliseconds. */
  attachTo(host: HTMLElement): void {
    this.freezeFrame.attachTo(host);
    host.append(...[this.back, this.front].flatMap(({ element }) => (element.parentNode === host ? [] : element)));
  }

  /** To be called inside a tap: whichever layer comes to the front later may play. */
  unlock(): void {
    this.front.unlock();
    this.back.unlock();
  }

  /** The old front still lies on the screen, beneath the new one, and its layer can carry nothing else. */
  get isRetiring(): boolean {
    return this.cancelRetirement !== null && !this.isBackFree;
  }

  /**
   * They change places. The old front gives its source back when the new one's frame is composited.
   * @param retired called then, unless its layer was freed before
   */
  swap(retired: () => void): void {
    this.frames.close(this.front.element);
    [this.front, this.back] = [this.back, this.front];
    this.labelLayers();
    this.back.pause();
    this.back.element.muted = true;
    delete this.front.element.dataset.peeks;
    if (this.back.isHeld || this.freezeFrame.isCaptured) this.retire(retired);
    else this.letBackPeek();
  }

  /**
   * For a skip before the old front has left: a freeze frame of it stays beneath, so that its layer can carry the next
   * video.
   */
  freeBack(): void {
    if (!this.isRetiring) return;
    this.freezeFrame.capture(this.back.element);
    this.emptyBack();
    this.isBackFree = true;
  }

  retireNow(): void {
    if (!this.cancelRetirement) return;
    if (this.isRetiring) this.emptyBack();
    this.cancelRetirement();
    this.cancelRetirement = null;
    this.freezeFrame.clear();
  }

  /** Neither the front nor a freeze frame of it is left on screen. */
  clearFront(): void {
    this.retireNow();
    this.front.release();
    this.freezeFrame.clear();
  }

  clearFreezeFrame(): void {
    this.freezeFrame.clear();
  }

  release(): void {
    this.clearFront();
    this.back.release();
  }

  /** Its source is about to leave the screen. */
  private closeFront(): void {
    const { isReady, element } = this.front;
    this.frames.close(element);
    if (isReady) this.freezeFrame.capture(element);
  }

  private retire(retired: () => void): void {
    this.cancelRetirement?.();
    this.isBackFree = false;
    this.cancelRetirement = onCompositedFrame(this.front.element, () => {
      const wasBackTaken = this.isRetiring;
      this.retireNow();
      if (wasBackTaken) retired();
    });
  }

  private emptyBack(): void {
    this.back.release();
    this.letBackPeek();
  }

  private letBackPeek(): void {
    this.back.element.dataset.peeks = '';
  }

  private labelLayers(): void {
    this.front.element.dataset.layer = 'front';
    this.back.element.dataset.layer = 'back';
  }
}

/** The last frame of a video, for the time in which its element has no decoder. It lies beneath both layers. */
class FreezeFrame {
  private host: HTMLElement | null = null;
  private canvas: HTMLCanvasElement | null = null;

  get isCaptured(): boolean {
    return this.canvas !== null;
  }

  attachTo(host: HTMLElement): void {
    this.host = host;
    if (this.canvas) host.prepend(this.canvas);
  }

  capture(video: HTMLVideoElement): void {
    if (!this.host || video.videoWidth === 0) return;
    this.canvas ??= document.createElement('canvas');
    this.canvas.width = video.videoWidth;
    this.canvas.height = video.videoHeight;
    this.canvas.getContext('2d')?.drawImage(video, 0, 0);
    this.host.prepend(this.canvas);
  }

  clear(): void {
    this.canvas?.remove();
    this.canvas = null;
  }
}

interface Frames {
  total: number;
  dropped: number;
}

const noFrames: Frames = { total: 0, dropped: 0 };

/** Frames that a player has shown over all its sources: an element counts anew with each. */
class FrameCount {
  /** Of sources that have left the screen. */
  private past = noFrames;

  /** With those of the source on screen so far. */
  read(video: HTMLVideoElement): Frames {
    const { total, dropped } = framesOf(video) ?? noFrames;
    return { total: this.past.total + total, dropped: this.past.dropped + dropped };
  }

  /** To be called before the source leaves the screen: its element may still have it then. */
  close(video: HTMLVideoElement): void {
    this.past = this.read(video);
  }
}
