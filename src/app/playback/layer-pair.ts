import { afterTwoFrames } from './animation-frames.ts';
import { Layer } from './layer.ts';
import { Still } from './still.ts';

/**
 * The two stacked layers of a player, and beneath them the still of a front that had to give its decoder up. `data-layer` says which one is
 * the `front`, which the viewer sees, and which the `back`, which lies under it.
 */
export class LayerPair {
  front: Layer;
  back: Layer;
  readonly #still = new Still();
  #cancelRetirement: (() => void) | null = null;

  /** @param first an element whose source is under way already: the back one, to begin with */
  constructor(first?: HTMLVideoElement) {
    const keepPicture = (layer: Layer) => layer === this.front && layer.isReady && this.#still.take(layer.element);
    this.front = new Layer(keepPicture);
    this.back = new Layer(keepPicture, first);
    this.#name();
  }

  attachTo(host: HTMLElement): void {
    this.#still.attachTo(host);
    host.append(this.back.element, this.front.element);
  }

  /** The old front still lies on the screen, beneath the new one. */
  get isRetiring(): boolean {
    return this.#cancelRetirement !== null;
  }

  /** They change places. The old front gives its source back two frames later, when the new one is drawn for sure. */
  swap(retired: () => void): void {
    [this.front, this.back] = [this.back, this.front];
    this.#name();
    this.back.pause();
    this.back.element.muted = true;
    this.#cancelRetirement = afterTwoFrames(() => {
      this.retireNow();
      retired();
    });
  }

  retireNow(): void {
    if (!this.#cancelRetirement) return;
    this.#cancelRetirement();
    this.#cancelRetirement = null;
    this.#still.clear();
    this.back.release();
  }

  clearStill(): void {
    this.#still.clear();
  }

  release(): void {
    this.retireNow();
    this.front.release();
    this.back.release();
    this.#still.clear();
  }

  #name(): void {
    this.front.element.dataset.layer = 'front';
    this.back.element.dataset.layer = 'back';
  }
}
