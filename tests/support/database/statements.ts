import { AsyncLocalStorage } from 'node:async_hooks';
import Sqlite from 'better-sqlite3';
import pg from 'pg';

/**
 * Counts the statements that this process sends to a database of either kind, and acts before one of them.
 * @param before given how many were sent before, from 0; it may throw
 * @returns ends the counting
 */
export function watchStatements(before: (sent: number, client: pg.Client | null) => void): () => void {
  let sent = 0;
  const { prepare } = Sqlite.prototype;
  const { query } = pg.Client.prototype;
  Sqlite.prototype.prepare = function (this: Sqlite.Database, source: string) {
    before(sent, null);
    sent += 1;
    return prepare.call(this, source);
  } as typeof prepare;
  pg.Client.prototype.query = function (this: pg.Client, ...given: unknown[]) {
    before(sent, this);
    sent += 1;
    return (query as (...all: unknown[]) => unknown).apply(this, given);
  } as typeof query;
  return () => {
    Sqlite.prototype.prepare = prepare;
    pg.Client.prototype.query = query;
  };
}

const countedRuns = 20;

/**
 * How many statements some work sends; those of the background are not counted. Of several runs, the fewest: the
 * counters of each answer are read once a second by whoever comes first.
 * @param before each run; what it sends is not counted
 */
export async function countStatements(
  work: () => Promise<unknown>,
  before: () => Promise<unknown> = async () => {},
): Promise<number> {
  const ours = new AsyncLocalStorage<true>();
  const counts: number[] = [];
  for (let run = 0; run < countedRuns; run += 1) {
    await before();
    let statements = 0;
    const stop = watchStatements(() => {
      if (ours.getStore() === true) statements += 1;
    });
    await ours.run(true, work).finally(stop);
    counts.push(statements);
  }
  return Math.min(...counts);
}
