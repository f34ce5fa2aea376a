import type { ActiveLayer } from '../player/active-layer.ts';
import type { PlayerError } from '../player/load-source.ts';
import type { SourceQueue } from '../player/source-queue.ts';
import type { Progress, RecoveryStep } from './stall-detector.ts';

/** Applies recovery steps to a player: to the video that is on its way, or else to the one on screen. */
export class StallRecovery {
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private readonly gaveUp: (error: PlayerError) => void;

  /** @param gaveUp no step has helped the video on screen */
  constructor(active: ActiveLayer, queue: SourceQueue, gaveUp: (error: PlayerError) => void) {
    this.active = active;
    this.queue = queue;
    this.gaveUp = gaveUp;
  }

  progress(): Progress | null {
    return this.target.progress();
  }

  apply(step: RecoveryStep): void {
    if (step === 'nudge') this.target.nudge();
    else if (step === 'reload') this.target.restart();
    else if (this.queue.isLoading) this.queue.giveUp();
    else this.gaveUp('frozen');
  }

  private get target(): SourceQueue | ActiveLayer {
    return this.queue.isLoading ? this.queue : this.active;
  }
}
