import { Kysely } from 'kysely';
import type { WritableDatabase } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { OwnPostgresDialect, openPool } from './postgres-dialect.ts';
import type { Tables } from './tables.ts';

/** PostgreSQL, where also changes of the schema are part of a transaction: all that is written is one. */
export interface WholeTransaction extends WritableDatabase {
  commit(): Promise<void>;
  /** Never throws: without a commit nothing has happened. */
  rollback(): Promise<void>;
}

export async function beginWholeTransaction(url: string): Promise<WholeTransaction> {
  const kysely = new Kysely<Tables>({ dialect: new OwnPostgresDialect(openPool(url, 1)) });
  try {
    const transaction = await kysely.startTransaction().execute();
    return {
      dialect: postgresDialect,
      write: (work) => work(transaction),
      async commit() {
        await transaction.commit().execute();
        await kysely.destroy();
      },
      async rollback() {
        try {
          await transaction.rollback().execute();
        } catch {
          // The connection is lost, and with it all that was written.
        }
        await kysely.destroy();
      },
    };
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
}
