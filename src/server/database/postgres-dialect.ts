import { PostgresDialect, PostgresDriver } from 'kysely';
import type pg from 'pg';

export class OwnPostgresDialect extends PostgresDialect {
  readonly #pool: pg.Pool;

  constructor(pool: pg.Pool) {
    super({ pool });
    this.#pool = pool;
  }

  override createDriver(): PostgresDriver {
    return new OwnPostgresDriver({ pool: this.#pool });
  }
}

class OwnPostgresDriver extends PostgresDriver {
  /**
   * A lost connection has ended its transaction already: that it cannot be ended again would hide why. The connection
   * is not used again.
   */
  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}

/**
 * Has the errors of connections heard: one that nobody listens to ends the process. Whatever query was on its way, or
 * comes next, says the same.
 */
export function ignorePoolErrors(pool: pg.Pool): void {
  // Those that rest belong to the pool, those in use to nobody.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
}
