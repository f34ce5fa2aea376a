import { framesOf } from '#app/platform/capabilities.ts';
import { now } from '#app/platform/timers.ts';
import type { Vitals } from '../health/stall-detector.ts';
import { factsOf, reportFacts } from './element-facts.ts';
import type { Layer, LayerListener } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import { listen } from './listen.ts';
import type { PlayerError } from './load-source.ts';
import { errorOf } from './load-source.ts';
import type { PlayerFacts } from './player-facts.ts';
import { seekWithin } from './seek.ts';
import { Sound } from './sound.ts';
import { TimeSignal } from './time-signal.ts';

export interface ForegroundListener {
  changed(facts: Partial<PlayerFacts>): void;
  ended(): void;
  failed(error: PlayerError): void;
}

/** iOS pauses an element that starts to sound without a tap, a moment after it did. */
const pausedForSoundMs = 1_000;
/** A device that pauses an element so soon after it was resumed would do so again. */
const pausedAgainMs = 1_000;

/** What is on screen and sounds: the front layer, whichever of the two it is. */
export class Foreground {
  readonly time = new TimeSignal();
  /** How often it ran out of data so far. */
  stalls = 0;
  readonly #layers: LayerPair;
  readonly #listener: ForegroundListener;
  readonly #sound = new Sound(() => this.#applySound());
  #isLooping = false;
  #isPlaying = false;
  #soundsSince = Number.NEGATIVE_INFINITY;
  #resumedAt = Number.NEGATIVE_INFINITY;

  constructor(layers: LayerPair, listener: ForegroundListener) {
    this.#layers = layers;
    this.#listener = listener;
    this.#watch(layers.front);
    this.#watch(layers.back);
  }

  get video(): HTMLVideoElement {
    return this.#layers.front.element;
  }

  play(): void {
    this.#isPlaying = true;
    this.#layers.front.play();
  }

  pause(): void {
    this.#isPlaying = false;
    this.#layers.front.pause();
  }

  seekTo(seconds: number): void {
    if (!this.#layers.front.isReady || !seekWithin(this.video, seconds)) return;
    // A video at its end had stopped.
    if (this.#isPlaying) this.#layers.front.play();
  }

  setLooping(isLooping: boolean): void {
    this.#isLooping = isLooping;
    this.video.loop = isLooping;
  }

  setMuted(isMuted: boolean): void {
    if (isMuted) this.#sound.mute();
    else this.#sound.unmute();
    this.#applySound();
  }

  setVolume(volume: number): void {
    this.#sound.setVolume(volume);
    this.#applySound();
  }

  /** The layers have changed places. */
  takeOver(): void {
    const { front } = this.#layers;
    front.listener = this.#whileFront;
    front.element.loop = this.#isLooping;
    this.#applySound();
    this.#listener.changed({ hasFrame: true, isPreparing: false, ...factsOf(front.element) });
    this.time.jump();
  }

  /** A front that gave its lease up goes on where it was. */
  revive(): void {
    const { front } = this.#layers;
    if (front.source && !front.isHeld && !front.isWaiting) front.load(front.source, 'quadrant', this.#whileFront);
  }

  /** Null while nothing is to move: paused, at its end, or out of data. */
  vitals(): Vitals | null {
    const { front } = this.#layers;
    const { video } = this;
    const isDue = front.isReady && !video.paused && !video.ended && !video.seeking && video.readyState >= HTMLMediaElement.HAVE_FUTURE_DATA;
    return isDue ? { url: front.source?.url ?? '', seconds: video.currentTime, frames: framesOf(video)?.total ?? null } : null;
  }

  nudge(): void {
    this.#layers.front.nudge();
  }

  /** The same video at the same second, decoded anew; a still holds the place meanwhile. */
  reload(): void {
    this.#layers.front.park();
    this.revive();
  }

  release(): void {
    this.#isPlaying = false;
    this.#sound.mute();
  }

  readonly #whileFront: LayerListener = {
    ready: () => {
      this.#layers.clearStill();
      this.#listener.changed(factsOf(this.video));
      this.time.jump();
    },
    failed: (error) => this.#listener.failed(error),
    refused: () => this.#refused(),
  };

  #watch(layer: Layer): void {
    const isFront = () => layer === this.#layers.front;
    reportFacts(layer.element, (facts) => isFront() && this.#listener.changed(facts));
    this.time.follow(layer.element, isFront);
    listen(layer.element, {
      waiting: () => isFront() && this.#countStall(layer),
      pause: () => isFront() && this.#isPausedByDevice && this.#resume(),
      ended: () => isFront() && this.#listener.ended(),
      error: () => isFront() && layer.isReady && this.#listener.failed(errorOf(layer.element)),
    });
  }

  /** A jump to where there is no data yet is none. */
  #countStall({ isReady, element }: Layer): void {
    if (isReady && !element.seeking) this.stalls += 1;
  }

  #applySound(): void {
    if (this.video.muted && !this.#sound.isMuted) this.#soundsSince = now();
    this.#sound.applyTo(this.video);
  }

  /** With sound the browser may want a tap where it wants none without. */
  #refused(): void {
    if (this.#sound.isMuted) {
      this.#listener.changed({ isBlocked: true });
      return;
    }
    this.setMuted(true);
    this.#layers.front.play();
  }

  /** Neither the viewer nor the end of the video: a call, standby, another app's sound, a decoder taken away. */
  get #isPausedByDevice(): boolean {
    const { paused, ended, error } = this.video;
    return this.#isPlaying && this.#layers.front.isReady && paused && !ended && !error;
  }

  /** In silence it goes on at once. With sound it would take the sound from whoever has it now, so the viewer is asked. */
  #resume(): void {
    const isPausedForSound = !this.#sound.isMuted && now() - this.#soundsSince < pausedForSoundMs;
    if (isPausedForSound) {
      this.#refused();
    } else if (!this.#sound.isMuted || now() - this.#resumedAt < pausedAgainMs) {
      this.#listener.changed({ isBlocked: true });
    } else {
      this.#resumedAt = now();
      this.#layers.front.play();
    }
  }
}
