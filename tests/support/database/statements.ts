import { AsyncLocalStorage } from 'node:async_hooks';
import Sqlite from 'better-sqlite3';
import pg from 'pg';

const statementOfSqlite = Object.getPrototypeOf(new Sqlite(':memory:').prepare('select 1'));
const waysToRun = ['all', 'get', 'iterate', 'run'] as const;

/**
 * Counts the statements that this process sends to a database of either kind, and acts before one of them.
 * @param before given how many were sent before, from 0; it may throw
 * @returns ends the counting
 */
export function watchStatements(before: (sent: number, client: pg.Client | null) => void): () => void {
  let sent = 0;
  const ends: (() => void)[] = [];
  const watch = (kind: object, way: string, clientOf: (self: unknown) => pg.Client | null) => {
    const runs = kind as Record<string, (...given: unknown[]) => unknown>;
    const run = runs[way];
    runs[way] = function (this: unknown, ...given: unknown[]) {
      before(sent, clientOf(this));
      sent += 1;
      return run?.apply(this, given);
    };
    ends.push(() => Object.assign(runs, { [way]: run }));
  };
  // Statements are prepared once, and run often.
  for (const way of waysToRun) watch(statementOfSqlite, way, () => null);
  watch(pg.Client.prototype, 'query', (client) => client as pg.Client);
  return () => {
    for (const end of ends) end();
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
