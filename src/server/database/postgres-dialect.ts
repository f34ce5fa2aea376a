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
   * A lost connection has already ended its transaction. An error of this rollback would hide the
   * original one, and the connection is not used again.
   */
  override async rollbackTransaction(connection: Parameters<PostgresDriver['rollbackTransaction']>[0]): Promise<void> {
    await super.rollbackTransaction(connection).catch(() => {});
  }
}

/** How long a query waits for a connection. */
export const connectPatienceMs = 5_000;
/** The name of the server's sessions in `pg_stat_activity`, unless DATABASE_URL sets another. */
const applicationName = 'fourfold';

/** @param statementMs ends statements that take longer; absent: none */
export function openPool(url: string, max: number, statementMs?: number): pg.Pool {
  const pool = new pg.Pool({
    ...(statementMs !== undefined && { statement_timeout: statementMs }),
    connectionString: url,
    max,
    connectionTimeoutMillis: connectPatienceMs,
    application_name: applicationName,
    types: { getTypeParser: readIntegersAsNumbers },
  });
  ignorePoolErrors(pool);
  connectThroughPoolers(pool);
  return pool;
}

/**
 * A pooler between this process and PostgreSQL may refuse settings of a session, which it cannot
 * keep. Its operator then limits statements, if anybody does.
 */
function connectThroughPoolers(pool: pg.Pool): void {
  const connect: () => Promise<pg.PoolClient> = pool.connect.bind(pool);
  const connectAgain = async () => {
    try {
      return await connect();
    } catch (error) {
      const isRefused = error instanceof Error && error.message.includes('unsupported startup parameter');
      if (!isRefused) throw error;
      pool.options.statement_timeout = undefined;
      return connect();
    }
  };
  pool.connect = connectAgain as typeof pool.connect;
}

const int8 = 20;

/** pg returns `bigint` as text by default; no stored value exceeds 2^53. */
const readIntegersAsNumbers: pg.CustomTypesConfig['getTypeParser'] = (type, format) =>
  type === int8 ? Number : pg.types.getTypeParser(type, format);

/**
 * Handles the errors of connections: an `error` event without a listener would end the process. The
 * current or the next query fails with the same error.
 */
function ignorePoolErrors(pool: pg.Pool): void {
  // The pool reports the errors of idle connections, but not of those in use.
  pool.on('error', () => {});
  pool.on('connect', (client) => client.on('error', () => {}));
}
