import { statSync } from 'node:fs';
import { Kysely, SqliteDialect } from 'kysely';
import type { DatabaseAddress, WritableDatabase } from './connection.ts';
import { databaseFile } from './database-address.ts';
import type { Dialect } from './dialect.ts';
import { postgresDialect, sqliteDialect } from './dialect.ts';
import {
  compareWithRollbackGuard,
  openSoundFile,
  openSqliteFile,
  readRollbackGuard,
  WatchedSqliteDialect,
  writeRollbackGuard,
} from './sqlite-file.ts';
import type { Executor, Tables } from './tables.ts';

/** The database as it was at one moment, whatever is written meanwhile. */
export interface ReadSnapshot {
  readonly dialect: Dialect;
  readonly reader: Executor;
  close(): Promise<void>;
}

/** Nothing has been stored there yet. */
export class DatabaseMissing extends Error {}

/**
 * A connection of its own with one transaction, which only reads. Its moment is that of its first query.
 * @throws DatabaseMissing, DatabaseDamaged
 */
export async function openReadSnapshot(address: DatabaseAddress): Promise<ReadSnapshot> {
  if (address.kind === 'sqlite') return openFileSnapshot(address.file);
  // A command that reads a file does not load the driver.
  const { OwnPostgresDialect, openPool } = await import('./postgres-dialect.ts');
  return begin(new Kysely({ dialect: new OwnPostgresDialect(openPool(address.url, 1)) }), postgresDialect);
}

async function openFileSnapshot(file: string): Promise<ReadSnapshot> {
  const guard = readRollbackGuard(file);
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0)
    throw new DatabaseMissing(`There is no database yet: ${file} is missing.`);
  const opened = openSqliteFile(file);
  try {
    opened.pragma('query_only = on');
    compareWithRollbackGuard(opened, file, guard);
    return await begin(new Kysely({ dialect: new SqliteDialect({ database: opened }) }), sqliteDialect);
  } catch (error) {
    opened.close();
    throw error;
  }
}

async function begin(kysely: Kysely<Tables>, dialect: Dialect): Promise<ReadSnapshot> {
  const transaction = await kysely
    .startTransaction()
    .setIsolationLevel('repeatable read')
    .setAccessMode('read only')
    .execute();
  return {
    dialect,
    reader: transaction,
    async close() {
      await transaction.rollback().execute();
      await kysely.destroy();
    },
  };
}

/** A new SQLite file that nobody uses before it is whole. */
interface StagedDatabase extends WritableDatabase {
  /** All of it is on the disk, in one file and its rollback guard. */
  finish(): Promise<void>;
  /** It is of no use. */
  close(): Promise<void>;
}

/** In a data folder. Nothing waits for the disk before the end: a file that is cut off is thrown away. */
export function openStagedDatabase(dataFolder: string): StagedDatabase {
  const file = databaseFile(dataFolder);
  const opened = openSoundFile(file);
  opened.pragma('synchronous = off');
  const kysely = new Kysely<Tables>({ dialect: new WatchedSqliteDialect({ database: opened, onError: () => {} }) });
  const close = async () => {
    await kysely.destroy();
    opened.close();
  };
  return {
    dialect: sqliteDialect,
    write: (work) => kysely.transaction().execute(work),
    async finish() {
      opened.pragma('synchronous = full');
      // A commit, so that the checkpoint has something to move: it waits for the disk with all that came before.
      writeRollbackGuard(opened, file);
      opened.pragma('wal_checkpoint(truncate)');
      await close();
    },
    close,
  };
}
