import type { ActiveLayer } from './active-layer.ts';
import type { SourceQueue } from './source-queue.ts';

/** Whether a player is to play and to fetch: the viewer wants it to, and can see it. Its parts are kept to that. */
export class PlayConditions {
  private readonly active: ActiveLayer;
  private readonly queue: SourceQueue;
  private isWanted = false;
  /** The page is out of sight. */
  private isHidden = false;
  /** Another view is open. */
  private isAway = false;

  constructor(active: ActiveLayer, queue: SourceQueue) {
    this.active = active;
    this.queue = queue;
  }

  get isPresent(): boolean {
    return !this.isHidden && !this.isAway;
  }

  get isPlaying(): boolean {
    return this.isWanted && this.isPresent;
  }

  setWanted(isWanted: boolean): void {
    this.isWanted = isWanted;
    this.applyPlayback();
  }

  setHidden(isHidden: boolean): void {
    if (isHidden === this.isHidden) return;
    this.isHidden = isHidden;
    this.applyPresence();
  }

  setAway(isAway: boolean): void {
    this.isAway = isAway;
    this.applyPresence();
  }

  private applyPresence(): void {
    const { isPresent } = this;
    if (isPresent) this.active.reload();
    else this.queue.suspend();
    this.applyPlayback();
    if (isPresent) this.queue.resume();
  }

  private applyPlayback(): void {
    for (const part of [this.active, this.queue]) {
      if (this.isPlaying) part.play();
      else part.pause();
    }
  }
}
