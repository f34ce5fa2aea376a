import type { Database } from '../../../database/connection.ts';
import type { SweepTime } from '../../../database/sweep-time.ts';
import type { Executor } from '../../../database/tables.ts';

/** What was not written yet, as it is at this moment; of much, the oldest piece. */
export interface UnwrittenStats {
  write(transaction: Executor): Promise<void>;
  /** It is committed. */
  markWritten(): void;
}

/** Figures that are counted in memory and written from there. */
export interface StatsPart {
  /** Null when everything is written. */
  unwritten(): UnwrittenStats | null;
  /**
   * Deletes a small piece of what nobody asks for any more.
   * @param until the time of the sweeps
   */
  deleteOld(transaction: Executor, until: number): Promise<void>;
  /** Frees memory; comes after every write, whether it succeeded or not. */
  close(now: number): void;
}

/** Writes what was counted, all parts in one transaction. What could not be written stays in memory for the next time. */
export class StatsWriter {
  private readonly database: Database;
  private readonly sweepTime: SweepTime;
  private readonly parts: readonly StatsPart[];
  private last: Promise<unknown> = Promise.resolve();

  constructor({ database, sweepTime }: { database: Database; sweepTime: SweepTime }, parts: readonly StatsPart[]) {
    this.database = database;
    this.sweepTime = sweepTime;
    this.parts = parts;
  }

  /**
   * One after the other: of two at once, the one that knows less could be the last.
   * @param now epoch milliseconds
   * @returns whether there was anything to be written
   */
  write(now: number): Promise<boolean> {
    const next = this.last.then(() => this.writeParts(now));
    this.last = next.catch(() => {
      // Whoever asked for this write hears of it.
    });
    return next;
  }

  private async writeParts(now: number): Promise<boolean> {
    const unwritten = this.parts.flatMap((part) => part.unwritten() ?? []);
    try {
      const until = await this.sweepTime.read();
      await this.database.write(async (transaction) => {
        for (const stats of unwritten) await stats.write(transaction);
        for (const part of this.parts) await part.deleteOld(transaction, until);
      });
      for (const stats of unwritten) stats.markWritten();
      return unwritten.length > 0;
    } finally {
      for (const part of this.parts) part.close(now);
    }
  }
}
