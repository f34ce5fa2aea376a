import { onCompositedFrame } from '../frames/first-frame.ts';
import { FreezeFrame } from '../frames/freeze-frame.ts';
import { FrameCount } from './frame-count.ts';
import { Layer } from './layer.ts';

/**
 * The two stacked layers of a player, and beneath them the freeze frame of a front that had to give its decoder up.
 * `data-layer` says which one is the `front`, which the viewer sees, and which the `back`, where the next video is
 * prepared. What lies covered is not composed, and would be transparent for some frames when it came forward: so the
 * back one has `data-peeks` while the front has a frame, and the stylesheet leaves a few pixels of it uncovered.
 */
export class LayerPair {
  front: Layer;
  back: Layer;
  /** Of the front, whichever of the two it is. */
  readonly frames = new FrameCount();
  private readonly freezeFrame = new FreezeFrame();
  private cancelRetirement: (() => void) | null = null;
  /** The freeze frame is shown in place of the old front. */
  private isBackFree = false;

  /** @param first an element whose source is under way already: the back one, to begin with */
  constructor(first?: HTMLVideoElement) {
    const onUnload = (layer: Layer) => layer === this.front && this.closeFront();
    this.front = new Layer(onUnload);
    this.back = new Layer(onUnload, first);
    this.labelLayers();
  }

  /** What is there already is not moved: to move an element that plays takes the page several milliseconds. */
  attachTo(host: HTMLElement): void {
    this.freezeFrame.attachTo(host);
    host.append(...[this.back, this.front].flatMap(({ element }) => (element.parentNode === host ? [] : element)));
  }

  /** To be called inside a tap: whichever layer comes to the front later may play. */
  unlock(): void {
    this.front.unlock();
    this.back.unlock();
  }

  /** The old front still lies on the screen, beneath the new one, and its layer can carry nothing else. */
  get isRetiring(): boolean {
    return this.cancelRetirement !== null && !this.isBackFree;
  }

  /**
   * They change places. The old front gives its source back when the new one's frame is composited.
   * @param retired called then, unless its layer was freed before
   */
  swap(retired: () => void): void {
    this.frames.close(this.front.element);
    [this.front, this.back] = [this.back, this.front];
    this.labelLayers();
    this.back.pause();
    this.back.element.muted = true;
    delete this.front.element.dataset.peeks;
    if (this.back.isHeld || this.freezeFrame.isCaptured) this.retire(retired);
    else this.letBackPeek();
  }

  /**
   * For a skip before the old front has left: a freeze frame of it stays beneath, so that its layer can carry the next
   * video.
   */
  freeBack(): void {
    if (!this.isRetiring) return;
    this.freezeFrame.capture(this.back.element);
    this.emptyBack();
    this.isBackFree = true;
  }

  retireNow(): void {
    if (!this.cancelRetirement) return;
    if (this.isRetiring) this.emptyBack();
    this.cancelRetirement();
    this.cancelRetirement = null;
    this.freezeFrame.clear();
  }

  /** Neither the front nor a freeze frame of it is left on screen. */
  clearFront(): void {
    this.retireNow();
    this.front.release();
    this.freezeFrame.clear();
  }

  clearFreezeFrame(): void {
    this.freezeFrame.clear();
  }

  release(): void {
    this.clearFront();
    this.back.release();
  }

  /** Its source is about to leave the screen. */
  private closeFront(): void {
    const { isReady, element } = this.front;
    this.frames.close(element);
    if (isReady) this.freezeFrame.capture(element);
  }

  private retire(retired: () => void): void {
    this.cancelRetirement?.();
    this.isBackFree = false;
    this.cancelRetirement = onCompositedFrame(this.front.element, () => {
      const wasBackTaken = this.isRetiring;
      this.retireNow();
      if (wasBackTaken) retired();
    });
  }

  private emptyBack(): void {
    this.back.release();
    this.letBackPeek();
  }

  private letBackPeek(): void {
    this.back.element.dataset.peeks = '';
  }

  private labelLayers(): void {
    this.front.element.dataset.layer = 'front';
    this.back.element.dataset.layer = 'back';
  }
}
