import { setTimeout as pause } from 'node:timers/promises';
import type { DatabaseAddress, WritableDatabase } from '../../database/connection.ts';
import { isDatabaseFile } from '../../database/database-address.ts';
import type { Dialect } from '../../database/dialect.ts';
import { openStagedDatabase } from '../../database/staged-database.ts';
import type { Executor } from '../../database/tables.ts';
import { countOtherSessions, listTables } from '../archive/table-repository.ts';
import type { Disk } from '../disk.ts';
import { RestoreRefused } from './restore-refused.ts';

/** Where rows are written, unseen until the end. */
export interface RestoreTarget {
  readonly database: WritableDatabase;
  /** All rows are there. @returns the files to be moved into DATA_DIR; the last one brings the database */
  finish(): Promise<string[]>;
  /** After they were moved. */
  commit(): Promise<void>;
  /** Nothing was written. */
  abandon(): Promise<void>;
}

/** @throws RestoreRefused for a database that is not empty, or in use */
export function openTarget(address: DatabaseAddress, madeFolder: string, disk: Disk): Promise<RestoreTarget> {
  return address.kind === 'sqlite' ? openFileTarget(madeFolder, disk) : openServerTarget(address.url);
}

async function openFileTarget(madeFolder: string, disk: Disk): Promise<RestoreTarget> {
  const database = openStagedDatabase(madeFolder);
  return {
    database,
    async finish() {
      await database.finish();
      const files = await disk.list(madeFolder);
      // The names of what stands beside the file begin with its own: it is the shortest.
      return files.filter(isDatabaseFile).sort((a, b) => b.length - a.length);
    },
    commit: async () => {},
    abandon: () => database.close(),
  };
}

const looks = 10;
const lookEveryMs = 100;

/** A session that has just ended is listed for a moment. */
async function refuseRunningServer(executor: Executor, dialect: Dialect): Promise<void> {
  for (let look = 1; (await countOtherSessions(executor, dialect)) > 0; look += 1) {
    if (look === looks) throw new RestoreRefused('A server is running on the database of DATABASE_URL. Stop it first.');
    await pause(lookEveryMs);
  }
}

async function openServerTarget(url: string): Promise<RestoreTarget> {
  // A restore into a file does not load the driver.
  const { beginWholeTransaction } = await import('../../database/whole-transaction.ts');
  const transaction = await beginWholeTransaction(url);
  try {
    await transaction.write(async (executor) => {
      await refuseRunningServer(executor, transaction.dialect);
      const tables = await listTables(executor, transaction.dialect);
      if (tables.length > 0)
        throw new RestoreRefused(
          `The database of DATABASE_URL is not empty (it has the table ${tables[0]}). Nothing is ever replaced: name an empty one.`,
        );
    });
  } catch (error) {
    await transaction.rollback();
    throw error;
  }
  return {
    database: transaction,
    finish: async () => [],
    commit: () => transaction.commit(),
    abandon: () => transaction.rollback(),
  };
}
