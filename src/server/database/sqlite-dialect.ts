import type Sqlite from 'better-sqlite3';
import type { CompiledQuery as Compiled, DatabaseConnection } from 'kysely';
import { CompiledQuery, SqliteDialect, SqliteDriver } from 'kysely';

interface WatchedConfig {
  database: Sqlite.Database;
  /** Hears what statements are refused with. */
  onError: (error: unknown) => void;
}

export class WatchedSqliteDialect extends SqliteDialect {
  readonly #config: WatchedConfig;

  constructor(config: WatchedConfig) {
    super(config);
    this.#config = config;
  }

  override createDriver(): SqliteDriver {
    return new WatchedSqliteDriver(this.#config);
  }
}

class WatchedSqliteDriver extends SqliteDriver {
  readonly #config: WatchedConfig;

  constructor(config: WatchedConfig) {
    super(config);
    this.#config = config;
  }

  override async acquireConnection(): Promise<DatabaseConnection> {
    return watched(await super.acquireConnection(), this.#config.onError);
  }

  /**
   * A deferred transaction that turns into a writer half-way can be refused there; `begin immediate` is refused at its
   * start or not at all.
   */
  override async beginTransaction(connection: DatabaseConnection): Promise<void> {
    await connection.executeQuery(CompiledQuery.raw('begin immediate'));
  }

  /** A full disk or a broken page has ended the transaction already; to end it again would hide why. */
  override async rollbackTransaction(connection: DatabaseConnection): Promise<void> {
    if (this.#config.database.inTransaction) await super.rollbackTransaction(connection);
  }
}

function watched(connection: DatabaseConnection, onError: (error: unknown) => void): DatabaseConnection {
  return {
    streamQuery: connection.streamQuery.bind(connection),
    async executeQuery<Row>(query: Compiled) {
      try {
        return await connection.executeQuery<Row>(query);
      } catch (error) {
        onError(error);
        throw error;
      }
    },
  };
}
