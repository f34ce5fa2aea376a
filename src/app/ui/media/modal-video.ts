import { seekTarget } from '#contract/rules/duration.ts';
import { LeasedVideo } from './leased-video.ts';

/**
 * The playing of a modal's video: it comes before quadrants and previews, and goes on by itself when it gets a decoder
 * back.
 */
export class ModalVideo {
  private readonly element: HTMLVideoElement;
  private readonly leased: LeasedVideo;
  private isWanted = true;

  constructor(element: HTMLVideoElement, url: string) {
    this.element = element;
    this.leased = new LeasedVideo({
      element,
      url,
      at: 0,
      priority: 'modal',
      needs: ['decoder', 'connection', 'sound'],
      onAttach: () => this.resume(),
    });
    this.leased.open();
  }

  play(): void {
    this.isWanted = true;
    this.resume();
  }

  pause(): void {
    this.isWanted = false;
    this.element.pause();
  }

  close(): void {
    this.leased.close();
  }

  private resume(): void {
    if (!this.isWanted || !this.leased.isHeld) return;
    this.element.play().catch((refusal: Error) => {
      // Any other refusal is an abort by a new source, or comes as an error of the element as well.
      if (refusal.name === 'NotAllowedError') this.isWanted = false;
    });
  }
}

/** Ignored while the duration is unknown (§5 Seeking). */
export function seekBy(video: HTMLVideoElement, seconds: number): void {
  const target = seekTarget(video.currentTime, seconds, video.duration);
  if (target !== null) video.currentTime = target;
}
