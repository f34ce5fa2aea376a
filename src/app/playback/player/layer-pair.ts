import { Still } from '../frames/freeze-frame.ts';
import { whenPictureStands } from '../frames/standing-picture.ts';
import { Layer } from './layer.ts';

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
  /** A still holds the place of the old front. */
  #isBackFree = false;

  /** @param first an element whose source is under way already: the back one, to begin with */
  constructor(first?: HTMLVideoElement) {
    const keepPicture = (layer: Layer) => layer === this.front && layer.isReady && this.#still.take(layer.element);
    this.front = new Layer(keepPicture);
    this.back = new Layer(keepPicture, first);
    this.#name();
  }

  /** What stands there already is not touched: to move an element that plays costs the page several milliseconds. */
  attachTo(host: HTMLElement): void {
    this.#still.attachTo(host);
    host.append(...[this.back, this.front].flatMap(({ element }) => (element.parentNode === host ? [] : element)));
  }

  /** To be called inside a tap: whichever layer comes to the front later may play. */
  unlock(): void {
    this.front.unlock();
    this.back.unlock();
  }

  /** The old front still lies on the screen, beneath the new one, and its layer can carry nothing else. */
  get isRetiring(): boolean {
    return this.#cancelRetirement !== null && !this.#isBackFree;
  }

  /**
   * They change places. The old front gives its source back when the new one's picture stands.
   * @param retired told then, unless its layer was freed before
   */
  swap(retired: () => void): void {
    [this.front, this.back] = [this.back, this.front];
    this.#name();
    this.back.pause();
    this.back.element.muted = true;
    delete this.front.element.dataset.peeks;
    if (this.back.isHeld || this.#still.isTaken) this.#retire(retired);
    else this.#letBackPeek();
  }

  /** For who skips before the old front has left: a still of it stays beneath in its place, so that its layer can carry the next video. */
  freeBack(): void {
    if (!this.isRetiring) return;
    this.#still.take(this.back.element);
    this.#emptyBack();
    this.#isBackFree = true;
  }

  retireNow(): void {
    if (!this.#cancelRetirement) return;
    if (this.isRetiring) this.#emptyBack();
    this.#cancelRetirement();
    this.#cancelRetirement = null;
    this.#still.clear();
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
    this.#cancelRetirement?.();
    this.#isBackFree = false;
    this.#cancelRetirement = whenPictureStands(this.front.element, () => {
      const wasBackTaken = this.isRetiring;
      this.retireNow();
      if (wasBackTaken) retired();
    });
  }

  #emptyBack(): void {
    this.back.release();
    this.#letBackPeek();
  }

  #letBackPeek(): void {
    this.back.element.dataset.peeks = '';
  }

  #name(): void {
    this.front.element.dataset.layer = 'front';
    this.back.element.dataset.layer = 'back';
  }
}
