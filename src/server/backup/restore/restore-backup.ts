import { existsSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { DatabaseAddress } from '../../database/connection.ts';
import { openReadSnapshot } from '../../database/read-snapshot.ts';
import { createIds } from '../../ids.ts';
import { openForReading } from '../../storage/open-for-reading.ts';
import { ArchiveRefused } from '../archive/archive-format.ts';
import type { CheckedArchive } from '../archive/check-archive.ts';
import { checkArchive } from '../archive/check-archive.ts';
import { listTables } from '../archive/table-repository.ts';
import type { BackupTools } from '../write-backup.ts';
import { loadArchive } from './load-archive.ts';
import { RestoreFolder } from './restore-folder.ts';
import { readRestoreRecord } from './restore-record-repository.ts';
import { RestoreRefused } from './restore-refused.ts';
import type { RestoreTarget } from './restore-target.ts';
import { openTarget } from './restore-target.ts';
import { findSameFiles, refuseUsedFolder } from './used-folder.ts';

export interface RestoreOrder {
  /** Absolute. */
  archive: string;
  dataFolder: string;
  address: DatabaseAddress;
}

/**
 * Puts a site back as an archive has it, into an empty place. All of the archive is checked before anything is written;
 * what is written is seen at the end or not at all.
 * @throws RestoreRefused, ArchiveRefused, and what the disk or the database says; then the place is as it was
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
    // Once more: until here, another restore could have ended.
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

/** All is in its place, but the server does not start while there are traces. */
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

/** @returns files that need not be brought. @throws RestoreRefused where there is a site already */
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
  /** Files that need not be brought. */
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
    // Why it failed is what people read, not what a full disk says to the end of it.
    await target.abandon().catch(() => {});
    throw error;
  }
  await commit(target, folder);
}

/** Whether the database has taken it is not known. */
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

/** What an interrupted restore has left is taken back, or found to be whole. @throws RestoreRefused then */
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
    const tables = await listTables(snapshot.reader, snapshot.dialect);
    return tables.includes('settings') && (await readRestoreRecord(snapshot.reader)) === journal.id;
  } finally {
    await snapshot.close();
  }
}
