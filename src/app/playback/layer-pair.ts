import { hasRoomToPrepare } from './device-budget.ts';
import { Layer } from './layer.ts';
import { whenPictureStands } from './standing-picture.ts';
import { Still } from './still.ts';

const layersAtMost = 3;

/** A front that was left. */
interface Retirement {
  readonly layer: Layer;
  cancel(): void;
}

/**
 * The two stacked layers of a player, and beneath them the still of a front that had to give its decoder up. `data-layer` says which one is
 * the `front`, which the viewer sees, and which the `back`, where the next video is prepared. What lies covered is not composed, and would be
 * transparent for some frames when it came forward: so the back one has `data-peeks` while the front has a picture, and the stylesheet lets a
 * speck of it be seen. Who skips while the old front still lies beneath the new one gets a third layer; then the old one is the `spare`.
 */
export class LayerPair {
  front: Layer;
  back: Layer;
  readonly #all: Layer[];
  readonly #still = new Still();
  #host: HTMLElement | null = null;
  #watch = (_layer: Layer) => {};
  /** In the order in which they were left: each lies beneath the next one until that one's picture stands. */
  #retirements: Retirement[] = [];
  /** Something waits for a layer. */
  #isBackWanted = false;

  /** @param first an element whose source is under way already: the back one, to begin with */
  constructor(first?: HTMLVideoElement) {
    this.front = new Layer(this.#keepPicture);
    this.back = new Layer(this.#keepPicture, first);
    this.#all = [this.back, this.front];
    this.#name();
  }

  /** Hears of each layer, also of one that is made later. */
  eachLayer(watch: (layer: Layer) => void): void {
    this.#watch = watch;
    this.#all.forEach(watch);
  }

  /** What stands there already is not touched: to move an element that plays costs the page several milliseconds. */
  attachTo(host: HTMLElement): void {
    this.#host = host;
    this.#still.attachTo(host);
    host.append(...this.#all.flatMap(({ element }) => (element.parentNode === host ? [] : element)));
  }

  /** The back layer still carries the old front. */
  get isRetiring(): boolean {
    return this.#isRetiring(this.back);
  }

  /**
   * They change places. The old front gives its source back when the new one's picture stands.
   * @param freed told then, where the back layer was not free before, or somebody had to wait for one
   */
  swap(freed: () => void): void {
    [this.front, this.back] = [this.back, this.front];
    this.#name();
    this.back.pause();
    this.back.element.muted = true;
    delete this.front.element.dataset.peeks;
    if (this.back.isHeld || this.#still.isTaken) this.#retire(freed);
    else this.#letBackPeek();
  }

  /** Has a back layer that something can be loaded into. False: the device has no decoder for one while the old front is there. */
  freeBack(): boolean {
    if (!this.isRetiring) return true;
    const spare = hasRoomToPrepare() && this.#findSpare();
    this.#isBackWanted = !spare;
    if (!spare) return false;
    this.back = spare;
    this.#name();
    this.#letBackPeek();
    return true;
  }

  retireNow(): void {
    this.#end(this.#retirements);
  }

  clearStill(): void {
    this.#still.clear();
  }

  release(): void {
    this.retireNow();
    for (const layer of this.#all) layer.release();
    this.#still.clear();
  }

  readonly #keepPicture = (layer: Layer) => {
    if (layer === this.front && layer.isReady) this.#still.take(layer.element);
  };

  #retire(freed: () => void): void {
    const retirement: Retirement = { layer: this.back, cancel: whenPictureStands(this.front.element, () => this.#endUpTo(retirement, freed)) };
    this.#retirements.push(retirement);
  }

  /** What lies beneath it is not seen any more either. */
  #endUpTo(retirement: Retirement, freed: () => void): void {
    const isMissed = this.#isBackWanted || retirement.layer === this.back;
    this.#end(this.#retirements.slice(0, this.#retirements.indexOf(retirement) + 1));
    this.#isBackWanted = false;
    if (isMissed) freed();
  }

  #end(ending: readonly Retirement[]): void {
    this.#retirements = this.#retirements.filter((retirement) => !ending.includes(retirement));
    for (const { layer, cancel } of ending) {
      cancel();
      layer.release();
      if (layer === this.back) this.#letBackPeek();
    }
    if (ending.length > 0) this.#still.clear();
  }

  #isRetiring(layer: Layer): boolean {
    return this.#retirements.some((retirement) => retirement.layer === layer);
  }

  #findSpare(): Layer | undefined {
    const free = this.#all.find((layer) => layer !== this.front && !this.#isRetiring(layer));
    return free ?? (this.#all.length < layersAtMost ? this.#make() : undefined);
  }

  #make(): Layer {
    const layer = new Layer(this.#keepPicture);
    this.#all.push(layer);
    this.#watch(layer);
    this.#host?.append(layer.element);
    return layer;
  }

  #letBackPeek(): void {
    this.back.element.dataset.peeks = '';
  }

  #name(): void {
    for (const layer of this.#all) layer.element.dataset.layer = this.#roleOf(layer);
  }

  #roleOf(layer: Layer): 'front' | 'back' | 'spare' {
    if (layer === this.front) return 'front';
    return layer === this.back ? 'back' : 'spare';
  }
}
