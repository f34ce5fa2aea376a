import { framesOf } from '#app/platform/capabilities.ts';
import { Layer } from './layer.ts';
import { onCompositedFrame } from './source-loading.ts';

/**
 * The two stacked layers of a player, and beneath them the freeze frame of a front that lost its
 * decoder. `data-layer` marks the `front`, which is visible, and the `back`, where the next video
 * is prepared. A fully covered layer is not composited, and would be transparent for some frames
 * after a swap: so the back has `data-peeks` while the front has a frame, and the stylesheet leaves
 * a few of its pixels uncovered.
 */
export class LayerPair {
  front: Layer;
  back: Layer;
  /** Counts the frames of the current front. */
  readonly frames = new FrameCount();
  private readonly freezeFrame = new FreezeFrame();
  private cancelRetirement: (() => void) | null = null;
  /** The back layer is empty; the freeze frame is shown in place of the old front. */
  private isBackFree = false;

  /** @param first an element that is already loading its source; it begins as the back layer */
  constructor(first?: HTMLVideoElement) {
    const onUnload = (layer: Layer) => layer === this.front && this.closeFront();
    this.front = new Layer(this, onUnload);
    this.back = new Layer(this, onUnload, first);
    this.labelLayers();
  }

  /**
   * Leaves elements that are already attached where they are: moving a playing element blocks the
   * page for several milliseconds.
   */
  attachTo(host: HTMLElement): void {
    this.freezeFrame.attachTo(host);
    host.append(...[this.back, this.front].flatMap(({ element }) => (element.parentNode === host ? [] : element)));
  }

  /** To be called inside a tap: afterwards either layer may play. */
  unlock(): void {
    this.front.unlock();
    this.back.unlock();
  }

  /** A browser gives each source of an element its default rate. */
  setSpeed(speed: number): void {
    for (const { element } of [this.front, this.back]) {
      element.defaultPlaybackRate = speed;
      element.playbackRate = speed;
    }
  }

  /**
   * The old front is still visible beneath the new one, and its layer cannot take another source.
   */
  get isRetiring(): boolean {
    return this.cancelRetirement !== null && !this.isBackFree;
  }

  /**
   * Swaps the layers. The old front gives its source up when the new front's frame is composited.
   * @param retired is called then, unless the old front was freed before
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
   * Empties the back layer when a skip comes before the old front has gone: a freeze frame of it
   * remains, so that its layer can take the next video.
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

  /** Removes the front and its freeze frame from the screen. */
  clearFront(): void {
    this.retireNow();
    this.front.release();
    this.freezeFrame.clear();
  }

  clearFreezeFrame(): void {
    this.freezeFrame.clear();
  }

  get hasFreezeFrame(): boolean {
    return this.freezeFrame.isCaptured;
  }

  release(): void {
    this.clearFront();
    this.back.release();
  }

  /** Called when the front is about to lose its source. */
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

/** The last frame of a video, shown beneath both layers while its element has no decoder. */
class FreezeFrame {
  private host: HTMLElement | null = null;
  private canvas: HTMLCanvasElement | null = null;

  get isCaptured(): boolean {
    return this.canvas !== null;
  }

  attachTo(host: HTMLElement): void {
    this.host = host;
    if (this.canvas) host.prepend(this.canvas);
  }

  /**
   * Nothing is captured where the picture is black: a video on a hardware plane gives no other one.
   */
  capture(video: HTMLVideoElement): void {
    if (!this.host || video.videoWidth === 0) return;
    this.canvas ??= document.createElement('canvas');
    this.canvas.width = video.videoWidth;
    this.canvas.height = video.videoHeight;
    this.canvas.getContext('2d')?.drawImage(video, 0, 0);
    if (isBlack(this.canvas)) this.clear();
    else this.host.prepend(this.canvas);
  }

  clear(): void {
    this.canvas?.remove();
    this.canvas = null;
  }
}

const samplesAcross = 4;
/** Of 255. */
const blackBelow = 8;

/** Whether the mean of 16 samples is black. */
function isBlack(picture: HTMLCanvasElement): boolean {
  const canvas = document.createElement('canvas');
  canvas.width = samplesAcross;
  canvas.height = samplesAcross;
  const context = canvas.getContext('2d');
  try {
    context?.drawImage(picture, 0, 0, samplesAcross, samplesAcross);
    const samples = context?.getImageData(0, 0, samplesAcross, samplesAcross).data ?? [];
    const colours = [...samples].filter((_, at) => at % 4 < 3);
    return colours.reduce((sum, value) => sum + value, 0) < colours.length * blackBelow;
  } catch {
    // The bytes come from another host, which lets nobody read them.
    return false;
  }
}

interface Frames {
  total: number;
  dropped: number;
}

const noFrames: Frames = { total: 0, dropped: 0 };

/** Frames shown by a player across all its sources: an element restarts its count with each one. */
class FrameCount {
  /** Frames of sources that have left the screen. */
  private past = noFrames;

  /** Includes the frames of the source on screen. */
  read(video: HTMLVideoElement): Frames {
    const { total, dropped } = framesOf(video) ?? noFrames;
    return { total: this.past.total + total, dropped: this.past.dropped + dropped };
  }

  /** To be called before the source leaves the screen, while the element still has its counts. */
  close(video: HTMLVideoElement): void {
    this.past = this.read(video);
  }
}
