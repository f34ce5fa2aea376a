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
  writeRollbackGuard,
} from './sqlite-file.ts';
import { WatchedSqliteDialect } from './sqlite-watch.ts';
import type { Executor, Tables } from './tables.ts';

/** The database at one moment, unaffected by later writes. */
export interface ReadSnapshot {
  readonly dialect: Dialect;
  readonly reader: Executor;
  close(): Promise<void>;
}

/** The database file does not exist or is empty. */
export class DatabaseMissing extends Error {}

/**
 * Opens a connection of its own with one read-only transaction, whose snapshot is taken by its
 * first query.
 * @throws DatabaseMissing, DatabaseDamaged
 */
export async function openReadSnapshot(address: DatabaseAddress): Promise<ReadSnapshot> {
  if (address.kind === 'sqlite') return openFileSnapshot(address.file);
  // The driver is imported here, so that commands that read a file do not load it.
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

/** A new SQLite file that is not used before it is complete. */
interface StagedDatabase extends WritableDatabase {
  /** Flushes everything to the disk: one file and its rollback guard. */
  finish(): Promise<void>;
  /** Closes an unfinished file, which is useless. */
  close(): Promise<void>;
}

/**
 * Creates the database in a data folder. Writes do not wait for the disk until `finish`, since an
 * incomplete file is deleted.
 */
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
      // This commit gives the checkpoint something to move; the checkpoint flushes all earlier
      // writes too.
      writeRollbackGuard(opened, file);
      opened.pragma('wal_checkpoint(truncate)');
      await close();
    },
    close,
  };
}
