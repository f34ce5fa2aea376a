import { vi } from 'vitest';
import { decoderTrials } from '#app/playback/decoder-trials.ts';
import { mediaBudget } from '#app/playback/media-budget.ts';

type FrameCallback = (now: number, frame: { mediaTime: number }) => void;

/**
 * A `<video>` in Node, as far as the player knows it: properties, events and their order are those of the HTML
 * standard. The test plays the network and the decoder through the `…now` methods.
 */
export class FakeVideo extends EventTarget {
  readonly dataset: Record<string, string> = {};
  parentNode: FakeHost | null = null;
  /** The window that draws it; null: the page's own. */
  readonly ownerDocument = { defaultView: null };
  loop = false;
  paused = true;
  ended = false;
  seeking = false;
  readyState = 0;
  /** NETWORK_IDLE: only where a test is about the network does it load (2). */
  networkState = 1;
  duration = Number.NaN;
  videoWidth = 0;
  videoHeight = 0;
  preload = 'auto';
  /** Seconds of data from the start on. */
  loadedSeconds = 0;
  droppedFrames = 0;
  totalFrames = 0;
  error: { code: number } | null = null;
  /** What `play()` is refused with. */
  refusal: DOMException | null = null;
  /** Sources that were given back or replaced. */
  readonly dropped: string[] = [];
  #source: string | null = null;
  #time = 0;
  #isMuted = true;
  #volume = 1;

  get muted(): boolean {
    return this.#isMuted;
  }

  set muted(isMuted: boolean) {
    if (isMuted === this.#isMuted) return;
    this.#isMuted = isMuted;
    this.emit('volumechange');
  }

  get volume(): number {
    return this.#volume;
  }

  set volume(volume: number) {
    if (volume === this.#volume) return;
    this.#volume = volume;
    this.emit('volumechange');
  }

  get buffered(): Pick<TimeRanges, 'length' | 'start' | 'end'> {
    return { length: this.loadedSeconds > 0 ? 1 : 0, start: () => 0, end: () => this.loadedSeconds };
  }

  get src(): string {
    return this.#source ?? '';
  }

  set src(source: string) {
    if (this.#source !== null) this.dropped.push(this.#source);
    this.#source = source;
    this.load();
  }

  get currentTime(): number {
    return this.#time;
  }

  set currentTime(seconds: number) {
    this.#time = seconds;
    this.seeking = true;
    this.ended = false;
    this.emit('seeking');
  }

  getVideoPlaybackQuality(): Pick<VideoPlaybackQuality, 'droppedVideoFrames' | 'totalVideoFrames'> {
    return { droppedVideoFrames: this.droppedFrames, totalVideoFrames: this.totalFrames };
  }

  setAttribute(): void {
    // What stands in markup alone tells the player nothing.
  }

  hasAttribute(name: string): boolean {
    return name === 'src' && this.#source !== null;
  }

  getAttribute(name: string): string | null {
    return name === 'src' ? this.#source : null;
  }

  removeAttribute(name: string): void {
    if (name !== 'src' || this.#source === null) return;
    this.dropped.push(this.#source);
    this.#source = null;
  }

  /** The resource selection algorithm starts anew: pending plays are aborted. */
  load(): void {
    Object.assign(this, {
      paused: true,
      ended: false,
      seeking: false,
      readyState: 0,
      duration: Number.NaN,
      videoWidth: 0,
      videoHeight: 0,
      error: null,
    });
    Object.assign(this, { loadedSeconds: 0, droppedFrames: 0, totalFrames: 0 });
    this.#time = 0;
    this.emptied();
  }

  async play(): Promise<void> {
    if (this.refusal) throw this.refusal;
    const wasPaused = this.paused;
    this.paused = false;
    if (!wasPaused) return;
    this.emit('play');
    this.emit(this.readyState >= 3 ? 'playing' : 'waiting');
  }

  pause(): void {
    if (this.paused) return;
    this.paused = true;
    this.emit('pause');
  }

  metadataNow({ duration = 60, width = 960 } = {}): void {
    this.readyState = 1;
    this.duration = duration;
    this.videoWidth = width;
    this.videoHeight = Math.round((width * 9) / 16);
    this.emit('durationchange');
    this.emit('loadedmetadata');
  }

  /** Data for more than the current picture has come, and the picture at `seconds` is decoded. */
  pictureNow(seconds = this.#time): void {
    const isFirst = this.readyState < 2;
    const wasSeeking = this.seeking;
    Object.assign(this, { readyState: 4, seeking: false });
    this.#time = seconds;
    if (wasSeeking) this.emit('seeked');
    if (isFirst) this.emit('loadeddata');
    if (!this.paused) this.emit('playing');
  }

  /** The system, or the browser, pauses it. */
  pauseUnbidden(): void {
    this.pause();
  }

  /** Its time moves on while it plays. */
  timeNow(seconds: number): void {
    this.#time = seconds;
    this.emit('timeupdate');
  }

  starveNow(): void {
    this.readyState = 2;
    this.emit('waiting');
  }

  endNow(): void {
    this.#time = this.duration;
    Object.assign(this, { ended: true, paused: true });
    this.emit('pause');
    this.emit('ended');
  }

  failNow(code: number): void {
    this.error = { code };
    this.emit('error');
  }

  protected emptied(): void {
    // Nothing waits for frames here.
  }

  private emit(name: string): void {
    this.dispatchEvent(new Event(name));
  }
}

/** One that tells of presented frames, as every engine but the oldest does. */
export class FrameTellingVideo extends FakeVideo {
  #callbacks = new Map<number, FrameCallback>();
  #last = 0;

  requestVideoFrameCallback(callback: FrameCallback): number {
    this.#last += 1;
    this.#callbacks.set(this.#last, callback);
    return this.#last;
  }

  cancelVideoFrameCallback(request: number): void {
    this.#callbacks.delete(request);
  }

  /** The picture at `seconds` is on screen. */
  presentNow(seconds = this.currentTime): void {
    const due = [...this.#callbacks.values()];
    this.#callbacks.clear();
    for (const callback of due) callback(0, { mediaTime: seconds });
  }

  /** From no data to a presented first picture. */
  showNow(): void {
    this.metadataNow();
    this.pictureNow();
    this.presentNow();
  }
}

/** Keeps which video's picture was drawn on it. */
export class FakeCanvas {
  width = 0;
  height = 0;
  drawn: string | null = null;
  isPlaced = false;

  /** What every pixel of a video gives, of 255. */
  static brightness = 200;

  getContext(): { drawImage(picture: FakeVideo | FakeCanvas): void; getImageData(): Pick<ImageData, 'data'> } {
    const drawImage = (picture: FakeVideo | FakeCanvas) => {
      this.drawn = picture instanceof FakeCanvas ? picture.drawn : picture.src;
    };
    const data = new Uint8ClampedArray(64).map((_, at) => (at % 4 === 3 ? 255 : FakeCanvas.brightness));
    return { drawImage, getImageData: () => ({ data }) };
  }

  remove(): void {
    this.isPlaced = false;
  }
}

/** A place on the page. */
export class FakeHost {
  /** That were put here, in order. */
  readonly videos: FrameTellingVideo[] = [];

  append(...videos: FrameTellingVideo[]): void {
    this.videos.push(...videos);
    for (const video of videos) video.parentNode = this;
  }

  prepend(canvas: FakeCanvas): void {
    canvas.isPlaced = true;
  }

  get element(): HTMLElement {
    return this as unknown as HTMLElement;
  }
}

export interface FakeMedia {
  /** Every video that was made, in order. */
  readonly videos: FrameTellingVideo[];
  readonly canvases: FakeCanvas[];
  /** Draws the next animation frames. */
  drawFrames(count: number): void;
  /** Draws until the picture of whatever has come to the front stands, and what was there before is gone. */
  settle(): void;
}

function proveDecoders(): void {
  const leases = Array.from({ length: mediaBudget.capacityOf('decoder') }, () =>
    mediaBudget.request({
      needs: ['decoder'],
      priority: 'ahead',
      granted: () => {},
      revoked: () => {},
      state: () => 'moving',
    }),
  );
  decoderTrials.goOn();
  for (const lease of leases) lease.release();
}

/** More than any player waits for. */
const framesUntilSettled = 40;

/**
 * What the players read of the browser. The device has shown as many elements at once as it is thought to show: what
 * fails has failed because of its file.
 * @param isOld an engine that does not tell of frames
 */
export function fakeMediaGlobals({ isOld = false } = {}): FakeMedia {
  proveDecoders();
  const videos: FrameTellingVideo[] = [];
  const canvases: FakeCanvas[] = [];
  let due = new Map<number, FrameRequestCallback>();
  let lastRequest = 0;
  const keep = <Made>(list: Made[], made: Made) => {
    list.push(made);
    return made;
  };
  const createElement = (name: string) =>
    name === 'canvas'
      ? keep(canvases, new FakeCanvas())
      : keep(videos, (isOld ? new FakeVideo() : new FrameTellingVideo()) as FrameTellingVideo);
  vi.stubGlobal(
    'document',
    Object.assign(new EventTarget(), { hidden: false, documentElement: { dataset: {} }, createElement }),
  );
  vi.stubGlobal('window', {});
  vi.stubGlobal('HTMLMediaElement', {
    HAVE_METADATA: 1,
    HAVE_CURRENT_DATA: 2,
    HAVE_FUTURE_DATA: 3,
    NETWORK_IDLE: 1,
    NETWORK_LOADING: 2,
  });
  vi.stubGlobal('MediaError', { MEDIA_ERR_NETWORK: 2, MEDIA_ERR_DECODE: 3 });
  vi.stubGlobal('navigator', {
    userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36',
  });
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => {
    lastRequest += 1;
    due.set(lastRequest, run);
    return lastRequest;
  });
  vi.stubGlobal('cancelAnimationFrame', (request: number) => due.delete(request));
  const drawFrames = (count: number) => {
    for (let drawn = 0; drawn < count; drawn += 1) {
      const now = due;
      due = new Map();
      for (const run of now.values()) run(0);
    }
  };
  return { videos, canvases, drawFrames, settle: () => drawFrames(framesUntilSettled) };
}
