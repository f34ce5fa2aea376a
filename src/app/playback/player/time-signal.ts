import { createSignal } from '#app/platform/signal.ts';
import { now } from '#app/platform/timers.ts';
import { listen } from './listen.ts';

const minIntervalMs = 250;

/**
 * Emits when the second on screen, the length, or what is buffered has changed: four times a second at most, and at
 * once after a jump.
 */
export class TimeSignal {
  private readonly changed = createSignal();
  private emittedAt = Number.NEGATIVE_INFINITY;

  listen(hear: () => void): () => void {
    return this.changed.listen(hear);
  }

  observe(video: HTMLVideoElement, isFront: () => boolean): void {
    const flow = () => isFront() && this.flow();
    const jump = () => isFront() && this.jump();
    listen(video, { timeupdate: flow, progress: flow, seeking: jump, seeked: jump, durationchange: jump });
  }

  jump(): void {
    this.emittedAt = now();
    this.changed.emit();
  }

  /** A clock that was set back is no reason to be silent. */
  private flow(): void {
    if (Math.abs(now() - this.emittedAt) >= minIntervalMs) this.jump();
  }
}
