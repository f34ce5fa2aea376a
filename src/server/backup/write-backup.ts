import type { FileHandle } from 'node:fs/promises';
import { open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Clock } from '../clock.ts';
import type { ReadSnapshot } from '../database/backup-database.ts';
import { DatabaseMissing, openReadSnapshot } from '../database/backup-database.ts';
import type { DatabaseAddress } from '../database/connection.ts';
import { DatabaseIsNewer } from '../database/migrate.ts';
import { migrations as released } from '../database/migrations.ts';
import { openForReading } from '../storage/open-for-reading.ts';
import type { ArchiveHead } from './archive-format.ts';
import {
  ArchiveRefused,
  ArchiveWriter,
  archiveFormat,
  headName,
  operatorFiles,
  readMemberName,
} from './archive-format.ts';
import { checkArchive, readMembers, readOperatorFile } from './archive-reader.ts';
import { backupRepository } from './backup-repository.ts';
import type { Disk, NewFile } from './disk.ts';
import { formatRows, hasCode, partialNameOf, publish } from './disk.ts';

export interface BackupOrder {
  dataFolder: string;
  address: DatabaseAddress;
  /** Absolute path. */
  file: string;
  /** Version of the product. */
  version: string;
  /** Whether to replace an existing file of that name. */
  mayReplace: boolean;
}

export interface BackupTools {
  disk: Disk;
  clock: Clock;
  /** Receives a sentence when a part of the work is done. */
  report(sentence: string): void;
  /** Aborts the work, which then cleans up after itself. */
  signal: AbortSignal;
}

export interface BackupOutcome {
  /** Epoch milliseconds. */
  at: number;
  bytes: number;
  rows: number;
  files: number;
}

/**
 * Writes an archive of the site as it is at one moment, verifies it by reading it, and only then
 * gives it its final name.
 * @throws DatabaseMissing, DatabaseDamaged, DatabaseIsNewer, ArchiveRefused, and errors of the
 * disk; an existing file is then unchanged
 */
export async function writeBackup(order: BackupOrder, tools: BackupTools): Promise<BackupOutcome> {
  const { disk } = tools;
  await refuseTaken(order);
  await disk.makeFolder(dirname(order.file));
  const partial = partialNameOf(order.file);
  const created = await disk.create(partial);
  try {
    const outcome = await fill(created, order, tools);
    const bytes = await verify(partial);
    tools.signal.throwIfAborted();
    await publish(disk, partial, order.file, order.mayReplace);
    return { ...outcome, bytes };
  } catch (error) {
    // The first error is the one to report.
    await disk.remove(partial).catch(() => {});
    throw error;
  }
}

/**
 * Checks that the target does not exist or may be replaced. Only a backup is ever replaced: another
 * file could be anything, even the database.
 * @throws ArchiveRefused, EEXIST
 */
async function refuseTaken({ file, mayReplace }: BackupOrder): Promise<void> {
  try {
    await using handle = await openForReading(Buffer.from(file));
    if (!mayReplace) throw Object.assign(new Error('EEXIST: file already exists'), { code: 'EEXIST', path: file });
    if (!(await isArchive(handle))) throw new ArchiveRefused(`${file} is no backup, and is not replaced.`);
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error;
  }
}

async function fill(file: NewFile, order: BackupOrder, tools: BackupTools): Promise<Omit<BackupOutcome, 'bytes'>> {
  let isWhole = false;
  try {
    const snapshot = await openReadSnapshot(order.address);
    try {
      const outcome = await copy(snapshot, file, order, tools);
      isWhole = true;
      return outcome;
    } finally {
      await snapshot.close();
    }
  } finally {
    await file.close(isWhole);
  }
}

async function copy(
  snapshot: ReadSnapshot,
  file: NewFile,
  { dataFolder, version }: BackupOrder,
  { clock, report, signal }: BackupTools,
): Promise<Omit<BackupOutcome, 'bytes'>> {
  const at = clock.now();
  const head = await describe(snapshot, version, at);
  const writer = new ArchiveWriter(file, new Date(at));
  try {
    await writer.add(headName, Buffer.from(`${JSON.stringify(head, null, 1)}\n`));
    let rows = 0;
    for (const table of backupRepository.listKeptTables(head.migrations)) {
      const count = await writer.addTable(
        table.name,
        untilAborted(backupRepository.readRows(snapshot.reader, table), signal),
      );
      report(formatRows(table.name, count));
      rows += count;
    }
    const files = await addFiles(writer, dataFolder, report);
    await writer.finish();
    return { at, rows, files };
  } finally {
    await writer.abandon();
  }
}

/**
 * Describes the archive. This is the first query of the snapshot, so the snapshot shows the
 * database at this moment.
 */
async function describe({ reader, dialect }: ReadSnapshot, version: string, at: number): Promise<ArchiveHead> {
  const migrations = await backupRepository.readMigrations(reader, dialect);
  if (migrations.length === 0) throw new DatabaseMissing('There is no database yet: nothing has been stored.');
  const known = new Set(released.map(({ name }) => name));
  const unknown = migrations.filter((name) => !known.has(name));
  if (unknown.length > 0) throw new DatabaseIsNewer(unknown);
  return {
    product: 'fourfold',
    format: archiveFormat,
    version,
    created_at: new Date(at).toISOString(),
    database: dialect.kind,
    migrations,
    last_numbers: await backupRepository.readLastNumbers(reader, dialect, backupRepository.listKeptTables(migrations)),
  };
}

async function addFiles(writer: ArchiveWriter, dataFolder: string, report: BackupTools['report']): Promise<number> {
  let files = 0;
  for (const name of operatorFiles) {
    const bytes = await readOperatorFile(dataFolder, name);
    if (bytes === null) continue;
    await writer.add(`files/${name}`, bytes);
    report(name);
    files += 1;
  }
  return files;
}

async function* untilAborted<Item>(items: AsyncIterable<Item>, signal: AbortSignal): AsyncGenerator<Item> {
  for await (const item of items) {
    signal.throwIfAborted();
    yield item;
  }
}

/** @returns the file's size in bytes */
async function verify(file: string): Promise<number> {
  await using handle = await open(file);
  await checkArchive(handle);
  return (await handle.stat()).size;
}

/** Whether a file starts like an archive of any version. */
async function isArchive(file: FileHandle): Promise<boolean> {
  if (!(await file.stat()).isFile()) return false;
  try {
    for await (const { name } of readMembers(file)) return readMemberName(name) === 'head';
  } catch (error) {
    if (!(error instanceof ArchiveRefused)) throw error;
  }
  return false;
}
