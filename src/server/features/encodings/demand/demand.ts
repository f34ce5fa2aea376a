import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { addPicks, halvePicks } from './demand-repository.ts';

/** Videos that are counted between two writes; what is picked once among so many is not worth encoding. */
const maxCounted = 5_000;

/** How often videos were picked whose source is more than was needed: in memory, and written every minute. */
export class Demand {
  private readonly database: Database;
  private readonly clock: Clock;
  private picks = new Map<number, number>();

  constructor(database: Database, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  count(videoNumber: number): void {
    const picks = this.picks.get(videoNumber);
    if (picks !== undefined || this.picks.size < maxCounted) this.picks.set(videoNumber, (picks ?? 0) + 1);
  }

  /** What cannot be written is lost: it is a hint. */
  async write(): Promise<void> {
    const picks = this.picks;
    this.picks = new Map();
    const now = this.clock.now();
    await this.database.write(async (transaction) => {
      await addPicks(transaction, picks, now);
      await halvePicks(transaction, now);
    });
  }
}
