import { Kysely } from 'kysely';
import type { WritableDatabase } from './connection.ts';
import { postgresDialect } from './dialect.ts';
import { OwnPostgresDialect, openPool } from './postgres-dialect.ts';
import type { Tables } from './tables.ts';

/** All writes to PostgreSQL as one transaction, which can include schema changes. */
interface WholeTransaction extends WritableDatabase {
  commit(): Promise<void>;
  /** Never throws: without a commit nothing has changed. */
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
        // The connection is lost, and the uncommitted writes with it.
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
          // A session that stays open would hold its locks.
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
