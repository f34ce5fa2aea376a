/**
 * Loaded into a node before its own code, a fault that the checker has to find: between two signals, writes are
 * answered before their commit.
 */
import { setTimeout as wait } from 'node:timers/promises';
import pg from 'pg';

const lateMs = 3_000;
let isEarly = false;
process.on('SIGUSR2', () => {
  isEarly = !isEarly;
});

interface Lent {
  query(...values: unknown[]): Promise<unknown>;
  /** As the pool has set it when it lent the connection. */
  release(error?: Error | boolean): void;
}

const query = pg.Client.prototype.query as Lent['query'];

pg.Client.prototype.query = function (this: Lent, ...values: unknown[]): Promise<unknown> {
  if (values[0] !== 'commit' || !isEarly) return query.apply(this, values);
  const commit = wait(lateMs).then(() => query.apply(this, values));
  const release = this.release.bind(this);
  // What follows takes other connections, and sees the database as it is.
  this.release = (error) => void commit.then(() => release(error), release);
  return Promise.resolve({ command: 'COMMIT', rows: [], rowCount: null });
} as typeof pg.Client.prototype.query;
