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

const committing = new WeakMap<object, Promise<unknown>>();
const query = pg.Client.prototype.query as (this: object, ...values: unknown[]) => Promise<unknown>;

pg.Client.prototype.query = function (this: object, ...values: unknown[]): Promise<unknown> {
  const before = committing.get(this) ?? Promise.resolve();
  if (values[0] !== 'commit' || !isEarly) return before.then(() => query.apply(this, values));
  const commit = wait(lateMs).then(() => query.apply(this, values));
  committing.set(
    this,
    commit.catch(() => {}),
  );
  return Promise.resolve({ command: 'COMMIT', rows: [], rowCount: null });
} as typeof pg.Client.prototype.query;
