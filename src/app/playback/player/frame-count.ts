import { framesOf } from '#app/platform/capabilities.ts';

interface Frames {
  total: number;
  dropped: number;
}

const noFrames: Frames = { total: 0, dropped: 0 };

/** Frames that a player has shown over all its sources: an element counts anew with each. */
export class FrameCount {
  /** Of sources that have left the screen. */
  private past = noFrames;

  /** With those of the source on screen so far. */
  read(video: HTMLVideoElement): Frames {
    const { total, dropped } = framesOf(video) ?? noFrames;
    return { total: this.past.total + total, dropped: this.past.dropped + dropped };
  }

  /** To be called before the source leaves the screen: its element may still have it then. */
  close(video: HTMLVideoElement): void {
    this.past = this.read(video);
  }
}
