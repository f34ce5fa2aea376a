import { vi } from 'vitest';

type FrameCallback = (now: number, frame: { mediaTime: number }) => void;

/**
 * A `<video>` in Node, as far as the player knows it: properties, events and their order are those of the HTML standard. The test
 * plays the network and the decoder through the `…now` methods.
 */
export class FakeVideo extends EventTarget {
  readonly dataset: Record<string, string> = {};
  loop = false;
  paused = true;
  ended = false;
  seeking = false;
  readyState = 0;
  duration = Number.NaN;
  videoWidth = 0;
  error: { code: number } | null = null;
  /** What `play()` is refused with. */
  refusal: DOMException | null = null;
  /** Sources that were given back or replaced. */
  readonly dropped: string[] = [];
  #source: string | null = null;
  #time = 0;

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
    Object.assign(this, { paused: true, ended: false, seeking: false, readyState: 0, duration: Number.NaN, videoWidth: 0, error: null });
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

/** What the player reads of the browser beside its elements. Returns what draws the next animation frames. */
export function fakeMediaGlobals(): { drawFrames(count: number): void } {
  let due: FrameRequestCallback[] = [];
  vi.stubGlobal('HTMLMediaElement', { HAVE_CURRENT_DATA: 2, HAVE_FUTURE_DATA: 3 });
  vi.stubGlobal('MediaError', { MEDIA_ERR_NETWORK: 2, MEDIA_ERR_DECODE: 3 });
  vi.stubGlobal('navigator', { userAgent: 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/150.0.0.0 Safari/537.36' });
  vi.stubGlobal('requestAnimationFrame', (run: FrameRequestCallback) => due.push(run));
  vi.stubGlobal('cancelAnimationFrame', (request: number) => {
    due[request - 1] = () => {};
  });
  return {
    drawFrames: (count) => {
      for (let drawn = 0; drawn < count; drawn += 1) {
        const now = due;
        due = [];
        for (const run of now) run(0);
      }
    },
  };
}
