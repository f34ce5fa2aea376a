import { framesOf } from '#app/platform/capabilities.ts';
import { reached } from '#app/platform/http/send.ts';
import type { DecoderTrial } from '../decoder-trials.ts';
import { decoderTrials } from '../decoder-trials.ts';
import type { ElementState, MediaLease, Priority } from '../media-budget.ts';
import { mediaBudget } from '../media-budget.ts';
import type { PlayerError, Source, SourceEvent } from './source-loading.ts';
import { loadSource, watchDataWait } from './source-loading.ts';
import {
  createVideo,
  hasData,
  hasRest,
  holdsConnection,
  isFromStore,
  listenTo,
  releaseVideo,
} from './video-element.ts';

/** An event of a layer's source. */
export type LayerEvent =
  | SourceEvent
  /** The browser refused to play. */
  | { type: 'refused' }
  /**
   * Another layer has the decoder. This layer continues by itself when it is granted one again,
   * unless it was not to be shown yet.
   */
  | { type: 'lost' };

type EmitLayer = (event: LayerEvent) => void;

/** Stores speak HTTP/1.1, and browsers open six connections to a host. */
const storeConnections = 6;

/**
 * One of a player's two layers: an element that has a source only while it holds a lease.
 * `data-layer` is `front` for the visible layer and `back` for the one beneath it.
 */
export class Layer {
  readonly element: HTMLVideoElement;
  /**
   * The source shown, being prepared, or waiting for a lease; `at` is the position to continue
   * from.
   */
  source: Source | null = null;
  /** The first frame of the source has been drawn. */
  isReady = false;
  /** Receives the layer's events; replaced when the layer's role in the pair changes. */
  emit: EmitLayer = () => {};
  private lease: MediaLease | null = null;
  /** The viewer waits for the source. */
  private isAwaited = false;
  /** The source gives no moving picture, and is loaded once more with one decoder free. */
  private trial: DecoderTrial | null = null;
  private hasFailed = false;
  /** Whether it was last seen to move since its first frame; null: not known yet. */
  private isMoving: boolean | null = null;
  private failedAt = 0;
  private isPlaying = false;
  private cancel = () => {};
  private cancelWatch = () => {};
  /** The same for both layers of a player. */
  private readonly pair: object;
  /** Called before the element loses its source. */
  private readonly onUnload: (layer: Layer) => void;

  /** @param element may already be loading a source */
  constructor(pair: object, onUnload: (layer: Layer) => void, element = createVideo()) {
    this.pair = pair;
    this.onUnload = onUnload;
    this.element = element;
    // A video that ends before it was seen to move has moved, unless its frames stood.
    listenTo(element, {
      ended: () => this.isReady && framesOf(element)?.total !== 0 && this.noteMotion(true),
      // The response that held the connection is read.
      suspend: () => hasRest(element) && this.lease?.giveBack('connection'),
    });
  }

  /** Seconds into the video, including while it waits for its lease. */
  get position(): number {
    return this.isReady ? this.element.currentTime : (this.source?.at ?? this.failedAt);
  }

  /** Whether the layer holds its lease; false while it waits for it. */
  get isHeld(): boolean {
    return this.lease?.isHeld ?? false;
  }

  get isWaiting(): boolean {
    return this.lease !== null && !this.lease.isHeld;
  }

  private get state(): ElementState {
    if (this.hasFailed || this.element.error) return 'failed';
    if (!this.isReady) return 'loading';
    if (!this.isPlaying || this.element.ended) return 'still';
    if (this.isMoving === null) return 'starting';
    return this.isMoving ? 'moving' : 'failed';
  }

  /** Whether it has what it takes to show a picture that moves, and is not about to be tried. */
  get canMove(): boolean {
    return this.isHeld && !this.hasFailed && hasData(this.element);
  }

  /**
   * Replaces a source that is loading, and keeps the lease.
   * @param options `isAwaited`: false for a source in place of which another one plays on
   */
  load(
    source: Source,
    priority: Priority,
    emit: EmitLayer,
    { takesTurns = false, isAwaited = priority === 'quadrant' } = {},
  ): void {
    if (this.isReady) this.release();
    this.endTrial(null);
    this.cancel();
    this.source = source;
    this.failedAt = 0;
    this.emit = emit;
    const isAsked = this.isWaiting;
    this.isAwaited = isAwaited;
    if (this.lease) this.lease.setPriority(priority);
    else this.lease = this.requestLease(priority, takesTurns);
    if (!this.isHeld) releaseVideo(this.element);
    // A waiting claim begins when it is granted.
    if (this.isHeld && !isAsked) this.begin();
  }

  /** The prepared video is to be shown now. */
  promote(emit: EmitLayer): void {
    this.emit = emit;
    this.isAwaited = true;
    this.setPriority('quadrant');
  }

  setPriority(priority: Priority): void {
    this.lease?.setPriority(priority);
  }

  /** It is the next to get a decoder. */
  goFirst(): void {
    this.lease?.goFirst();
  }

  /** To be called inside a tap where the browser requires one. */
  play(): void {
    this.isPlaying = true;
    if (!this.isHeld || !this.source || this.element.ended || this.element.error) return;
    this.element.play().catch((refusal: Error) => {
      // Any other rejection is an abort by the next source, or is reported as an error event as
      // well.
      if (refusal.name === 'NotAllowedError' && this.isPlaying) this.emit({ type: 'refused' });
    });
  }

  pause(): void {
    this.isPlaying = false;
    this.element.pause();
  }

  /**
   * To be called inside a tap: WebKit remembers for each element whether it may play without one,
   * and in Low Power Mode requires one for each element. It works for an element without a source
   * too.
   */
  unlock(): void {
    if (!this.element.paused) return;
    // The pause rejects this promise.
    this.element.play().catch(() => {});
    this.element.pause();
  }

  /** To be called once a second while it should move. */
  noteMotion(isMoving: boolean): void {
    this.isMoving = isMoving;
    if (isMoving && this.trial?.asksForMotion) this.endTrial(true);
    decoderTrials.goOn();
  }

  /**
   * Its data is there and its picture stands, or the device has paused it again: decoders that others
   * hold may be to blame. Returns whether that is tried.
   */
  tryDecoder(): boolean {
    const { source, lease, trial } = this;
    const isWaiting = trial !== null && this.hasFailed;
    if (isWaiting || trial?.freeDecoder()) return true;
    this.endTrial(false);
    const suspect = source && lease && { url: source.url, lease, sign: 'stands-still' as const };
    if (trial || !suspect || !decoderTrials.areToBlame(suspect)) return false;
    this.hasFailed = true;
    this.trial = decoderTrials.begin({ ...suspect, load: () => this.loadAgain(), giveUp: () => this.goOn() });
    return true;
  }

  /** A seek to the current position restarts the decoder. */
  nudge(): void {
    this.element.currentTime = this.position;
  }

  /**
   * Gives up the lease and the source, but remembers video and position, so that `load` can
   * continue.
   */
  suspend(): void {
    this.stop();
    this.end();
  }

  release(): void {
    this.suspend();
    this.source = null;
    this.isPlaying = false;
  }

  private requestLease(priority: Priority, takesTurns: boolean): MediaLease {
    const revoked = () => {
      this.stop();
      this.endTrial(null);
      this.emit({ type: 'lost' });
    };
    if (isFromStore(this.source?.url ?? '') && mediaBudget.capacityOf('connection') > storeConnections)
      mediaBudget.setCapacity('connection', storeConnections);
    return mediaBudget.request({
      needs: ['decoder', 'connection'],
      priority,
      takesTurns,
      player: this.pair,
      granted: () => this.begin(),
      revoked,
      state: () => this.state,
    });
  }

  private begin(): void {
    if (!this.source) return;
    this.hasFailed = false;
    this.cancel = loadSource(this.element, this.source, (event) => {
      if (event.type === 'failed') {
        this.tryAgain(event.error);
        return;
      }
      this.isReady = true;
      if (!this.trial?.asksForMotion) this.endTrial(true);
      decoderTrials.goOn();
      if (!holdsConnection(this.source?.url ?? '')) this.lease?.giveBack('connection');
      this.emit(event);
    });
    this.cancelWatch();
    this.cancelWatch = watchDataWait(this.element, (event) =>
      event === 'silent' ? this.handleSilence() : this.loadAgain(),
    );
    if (this.isPlaying) this.play();
  }

  /**
   * Decoders that others hold may be to blame: then a source that is wanted on screen is loaded once
   * more, and a prepared one is left until it is. What fails once more has failed.
   */
  private tryAgain(error: PlayerError): void {
    const { source, lease } = this;
    const isAgain = this.trial !== null;
    this.hasFailed = true;
    if (this.trial?.freeDecoder()) return;
    this.endTrial(false);
    const suspect = source && lease && { url: source.url, lease, sign: error };
    if (isAgain || !suspect || !decoderTrials.areToBlame(suspect)) this.fail(error);
    else if (this.isAwaited)
      this.trial = decoderTrials.begin({ ...suspect, load: () => this.loadAgain(), giveUp: () => this.giveUp(error) });
    else {
      this.release();
      this.emit({ type: 'lost' });
    }
  }

  private giveUp(error: PlayerError): void {
    this.trial = null;
    this.fail(error);
  }

  private goOn(): void {
    this.trial = null;
    this.hasFailed = false;
  }

  private endTrial(plays: boolean | null): void {
    const { trial } = this;
    this.trial = null;
    trial?.end(plays);
  }

  private fail(error: PlayerError): void {
    const at = this.position;
    this.release();
    this.failedAt = at;
    this.emit({ type: 'failed', error });
  }

  /** A video that had a frame is reloaded at its position before it counts as broken. */
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
    this.isMoving = null;
    releaseVideo(this.element);
  }

  private end(): void {
    const lease = this.lease;
    this.lease = null;
    lease?.release();
    this.endTrial(null);
    decoderTrials.goOn();
  }
}
