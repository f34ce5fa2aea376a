import { afterTwoFrames } from './animation-frames.ts';
import { createLayer, hasSource, releaseLayer } from './layer.ts';
import { listen } from './listen.ts';
import type { PlayerError, Source } from './preparation.ts';
import { errorOf, prepareLayer } from './preparation.ts';

/** What the elements of a player reported last. */
export interface PlayerFacts {
  /** A picture stands in the quadrant, moving or not. */
  hasFrame: boolean;
  /** A source is set whose first picture has not been drawn. */
  isPreparing: boolean;
  isPaused: boolean;
  /** Playing, and out of data. */
  isWaiting: boolean;
  /** The browser refused to play without a tap. */
  isBlocked: boolean;
  error: PlayerError | null;
}

export interface PlayerListener {
  changed(facts: Partial<PlayerFacts>): void;
  /** Another video took the screen. */
  shown(): void;
  ended(): void;
  /** The source being prepared, or the one on screen when none is, gives no picture. */
  failed(): void;
}

export const restingFacts: Readonly<PlayerFacts> = {
  hasFrame: false,
  isPreparing: false,
  isPaused: true,
  isWaiting: false,
  isBlocked: false,
  error: null,
};

/**
 * One quadrant's player: two stacked layers. The next source is prepared on the back one, which lies beneath the front; when its first
 * picture is drawn they change places, and the old one is released two frames later. So there is a picture at all times.
 */
export class Player {
  readonly #listener: PlayerListener;
  #front: HTMLVideoElement;
  #back: HTMLVideoElement;
  #isWanted = false;
  #isLooping = false;
  #cancelPreparation: (() => void) | null = null;
  #cancelRetirement = () => {};

  /** @param first an element whose source is under way already */
  constructor(listener: PlayerListener, first = createLayer()) {
    this.#listener = listener;
    this.#front = this.#open(createLayer());
    this.#back = this.#open(first);
    this.#nameLayers();
  }

  /** Seconds into the video on screen. */
  get position(): number {
    return this.#front.currentTime;
  }

  attachTo(host: HTMLElement): void {
    host.append(this.#back, this.#front);
  }

  /** Brings a video to the screen as soon as its first picture is there. A preparation under way is superseded and never shown. */
  prepare(source: Source): void {
    this.#load(source, () => this.#listener.shown());
  }

  /** The same video from another address: nobody is told that a video started. */
  replaceSource(url: string, { at }: { at: number }): void {
    this.#load({ url, at }, () => {});
  }

  /** What is on its way is not wanted any more: it never comes to the screen, and its request ends. */
  abandon(): void {
    if (!this.#cancelPreparation) return;
    this.#dropPreparation();
    releaseLayer(this.#back);
    this.#listener.changed({ isPreparing: false });
  }

  /** To be called inside the tap where the browser asks for one. */
  play(): void {
    this.#isWanted = true;
    this.#listener.changed({ isBlocked: false });
    if (hasSource(this.#front) && !this.#front.ended && !this.#front.error) this.#start(this.#front);
    if (this.#cancelPreparation) this.#start(this.#back);
  }

  pause(): void {
    this.#isWanted = false;
    this.#front.pause();
    this.#back.pause();
  }

  setLooping(isLooping: boolean): void {
    this.#isLooping = isLooping;
    this.#front.loop = isLooping;
  }

  release(): void {
    this.#isWanted = false;
    this.#dropPreparation();
    this.#cancelRetirement();
    releaseLayer(this.#front);
    releaseLayer(this.#back);
    this.#listener.changed(restingFacts);
  }

  #open(layer: HTMLVideoElement): HTMLVideoElement {
    const changed = (facts: Partial<PlayerFacts>) => {
      if (layer === this.#front) this.#listener.changed(facts);
    };
    listen(layer, {
      playing: () => changed({ isPaused: false, isWaiting: false, isBlocked: false }),
      pause: () => changed({ isPaused: true, isWaiting: false }),
      waiting: () => changed({ isWaiting: true }),
      ended: () => layer === this.#front && this.#listener.ended(),
      error: () => layer === this.#front && this.#failFront(),
    });
    return layer;
  }

  #load(source: Source, shown: () => void): void {
    this.#dropPreparation();
    this.#cancelRetirement();
    this.#listener.changed({ isPreparing: true, error: null });
    this.#cancelPreparation = prepareLayer(this.#back, source, {
      ready: () => {
        this.#swap();
        shown();
        if (this.#front.ended) this.#listener.ended();
      },
      failed: (error) => this.#failBack(error),
    });
    if (this.#isWanted) this.#start(this.#back);
  }

  #swap(): void {
    const old = this.#front;
    const next = this.#back;
    this.#cancelPreparation = null;
    this.#front = next;
    this.#back = old;
    this.#nameLayers();
    next.loop = this.#isLooping;
    old.pause();
    this.#cancelRetirement = afterTwoFrames(() => releaseLayer(old));
    this.#listener.changed({ hasFrame: true, isPreparing: false, isPaused: next.paused, isWaiting: isStarved(next) });
  }

  #nameLayers(): void {
    this.#front.dataset.layer = 'front';
    this.#back.dataset.layer = 'back';
  }

  /** Any other refusal is an abort by the next source, or comes as an error of the element as well. */
  #start(layer: HTMLVideoElement): void {
    layer.play().catch((refusal: Error) => {
      if (refusal.name === 'NotAllowedError' && this.#isWanted) this.#listener.changed({ isBlocked: true });
    });
  }

  #failBack(error: PlayerError): void {
    this.#cancelPreparation = null;
    releaseLayer(this.#back);
    this.#listener.changed({ isPreparing: false, error });
    this.#listener.failed();
  }

  /** What is on its way will take the place of a broken front by itself. */
  #failFront(): void {
    if (this.#cancelPreparation) return;
    this.#listener.changed({ isWaiting: false, error: errorOf(this.#front) });
    this.#listener.failed();
  }

  #dropPreparation(): void {
    this.#cancelPreparation?.();
    this.#cancelPreparation = null;
  }
}

function isStarved(layer: HTMLVideoElement): boolean {
  return !layer.paused && layer.readyState < HTMLMediaElement.HAVE_FUTURE_DATA;
}
