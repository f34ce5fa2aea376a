import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { addPicks, halvePicks } from './demand-repository.ts';
import { PickCounts } from './pick-counts.ts';

/** How often videos were picked whose source is more than was needed: in memory, and written every minute. */
export class Demand {
  private readonly database: Database;
  private readonly clock: Clock;
  private readonly picks = new PickCounts();

  constructor(database: Database, clock: Clock) {
    this.database = database;
    this.clock = clock;
  }

  count(videoNumber: number): void {
    this.picks.add(videoNumber);
  }

  /** What cannot be written is lost: it is a hint. */
  async write(): Promise<void> {
    const picks = this.picks.take();
    const now = this.clock.now();
    await this.database.write(async (transaction) => {
      await addPicks(transaction, picks, now);
      await halvePicks(transaction, now);
    });
  }
}
