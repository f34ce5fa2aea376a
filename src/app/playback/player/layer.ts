import { continuesShortRanges } from '#app/platform/capabilities.ts';
import { reached } from '#app/platform/http/send.ts';
import { mediaBudget } from '../budget/device-budget.ts';
import type { Lease, Priority } from '../budget/media-budget.ts';
import { watchDataWait } from '../network/data-wait.ts';
import type { PlayerError, Source, SourceEvent } from './load-source.ts';
import { loadSource } from './load-source.ts';
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
