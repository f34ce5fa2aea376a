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
    const rollback = async () => {
      try {
        await transaction.rollback().execute();
      } catch {
        // The connection is lost, and with it all that was written.
      }
      await kysely.destroy();
    };
    return {
      dialect: postgresDialect,
      write: (work) => work(transaction),
      async commit() {
        try {
          await transaction.commit().execute();
        } catch (error) {
          // A session that stayed open would hold its locks.
          await rollback();
          throw error;
        }
        await kysely.destroy();
      },
      rollback,
    };
  } catch (error) {
    await kysely.destroy();
    throw error;
  }
}
