import { hasRoomToPrepare } from '../budget/device-budget.ts';
import type { Vitals } from '../health/stall-detector.ts';
import type { LayerListener } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import type { Source } from './load-source.ts';
import type { PlayerFacts } from './player-facts.ts';
import type { PreparedNextListener } from './prepared-next.ts';
import { PreparedNext } from './prepared-next.ts';

interface Coming {
  readonly source: Source;
  /** It has taken the screen. */
  shown(): void;
}

export interface SuccessionListener extends PreparedNextListener {
  changed(facts: Partial<PlayerFacts>): void;
  /** The layers have changed places. */
  swapped(): void;
  /** What was on its way to the screen gives no picture. */
  failed(): void;
}

/**
 * What follows the video on screen: one that is on its way, or one that is prepared until it is wanted. Both live on the back layer, the
 * second only as far as the device allows.
 */
export class Succession {
  readonly #layers: LayerPair;
  readonly #listener: SuccessionListener;
  readonly #next: PreparedNext;
  #coming: Coming | null = null;
  #isResting = false;
  #isPlaying = false;
  #videosShown = 0;

  constructor(layers: LayerPair, listener: SuccessionListener) {
    this.#layers = layers;
    this.#listener = listener;
    this.#next = new PreparedNext(layers, listener);
  }

  get isUnderWay(): boolean {
    return this.#coming !== null;
  }

  /** Supersedes what was under way or prepared: the same layer takes the new source. */
  bring(source: Source, shown: () => void): void {
    this.#next.forget();
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
    this.#next.keep(source);
    this.fill();
  }

  dropNext(): void {
    this.#next.drop();
  }

  /** False: nothing was prepared. */
  showNext(shown: () => void): boolean {
    const next = this.#next.take();
    if (!next) return false;
    if (next.isLoaded) this.#promote(next.source, shown);
    else this.bring(next.source, shown);
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
    this.#layers.retireNow();
    this.#layers.back.release();
    this.#next.rest();
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
    this.#next.forget();
  }

  /** The next video takes the back layer when nothing else needs it. Who skips here is likely to skip here again. */
  fill(): void {
    if (this.#coming || this.#isResting || this.#layers.isRetiring) return;
    this.#next.fill({ takesTurns: this.#videosShown > 1 });
  }

  #loadComing(): void {
    if (!this.#coming || this.#isResting) return;
    this.#layers.freeBack();
    const { back, front } = this.#layers;
    back.load(this.#coming.source, 'quadrant', this.#whileComing);
    if (this.#isPlaying) back.play();
    else back.pause();
    if (back.isWaiting && !hasRoomToPrepare()) front.park();
  }

  #promote(source: Source, shown: () => void): void {
    const { back } = this.#layers;
    const { isReady } = back;
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

  #swap(): void {
    const coming = this.#coming;
    this.#coming = null;
    this.#videosShown += 1;
    this.#layers.swap(() => this.fill());
    this.#listener.swapped();
    coming?.shown();
    if (!this.#layers.isRetiring) this.fill();
  }
}
