import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { videoRepository } from './video-repository.ts';

/** Videos whose playing time is counted between two writes. */
const maxUnwritten = 2_000;
/** The order may be as old as this. */
const freshForMs = 30_000;

/** How long videos have been played, over all viewers, for lists of the most played ones. */
export class VideoPlays {
  private readonly database: Database;
  private readonly clock: Clock;
  /** Milliseconds by video id that are not written yet. */
  private readonly played = new Map<string, number>();
  private order: { numbers: Promise<readonly number[]>; readAt: number } | null = null;

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.database = database;
    this.clock = clock;
  }

  add(videoId: string, ms: number): void {
    if (this.played.has(videoId) || this.played.size < maxUnwritten)
      this.played.set(videoId, (this.played.get(videoId) ?? 0) + ms);
  }

  /** Returns null when everything is written. */
  unwritten(): { write(transaction: Executor): Promise<void>; markWritten(): void } | null {
    const written = new Map(this.played);
    if (written.size === 0) return null;
    return {
      write: (transaction) => videoRepository.addPlayed(transaction, written),
      markWritten: () => {
        for (const [id, ms] of written) {
          const left = (this.played.get(id) ?? 0) - ms;
          if (left > 0) this.played.set(id, left);
          else this.played.delete(id);
        }
      },
    };
  }

  /** The videos that were played longest, at most `playedVideosSorted`, by number. */
  listMostPlayed(): Promise<readonly number[]> {
    if (this.order === null || this.clock.elapsed() - this.order.readAt >= freshForMs) {
      const numbers = videoRepository.listMostPlayed(this.database.reader, limits.playedVideosSorted);
      this.order = { numbers, readAt: this.clock.elapsed() };
      // A failure is nobody's order.
      numbers.catch(() => {
        this.order = null;
      });
    }
    return this.order.numbers;
  }
}
