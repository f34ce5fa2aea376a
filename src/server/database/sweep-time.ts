import type { Clock } from '../clock.ts';
import type { Database } from './connection.ts';
import type { Executor } from './tables.ts';

const settingName = 'swept_until';
/** The sweep time advances at most this many times as fast as the server runs. */
const catchUp = 10;
/** Data that cannot be restored is kept this much longer than its time. */
export const lateMs = 30 * 86_400_000;
/** A sweep time younger than this is returned again, so that frequent readers cause no writes. */
const freshMs = 60_000;

/**
 * The time by which expired data is deleted. A clock that is years ahead for one start must not
 * empty a site, so this time follows the wall clock at most `catchUp` times as fast as the server
 * has been running. It is never ahead of the wall clock, and survives restarts.
 */
export class SweepTime {
  private readonly database: Database;
  private readonly clock: Clock;
  /** The moment until which the sweep time has been advanced, by `clock.elapsed()`. */
  private movedAt: number;
  private known: number | null = null;
  private moving: Promise<unknown> = Promise.resolve();

  constructor({ database, clock }: { database: Database; clock: Clock }) {
    this.database = database;
    this.clock = clock;
    this.movedAt = clock.elapsed();
  }

  /** The sweep time in whole epoch milliseconds, for data that can be made or sent again. */
  async read(): Promise<number> {
    const moved = this.moving.then(() => this.move());
    this.moving = moved.catch(() => {});
    return Math.min(this.clock.now(), await moved);
  }

  /**
   * The sweep time for data that cannot be restored. It is late enough that nothing is lost if a
   * wrong clock is corrected within three days. Callers also subtract the time span that was
   * promised to people.
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
      const reached = before === null ? now : Math.min(now, Math.floor(before + catchUp * (elapsed - this.movedAt)));
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
