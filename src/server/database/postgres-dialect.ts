import { PostgresDialect, PostgresDriver } from 'kysely';
import pg from 'pg';

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

const connectPatienceMs = 5_000;
/** What the server's sessions are called in `pg_stat_activity`, where DATABASE_URL names nothing else. */
const applicationName = 'fourfold';

export function openPool(url: string, max: number): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max,
    connectionTimeoutMillis: connectPatienceMs,
    application_name: applicationName,
    types: { getTypeParser: readIntegersAsNumbers },
  });
  ignorePoolErrors(pool);
  return pool;
}

const int8 = 20;

/** `bigint` comes as text by default; no value of ours is beyond 2^53. */
const readIntegersAsNumbers: pg.CustomTypesConfig['getTypeParser'] = (type, format) =>
  type === int8 ? Number : pg.types.getTypeParser(type, format);

/**
 * Has the errors of connections heard: one that nobody listens to ends the process. Whatever query was on its way, or
 * comes next, says the same.
 */
function ignorePoolErrors(pool: pg.Pool): void {
  // Those that rest belong to the pool, those in use to nobody.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
}
