import { framesOf } from '#app/platform/capabilities.ts';
import { now } from '#app/platform/timers.ts';
import type { Progress } from '../health/stall-detector.ts';
import { factsOf, reportFacts } from './element-facts.ts';
import type { Layer, LayerEvent } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import { listen } from './listen.ts';
import { errorOf } from './load-source.ts';
import type { EmitPart } from './player-event.ts';
import type { PlayerFacts } from './player-facts.ts';
import { seekWithin } from './seek.ts';
import { Sound } from './sound.ts';
import { TimeSignal } from './time-signal.ts';

/** iOS pauses an element that starts to sound without a tap, a moment after it did. */
const pausedForSoundMs = 1_000;
/** A device that pauses an element so soon after it was resumed would do so again. */
const pausedAgainMs = 1_000;

/** What is on screen and sounds: the front layer, whichever of the two it is. */
export class ActiveLayer {
  readonly time = new TimeSignal();
  /** How often it ran out of data so far. */
  stalls = 0;
  /** Also after it has failed, when its layer has no source any more. */
  videoId: string | undefined;
  private readonly layers: LayerPair;
  private readonly emit: EmitPart;
  private readonly sound = new Sound(() => this.applySound());
  private isLooping = false;
  private isPlaying = false;
  private soundsSince = Number.NEGATIVE_INFINITY;
  private resumedAt = Number.NEGATIVE_INFINITY;

  constructor(layers: LayerPair, emit: EmitPart) {
    this.layers = layers;
    this.emit = emit;
    this.watch(layers.front);
    this.watch(layers.back);
  }

  get video(): HTMLVideoElement {
    return this.layers.front.element;
  }

  play(): void {
    this.isPlaying = true;
    this.layers.front.play();
  }

  pause(): void {
    this.isPlaying = false;
    this.layers.front.pause();
  }

  seekTo(seconds: number): void {
    if (!this.layers.front.isReady || !seekWithin(this.video, seconds)) return;
    // A video at its end had stopped.
    if (this.isPlaying) this.layers.front.play();
  }

  setLooping(isLooping: boolean): void {
    this.isLooping = isLooping;
    this.video.loop = isLooping;
  }

  setMuted(isMuted: boolean): void {
    if (isMuted) this.sound.mute();
    else this.sound.unmute();
    this.applySound();
  }

  setVolume(volume: number): void {
    this.sound.setVolume(volume);
    this.applySound();
  }

  /** The layers have changed places. */
  activate(): void {
    const { front } = this.layers;
    front.emit = this.onFrontEvent;
    this.videoId = front.source?.videoId;
    front.element.loop = this.isLooping;
    this.applySound();
    this.emitFacts({ hasFrame: true, isPreparing: false, ...factsOf(front.element) });
    this.time.jump();
  }

  /** A front that gave its lease up goes on where it was. */
  reload(): void {
    const { front } = this.layers;
    if (front.source && !front.isHeld && !front.isWaiting) front.load(front.source, 'quadrant', this.onFrontEvent);
  }

  /** Null while nothing is to move: paused, at its end, or out of data. */
  progress(): Progress | null {
    const { front } = this.layers;
    const { video } = this;
    const isDue =
      front.isReady &&
      !video.paused &&
      !video.ended &&
      !video.seeking &&
      video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    return isDue
      ? { url: front.source?.url ?? '', seconds: video.currentTime, frames: framesOf(video)?.total ?? null }
      : null;
  }

  nudge(): void {
    this.layers.front.nudge();
  }

  /** The same video at the same second, decoded anew; a freeze frame is shown in between. */
  restart(): void {
    this.layers.front.suspend();
    this.reload();
  }

  release(): void {
    this.isPlaying = false;
    this.sound.mute();
  }

  private readonly onFrontEvent = (event: LayerEvent): void => {
    if (event.type === 'failed') this.emit({ type: 'active-failed', error: event.error });
    if (event.type === 'refused') this.handleRefusal();
    if (event.type !== 'ready') return;
    this.layers.clearFreezeFrame();
    this.emitFacts(factsOf(this.video));
    this.time.jump();
  };

  private watch(layer: Layer): void {
    const isFront = () => layer === this.layers.front;
    reportFacts(layer.element, (facts) => isFront() && this.emitFacts(facts));
    this.time.observe(layer.element, isFront);
    listen(layer.element, {
      waiting: () => isFront() && this.countStall(layer),
      pause: () => isFront() && this.isPausedByDevice && this.resume(),
      ended: () => isFront() && this.emit({ type: 'ended' }),
      error: () => isFront() && layer.isReady && this.emit({ type: 'active-failed', error: errorOf(layer.element) }),
    });
  }

  /** A jump to where there is no data yet is none. */
  private countStall({ isReady, element }: Layer): void {
    if (isReady && !element.seeking) this.stalls += 1;
  }

  private emitFacts(facts: Partial<PlayerFacts>): void {
    this.emit({ type: 'changed', facts });
  }

  private applySound(): void {
    if (this.video.muted && !this.sound.isMuted) this.soundsSince = now();
    this.sound.applyTo(this.video);
  }

  /** With sound the browser may want a tap where it wants none without. */
  private handleRefusal(): void {
    if (this.sound.isMuted) {
      this.emitFacts({ isBlocked: true });
      return;
    }
    this.setMuted(true);
    this.layers.front.play();
  }

  /** Neither the viewer nor the end of the video: a call, standby, another app's sound, a decoder taken away. */
  private get isPausedByDevice(): boolean {
    const { paused, ended, error } = this.video;
    return this.isPlaying && this.layers.front.isReady && paused && !ended && !error;
  }

  /**
   * In silence it goes on at once. With sound it would take the sound from the app that has it now, so the viewer is
   * asked.
   */
  private resume(): void {
    const isPausedForSound = !this.sound.isMuted && now() - this.soundsSince < pausedForSoundMs;
    if (isPausedForSound) {
      this.handleRefusal();
    } else if (!this.sound.isMuted || now() - this.resumedAt < pausedAgainMs) {
      this.emitFacts({ isBlocked: true });
    } else {
      this.resumedAt = now();
      this.layers.front.play();
    }
  }
}
