import { Layer } from './layer.ts';
import { whenPictureStands } from './standing-picture.ts';
import { Still } from './still.ts';

/**
 * The two stacked layers of a player, and beneath them the still of a front that had to give its decoder up. `data-layer` says which one is
 * the `front`, which the viewer sees, and which the `back`, where the next video is prepared. What lies covered is not composed, and would be
 * transparent for some frames when it came forward: so the back one has `data-peeks` while the front has a picture, and the stylesheet lets a
 * speck of it be seen.
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

  /** They change places. The old front gives its source back when the new one's picture stands. */
  swap(retired: () => void): void {
    [this.front, this.back] = [this.back, this.front];
    this.#name();
    this.back.pause();
    this.back.element.muted = true;
    delete this.front.element.dataset.peeks;
    if (this.back.isHeld || this.#still.isTaken) this.#retire(retired);
    else this.#letBackPeek();
  }

  retireNow(): void {
    if (!this.#cancelRetirement) return;
    this.#cancelRetirement();
    this.#cancelRetirement = null;
    this.#still.clear();
    this.back.release();
    this.#letBackPeek();
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

  #retire(retired: () => void): void {
    this.#cancelRetirement = whenPictureStands(this.front.element, () => {
      this.retireNow();
      retired();
    });
  }

  #letBackPeek(): void {
    this.back.element.dataset.peeks = '';
  }

  #name(): void {
    this.front.element.dataset.layer = 'front';
    this.back.element.dataset.layer = 'back';
  }
}
