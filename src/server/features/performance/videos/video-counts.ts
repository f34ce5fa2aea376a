import type { VideoSums } from './video-sums.ts';
import { troubleOf } from './video-sums.ts';

export interface VideoBounds {
  /** Videos in memory in one slot, some 150 bytes each. */
  remembered: number;
  /** Rows of one slot. */
  stored: number;
}

/** The videos of one slot of time. Where there are too many, those with trouble stay. */
export class VideoCounts {
  private readonly bounds: VideoBounds;
  private readonly troubled = new Map<string, VideoSums>();
  private readonly quiet = new Map<string, VideoSums>();

  constructor(bounds: VideoBounds) {
    this.bounds = bounds;
  }

  add(id: string, more: VideoSums): void {
    const known = this.troubled.get(id) ?? this.quiet.get(id);
    const isTroubled = this.troubled.has(id) || troubleOf(more) > 0;
    if (known === undefined && !this.makeRoom(isTroubled)) return;
    const sums = known ?? { stalls: 0, failures: 0, playedMs: 0 };
    sums.stalls += more.stalls;
    sums.failures += more.failures;
    sums.playedMs += more.playedMs;
    if (!isTroubled) this.quiet.set(id, sums);
    else {
      this.quiet.delete(id);
      this.troubled.set(id, sums);
    }
  }

  /** Those that are worth a row, the worst first. */
  listStored(): [id: string, sums: VideoSums][] {
    const { stored } = this.bounds;
    const troubled = [...this.troubled].sort(([, a], [, b]) => troubleOf(b) - troubleOf(a)).slice(0, stored);
    return [...troubled, ...[...this.quiet].slice(0, stored - troubled.length)];
  }

  /** Leaves those that are worth a row. */
  trim(): void {
    const stored = new Set(this.listStored().map(([id]) => id));
    for (const videos of [this.troubled, this.quiet])
      for (const id of videos.keys()) if (!stored.has(id)) videos.delete(id);
  }

  /** @returns whether there is any; one with trouble takes the place of one without */
  private makeRoom(isTroubled: boolean): boolean {
    if (this.troubled.size + this.quiet.size < this.bounds.remembered) return true;
    const [first] = this.quiet.keys();
    if (!isTroubled || first === undefined) return false;
    return this.quiet.delete(first);
  }
}
