import { vi } from 'vitest';
import type { Quadrant } from '#contract/quadrants.ts';
import { quadrants } from '#contract/quadrants.ts';
import { FrameTellingVideo, fakeMediaGlobals } from '../playback/fake-video.ts';

/** Window, document and elements of a feed in Node. A test file makes its layers through `layers.make`. */
export class FakeScreen {
  readonly document = Object.assign(new EventTarget(), { hidden: false });
  readonly drawFrames: (count: number) => void;

  constructor() {
    layers.made = [];
    vi.stubGlobal('window', { innerWidth: 1440, devicePixelRatio: 2 });
    vi.stubGlobal('document', this.document);
    this.drawFrames = fakeMediaGlobals().drawFrames;
  }

  hide(isHidden: boolean): void {
    this.document.hidden = isHidden;
    this.document.dispatchEvent(new Event('visibilitychange'));
  }

  layer(quadrant: Quadrant, role: 'front' | 'back'): FrameTellingVideo {
    const first = quadrants.indexOf(quadrant) * 2;
    return layers.made.slice(first, first + 2).find((one) => one.dataset.layer === role) as FrameTellingVideo;
  }

  /** The first picture of what is on its way reaches the screen. */
  show(...which: Quadrant[]): void {
    for (const quadrant of which) this.layer(quadrant, 'back').showNow();
    this.drawFrames(2);
  }

  sources(): string[] {
    return layers.made.filter((one) => one.hasAttribute('src')).map((one) => one.src.split('?')[0] ?? '');
  }
}

/** Players are made in reading order, two layers each. */
export const layers = {
  made: [] as FrameTellingVideo[],
  make(): FrameTellingVideo {
    const layer = new FrameTellingVideo();
    layers.made.push(layer);
    return layer;
  },
};
