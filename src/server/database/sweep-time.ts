import type { Clock } from '../clock.ts';
import type { Database } from './connection.ts';
import type { Executor } from './tables.ts';

const settingName = 'swept_until';
/** The time of the sweeps runs at most so many times as fast as the server does. */
const catchUp = 10;
/** What nobody can bring back afterwards is kept so long after its time is over. */
export const lateMs = 30 * 86_400_000;
/** A time that is younger is given out again, so that frequent readers cost no writes. */
const freshMs = 60_000;

/**
 * The time by which the product deletes what has run out. A clock that is years ahead for one start must not empty a
 * site, so this time follows the wall clock only as fast as the server has run, `catchUp` times. It is never ahead of
 * the wall clock, and survives restarts.
 */
export class SweepTime {
  private readonly database: Database;
  private readonly clock: Clock;
  /** Up to when the time of the sweeps has been moved, by `clock.elapsed()`. */
  private movedAt: number;
  private known: number | null = null;
  private moving: Promise<unknown> = Promise.resolve();

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.database = database;
    this.clock = clock;
    this.movedAt = clock.elapsed();
  }

  /** In whole epoch milliseconds, for what can be made or sent again. */
  async read(): Promise<number> {
    const moved = this.moving.then(() => this.move());
    this.moving = moved.catch(() => {});
    return Math.min(this.clock.now(), await moved);
  }

  /**
   * For what nobody can bring back: so late that nothing is lost while a wrong clock is mended within three days.
   * Whoever uses it subtracts the span that was promised to people as well.
   */
  async readLate(): Promise<number> {
    return (await this.read()) - lateMs;
  }

  private async move(): Promise<number> {
    const elapsed = this.clock.elapsed();
    if (this.known !== null && elapsed - this.movedAt < freshMs) return this.known;
    const now = this.clock.now();
    const time = await this.database.write(async (transaction) => {
      const before = await readStored(transaction);
      const reached = before === null ? now : Math.min(now, before + Math.floor(catchUp * (elapsed - this.movedAt)));
      await store(transaction, reached, now);
      return reached;
    });
    this.movedAt = elapsed;
    this.known = time;
    return time;
  }
}

/** Null before the first sweep. */
async function readStored(executor: Executor): Promise<number | null> {
  const row = await executor.selectFrom('settings').select('value').where('name', '=', settingName).executeTakeFirst();
  return row === undefined ? null : Number(row.value);
}

async function store(executor: Executor, time: number, now: number): Promise<void> {
  const facts = { value: JSON.stringify(time), updated_at: now };
  await executor
    .insertInto('settings')
    .values({ name: settingName, ...facts })
    .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
    .execute();
}
