import { vi } from 'vitest';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { FakeMedia, FrameTellingVideo } from '../playback/fake-video.ts';
import { fakeMediaGlobals } from '../playback/fake-video.ts';

/** Window, document and elements of a feed in Node. */
export class FakeScreen {
  readonly document = Object.assign(new EventTarget(), { hidden: false });
  readonly #media: FakeMedia;
  readonly #window = new EventTarget();

  constructor() {
    this.#media = fakeMediaGlobals();
    vi.stubGlobal('window', Object.assign(this.#window, { innerWidth: 1440, devicePixelRatio: 2 }));
    vi.stubGlobal(
      'document',
      Object.assign(this.document, {
        documentElement: document.documentElement,
        createElement: document.createElement,
      }),
    );
  }

  settle(): void {
    this.#media.settle();
  }

  hide(isHidden: boolean): void {
    this.document.hidden = isHidden;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }

  /** The browser has found a network. */
  online(): void {
    this.#window.dispatchEvent(new Event('online'));
  }

  /** Players are made in reading order, two layers each. */
  layer(quadrant: Quadrant, role: 'front' | 'back'): FrameTellingVideo {
    const first = quadrants.indexOf(quadrant) * 2;
    return this.#media.videos.slice(first, first + 2).find((one) => one.dataset.layer === role) as FrameTellingVideo;
  }

  /** The first picture of what is on its way reaches the screen. */
  show(...which: Quadrant[]): void {
    for (const quadrant of which) this.layer(quadrant, 'back').showNow();
    this.settle();
  }

  /** What is prepared has its first picture, out of sight. */
  makeReady(...which: Quadrant[]): void {
    for (const quadrant of which) this.layer(quadrant, 'back').showNow();
  }

  sources(): string[] {
    return this.#media.videos.filter((one) => one.hasAttribute('src')).map((one) => one.src.split('?')[0] ?? '');
  }
}
