import { aheadBy } from './ahead.ts';
import { hasRoomToPrepare } from './device-budget.ts';
import type { LayerListener } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import type { PlayerFacts } from './player-facts.ts';
import type { PlayerError, Source } from './preparation.ts';
import type { Vitals } from './pulse.ts';
import { warmBytes } from './warm-bytes.ts';

interface Coming {
  readonly source: Source;
  /** It has taken the screen. */
  shown(): void;
}

export interface SuccessionListener {
  changed(facts: Partial<PlayerFacts>): void;
  /** The layers have changed places. */
  swapped(): void;
  /** What was on its way to the screen gives no picture. */
  failed(): void;
  /** What was prepared to follow gives no picture. */
  nextFailed(error: PlayerError): void;
}

/**
 * What follows the video on screen: one that is on its way, or one that is prepared until it is wanted. Both live on the back layer, the
 * second only as far as the device allows.
 */
export class Succession {
  readonly #layers: LayerPair;
  readonly #listener: SuccessionListener;
  #coming: Coming | null = null;
  #next: Source | null = null;
  /** The back layer carries, or waits to carry, the next video. */
  #isNextLoaded = false;
  #isResting = false;
  #isPlaying = false;
  #videosShown = 0;
  #cancelWarming = () => {};

  constructor(layers: LayerPair, listener: SuccessionListener) {
    this.#layers = layers;
    this.#listener = listener;
  }

  get isUnderWay(): boolean {
    return this.#coming !== null;
  }

  /** Supersedes what was under way or prepared: the same layer takes the new source. */
  bring(source: Source, shown: () => void): void {
    this.#forgetNext();
    this.#coming = { source, shown };
    this.#listener.changed({ isPreparing: true, isNextReady: false, error: null });
    this.#loadComing();
  }

  /** Ends what is on its way. Returns whether there was anything. */
  abandon(): boolean {
    if (!this.#coming) return false;
    this.#coming = null;
    this.#layers.back.release();
    this.#listener.changed({ isPreparing: false });
    this.fill();
    return true;
  }

  prepareNext(source: Source): void {
    this.dropNext();
    this.#next = source;
    this.fill();
  }

  dropNext(): void {
    if (this.#isNextLoaded) this.#layers.back.release();
    this.#forgetNext();
    this.#listener.changed({ isNextReady: false });
  }

  /** False: nothing was prepared. */
  showNext(shown: () => void): boolean {
    const source = this.#next;
    if (!source) return false;
    if (this.#isNextLoaded) this.#promote(source, shown);
    else this.bring(source, shown);
    return true;
  }

  /** In or after the tap that the browser asks for. */
  play(): void {
    this.#isPlaying = true;
    if (this.#coming && !this.#isResting) this.#layers.back.play();
  }

  pause(): void {
    this.#isPlaying = false;
    if (this.#coming) this.#layers.back.pause();
  }

  /** Nothing is fetched any more; what was to come is kept in mind. */
  rest(): void {
    this.#isResting = true;
    this.#cancelWarming();
    this.#layers.retireNow();
    this.#layers.back.release();
    this.#isNextLoaded = false;
    this.#listener.changed({ isNextReady: false });
  }

  goOn(): void {
    if (!this.#isResting) return;
    this.#isResting = false;
    if (this.#coming) this.#loadComing();
    else this.fill();
  }

  /** Null while nothing is due: nothing is under way, or its data has not come. */
  vitals(): Vitals | null {
    const { element, isHeld } = this.#layers.back;
    const isDue = this.#coming !== null && isHeld && !element.seeking && element.readyState >= HTMLMediaElement.HAVE_CURRENT_DATA;
    // The time beneath may move: what counts is that no picture is presented.
    return isDue ? { url: this.#coming?.source.url ?? '', seconds: 0, frames: null } : null;
  }

  nudge(): void {
    this.#layers.back.nudge();
  }

  reload(): void {
    this.#layers.back.release();
    this.#loadComing();
  }

  giveUp(): void {
    this.#layers.back.release();
    this.#whileComing.failed('frozen');
  }

  release(): void {
    this.#coming = null;
    this.#forgetNext();
  }

  /** The next video takes the back layer when nothing else needs it. */
  fill(): void {
    const { back, isRetiring } = this.#layers;
    if (!this.#next || this.#coming || this.#isNextLoaded || this.#isResting || isRetiring) return;
    const way = aheadBy();
    if (way === 'nothing') return;
    if (way === 'element') {
      this.#isNextLoaded = true;
      // Who skips here is likely to skip here again.
      back.load(this.#next, 'ahead', this.#whileNext, { takesTurns: this.#videosShown > 1 });
    }
    if (!back.isHeld) this.#cancelWarming = warmBytes(this.#next.url);
  }

  #loadComing(): void {
    const { back, front } = this.#layers;
    if (!this.#coming || this.#isResting) return;
    this.#layers.retireNow();
    if (this.#isPlaying) back.play();
    else back.pause();
    back.load(this.#coming.source, 'quadrant', this.#whileComing);
    if (back.isWaiting && !hasRoomToPrepare()) front.park();
  }

  #promote(source: Source, shown: () => void): void {
    const { back } = this.#layers;
    const { isReady } = back;
    this.#forgetNext();
    this.#coming = { source, shown };
    this.#listener.changed({ isPreparing: !isReady, isNextReady: false, error: null });
    back.promote(this.#whileComing);
    if (this.#isPlaying) back.play();
    if (isReady) this.#swap();
  }

  readonly #whileComing: LayerListener = {
    ready: () => this.#swap(),
    failed: (error) => {
      this.#coming = null;
      this.#listener.changed({ isPreparing: false, error });
      this.#listener.failed();
    },
    refused: () => this.#listener.changed({ isBlocked: true }),
  };

  readonly #whileNext: LayerListener = {
    ready: () => this.#listener.changed({ isNextReady: true }),
    failed: (error) => {
      this.#forgetNext();
      this.#listener.changed({ isNextReady: false });
      this.#listener.nextFailed(error);
    },
    lost: () => this.#listener.changed({ isNextReady: false }),
  };

  #swap(): void {
    const coming = this.#coming;
    this.#coming = null;
    this.#videosShown += 1;
    this.#layers.swap(() => this.fill());
    this.#listener.swapped();
    coming?.shown();
  }

  #forgetNext(): void {
    this.#cancelWarming();
    this.#next = null;
    this.#isNextLoaded = false;
  }
}
