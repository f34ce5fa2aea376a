import type { Foreground } from '../player/active-layer.ts';
import type { PlayerError } from '../player/load-source.ts';
import type { Succession } from '../player/source-queue.ts';
import type { Remedy, Vitals } from './stall-detector.ts';

/** How a player is looked after: what is on its way goes before what stands. */
export class Care {
  readonly #foreground: Foreground;
  readonly #succession: Succession;
  readonly #gaveUp: (error: PlayerError) => void;

  /** @param gaveUp nothing has helped the video on screen */
  constructor(foreground: Foreground, succession: Succession, gaveUp: (error: PlayerError) => void) {
    this.#foreground = foreground;
    this.#succession = succession;
    this.#gaveUp = gaveUp;
  }

  vitals(): Vitals | null {
    return this.#patient.vitals();
  }

  treat(remedy: Remedy): void {
    if (remedy === 'nudge') this.#patient.nudge();
    else if (remedy === 'reload') this.#patient.reload();
    else if (this.#succession.isUnderWay) this.#succession.giveUp();
    else this.#gaveUp('frozen');
  }

  get #patient(): Succession | Foreground {
    return this.#succession.isUnderWay ? this.#succession : this.#foreground;
  }
}
