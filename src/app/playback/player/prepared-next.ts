import { aheadBy } from '../budget/prepare-mode.ts';
import { warmBytes } from '../network/warm-bytes.ts';
import type { LayerListener } from './layer.ts';
import type { LayerPair } from './layer-pair.ts';
import type { PlayerError, Source } from './load-source.ts';
import type { PlayerFacts } from './player-facts.ts';

export interface PreparedNextListener {
  changed(facts: Pick<PlayerFacts, 'isNextReady'>): void;
  /** It gives no picture, and is forgotten. */
  nextFailed(error: PlayerError): void;
}

/** The video after the one that is wanted now: kept in mind, and prepared on the back layer only as far as the device allows. */
export class PreparedNext {
  readonly #layers: LayerPair;
  readonly #listener: PreparedNextListener;
  #source: Source | null = null;
  /** The back layer carries it, or waits to carry it. */
  #isLoaded = false;
  #cancelWarming = () => {};

  constructor(layers: LayerPair, listener: PreparedNextListener) {
    this.#layers = layers;
    this.#listener = listener;
  }

  keep(source: Source): void {
    this.drop();
    this.#source = source;
  }

  drop(): void {
    if (this.#isLoaded) this.#layers.back.release();
    this.forget();
    this.#listener.changed({ isNextReady: false });
  }

  /** What was kept, and whether the back layer has it; null when nothing was. The back layer goes with it. */
  take(): { source: Source; isLoaded: boolean } | null {
    const taken = this.#source && { source: this.#source, isLoaded: this.#isLoaded };
    this.forget();
    return taken;
  }

  /** The back layer is needed for something else. */
  forget(): void {
    this.#cancelWarming();
    this.#source = null;
    this.#isLoaded = false;
  }

  /** Nothing is fetched for it any more. The back layer has been released. */
  rest(): void {
    this.#cancelWarming();
    this.#isLoaded = false;
    this.#listener.changed({ isNextReady: false });
  }

  /** Takes the back layer, which is free. @param takesTurns its decoder may be that of another one which is prepared */
  fill({ takesTurns }: { takesTurns: boolean }): void {
    if (!this.#source || this.#isLoaded) return;
    const { back } = this.#layers;
    const way = aheadBy();
    if (way === 'nothing') return;
    if (way === 'element') {
      this.#isLoaded = true;
      back.load(this.#source, 'ahead', this.#whilePrepared, { takesTurns });
    }
    if (!back.isHeld) this.#cancelWarming = warmBytes(this.#source.url);
  }

  readonly #whilePrepared: LayerListener = {
    ready: () => this.#listener.changed({ isNextReady: true }),
    failed: (error) => {
      this.forget();
      this.#listener.changed({ isNextReady: false });
      this.#listener.nextFailed(error);
    },
    lost: () => this.#listener.changed({ isNextReady: false }),
  };
}
