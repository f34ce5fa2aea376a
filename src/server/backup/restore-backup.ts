import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import { openReadSnapshot, openStagedDatabase } from '../database/backup-database.ts';
import type { DatabaseAddress, WritableDatabase } from '../database/connection.ts';
import { isDatabaseFile } from '../database/database-address.ts';
import type { Dialect } from '../database/dialect.ts';
import type { Executor } from '../database/tables.ts';
import { createIds } from '../ids.ts';
import { openForReading } from '../storage/open-for-reading.ts';
import { ArchiveRefused, readMemberName } from './archive-format.ts';
import type { CheckedArchive } from './archive-reader.ts';
import { checkArchive, readOperatorFile } from './archive-reader.ts';
import { backupRepository } from './backup-repository.ts';
import type { Disk } from './disk.ts';
import { loadArchive } from './load-archive.ts';
import { isRestoreTrace, RestoreFolder, RestoreRefused } from './restore-folder.ts';
import type { BackupTools } from './write-backup.ts';

interface RestoreOrder {
  /** Absolute path. */
  archive: string;
  dataFolder: string;
  address: DatabaseAddress;
}

/**
 * Restores a site from an archive into an empty data folder or database. The whole archive is
 * checked before anything is written, and the restored site becomes visible all at once or not at
 * all.
 * @throws RestoreRefused, ArchiveRefused, and errors of the disk or the database; the target is
 * then unchanged
 */
export async function restoreBackup(order: RestoreOrder, tools: BackupTools): Promise<CheckedArchive> {
  await using archive = await openForReading(Buffer.from(order.archive));
  if (!(await archive.stat()).isFile()) throw new ArchiveRefused('This is no file.');
  tools.report('Checking the archive …');
  const checked = await checkArchive(archive);
  await undoInterrupted(order, tools);
  await findUsed(order, checked, tools);
  const wasThere = existsSync(order.dataFolder);
  let folder: RestoreFolder | null = null;
  try {
    folder = await RestoreFolder.open(tools.disk, order.dataFolder);
    // The target is checked again, because another restore may have ended in the meantime.
    const same = await findUsed(order, checked, tools);
    await restoreInto(folder, archive, { order, checked, same, tools });
  } catch (error) {
    if (error instanceof CommitUnknown) throw error;
    await folder?.undo().catch(() => folder?.leave());
    if (!wasThere) await tools.disk.removeEmptyFolder(order.dataFolder).catch(() => {});
    throw error;
  }
  await tidyUp(folder);
  return checked;
}

/**
 * Everything is restored, but the leftovers of the restore remain, and the server does not start
 * while they do.
 */
export class RestoreUntidied extends Error {}

async function tidyUp(folder: RestoreFolder): Promise<void> {
  try {
    await folder.close();
  } catch (error) {
    folder.leave();
    const words = error instanceof Error ? error.message : String(error);
    throw new RestoreUntidied(
      `Everything is restored, but the traces of it could not be removed (${words}). Run npm run restore again: it removes them.`,
    );
  }
}

/**
 * @returns names of files that the target already has @throws RestoreRefused if the target contains
 * a site
 */
async function findUsed(
  { address, dataFolder }: RestoreOrder,
  checked: CheckedArchive,
  { disk }: BackupTools,
): Promise<ReadonlySet<string>> {
  if (address.kind === 'postgres') return findSameFiles(dataFolder, checked);
  await refuseUsedFolder(disk, dataFolder);
  return new Set();
}

interface Restore {
  order: RestoreOrder;
  checked: CheckedArchive;
  /** Names of files that the target already has. */
  same: ReadonlySet<string>;
  tools: BackupTools;
}

async function restoreInto(folder: RestoreFolder, archive: FileHandle, restore: Restore): Promise<void> {
  const { order, checked, same, tools } = restore;
  const id = createIds(tools.clock).long();
  const target = await openTarget(order.address, folder.made, tools.disk);
  const files: string[] = [];
  try {
    await loadArchive(archive, checked, target.database, id, {
      ...tools,
      async createFile(name, bytes) {
        if (same.has(name)) return;
        await folder.createFile(name, bytes);
        files.push(name);
      },
    });
    const moves = [...files, ...(await target.finish())];
    tools.signal.throwIfAborted();
    await folder.moveAll({ id, database: order.address.kind, moves });
  } catch (error) {
    // The first error is the one to report, not a later one such as a full disk during the cleanup.
    await target.abandon().catch(() => {});
    throw error;
  }
  await commit(target, folder);
}

/** The connection was lost during the commit, so its outcome is unknown. */
class CommitUnknown extends RestoreRefused {}

async function commit(target: RestoreTarget, folder: RestoreFolder): Promise<void> {
  try {
    await target.commit();
  } catch (error) {
    folder.leave();
    const words = error instanceof Error ? error.message : String(error);
    throw new CommitUnknown(
      `The connection to the database was lost while it took over the rows (${words}). Run npm run restore again: it finds out what has become of them.`,
    );
  }
}

/**
 * Undoes an interrupted restore, or finds that it was complete.
 * @throws RestoreRefused if it was complete
 */
async function undoInterrupted({ dataFolder, address }: RestoreOrder, { disk, report }: BackupTools): Promise<void> {
  if (!RestoreFolder.isLeftIn(dataFolder)) return;
  const folder = await RestoreFolder.open(disk, dataFolder);
  try {
    if (await isWhole(folder, address)) {
      await folder.close();
      throw new RestoreRefused(
        `The restore that was interrupted in ${dataFolder} had put everything into its place; its traces are removed now, and Fourfold can start.`,
      );
    }
    await folder.undo();
  } catch (error) {
    folder.leave();
    throw error;
  }
  report('What an interrupted restore had left is removed.');
}

async function isWhole(folder: RestoreFolder, address: DatabaseAddress): Promise<boolean> {
  const journal = await folder.readJournal();
  if (journal === null) return false;
  if (journal.database === 'sqlite') return folder.hasMovedAll(journal);
  if (address.kind === 'sqlite')
    throw new RestoreRefused('The restore that was interrupted went into PostgreSQL: set DATABASE_URL as it was then.');
  const snapshot = await openReadSnapshot(address);
  try {
    const tables = await backupRepository.listTables(snapshot.reader, snapshot.dialect);
    return tables.includes('settings') && (await backupRepository.readRestoreRecord(snapshot.reader)) === journal.id;
  } finally {
    await snapshot.close();
  }
}

/** The database that a restore fills. Its rows are visible to others only after the end. */
interface RestoreTarget {
  readonly database: WritableDatabase;
  /**
   * Called once all rows are written.
   * @returns the files to move into DATA_DIR; the last one is the database
   */
  finish(): Promise<string[]>;
  /** Called once the files are moved. */
  commit(): Promise<void>;
  /** Discards the rows. */
  abandon(): Promise<void>;
}

/** @throws RestoreRefused if the database is not empty, or in use */
function openTarget(address: DatabaseAddress, madeFolder: string, disk: Disk): Promise<RestoreTarget> {
  return address.kind === 'sqlite' ? openFileTarget(madeFolder, disk) : openServerTarget(address.url);
}

async function openFileTarget(madeFolder: string, disk: Disk): Promise<RestoreTarget> {
  const database = openStagedDatabase(madeFolder);
  return {
    database,
    async finish() {
      await database.finish();
      const files = await disk.list(madeFolder);
      // The database file sorts last: it has the shortest name, which the names of its side files
      // extend.
      return files.filter(isDatabaseFile).sort((a, b) => b.length - a.length);
    },
    commit: async () => {},
    abandon: () => database.close(),
  };
}

const looks = 10;
const lookEveryMs = 100;

/** Checks several times, because a session that has just ended is still listed for a moment. */
async function refuseRunningServer(executor: Executor, dialect: Dialect): Promise<void> {
  for (let look = 1; (await backupRepository.countOtherSessions(executor, dialect)) > 0; look += 1) {
    if (look === looks) throw new RestoreRefused('A server is running on the database of DATABASE_URL. Stop it first.');
    await pause(lookEveryMs);
  }
}

async function openServerTarget(url: string): Promise<RestoreTarget> {
  // The driver is loaded only for a restore into PostgreSQL.
  const { beginWholeTransaction } = await import('../database/whole-transaction.ts');
  const transaction = await beginWholeTransaction(url);
  try {
    await transaction.write(async (executor) => {
      await refuseRunningServer(executor, transaction.dialect);
      const tables = await backupRepository.listTables(executor, transaction.dialect);
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

const namesShown = 3;

/** Folder that the system makes at the root of a disk, where DATA_DIR may be a disk of its own. */
const ofSystem = 'lost+found';

/** @throws RestoreRefused if the data folder contains anything */
async function refuseUsedFolder(disk: Disk, dataFolder: string): Promise<void> {
  const names = (await disk.list(dataFolder)).filter((name) => name !== ofSystem && !isRestoreTrace(name));
  if (names.length === 0) return;
  const shown = names.sort().slice(0, namesShown).join(', ') + (names.length > namesShown ? ', …' : '');
  throw new RestoreRefused(
    `DATA_DIR is not empty: ${dataFolder} holds ${shown}. Nothing is ever replaced: stop the server and move what is there away, or name another folder.`,
  );
}

/**
 * Compares the archive's files with the data folder, which may be in use with a PostgreSQL
 * database, for example for posters.
 * @returns the files that the folder already contains
 * @throws RestoreRefused if it contains a different version of one
 */
async function findSameFiles(dataFolder: string, { manifest }: CheckedArchive): Promise<Set<string>> {
  const same = new Set<string>();
  for (const { name, sha256 } of manifest.members) {
    const kind = readMemberName(name);
    if (kind === null || typeof kind === 'string' || !('file' in kind)) continue;
    const bytes = await readOperatorFile(dataFolder, kind.file);
    if (bytes === null) continue;
    if (createHash('sha256').update(bytes).digest('hex') !== sha256)
      throw new RestoreRefused(
        `${dataFolder} holds another ${kind.file} than the backup. Nothing is ever replaced: move it away first.`,
      );
    same.add(kind.file);
  }
  return same;
}
