import { Kysely } from 'kysely';
import type { WritableDatabase } from './connection.ts';
import { databaseFile } from './database-address.ts';
import { sqliteDialect } from './dialect.ts';
import { writeRollbackGuard } from './rollback-guard.ts';
import { WatchedSqliteDialect } from './sqlite-dialect.ts';
import { openSoundFile } from './sqlite-file.ts';
import type { Tables } from './tables.ts';

/** A new SQLite file that nobody uses before it is whole. */
export interface StagedDatabase extends WritableDatabase {
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
