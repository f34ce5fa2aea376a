import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../clock.ts';
import type { WritableDatabase } from '../database/connection.ts';
import { migrate } from '../database/migrate.ts';
import { migrations as released } from '../database/migrations.ts';
import { ArchiveRefused, manifestName, readLines, readMemberName } from './archive-format.ts';
import type { CheckedArchive, Member } from './archive-reader.ts';
import { describeMember, readMembers } from './archive-reader.ts';
import { backupRepository } from './backup-repository.ts';
import { formatRows } from './disk.ts';

interface LoadTools {
  clock: Clock;
  report(sentence: string): void;
  signal: AbortSignal;
  /** Called for each file of the archive. */
  createFile(name: string, bytes: Buffer): Promise<void>;
}

/**
 * Fills an empty database: applies the archive's migrations, inserts its rows, then applies the
 * newer migrations. Passes the files to `createFile`.
 * @param id identifies the restore
 * @throws ArchiveRefused if the archive has changed since it was checked, or the database refuses
 * its rows
 */
export async function loadArchive(
  archive: FileHandle,
  checked: CheckedArchive,
  database: WritableDatabase,
  id: string,
  tools: LoadTools,
): Promise<void> {
  const { head } = checked;
  const { clock } = tools;
  const tables = backupRepository.listKeptTables(head.migrations);
  await migrate(
    database,
    clock,
    released.filter(({ name }) => head.migrations.includes(name)),
  );
  await database.write(async (transaction) => {
    for (const { name } of tables.toReversed()) await backupRepository.deleteRows(transaction, name);
  });
  await loadMembers(archive, checked, database, tools);
  const numbers = tables.filter(({ isNumbered }) => isNumbered).map(({ name }) => [name, head.last_numbers[name] ?? 0]);
  await database.write((transaction) =>
    backupRepository.setLastNumbers(transaction, database.dialect, Object.fromEntries(numbers)),
  );
  await migrate(database, clock);
  await database.write(async (transaction) => {
    await backupRepository.withdrawEncoded(transaction);
    await backupRepository.prolongUploads(transaction, Math.max(0, clock.now() - Date.parse(head.created_at)));
    await backupRepository.advanceRevisions(transaction, clock.now());
    await backupRepository.writeRestoreRecord(transaction, id, clock.now());
  });
}

async function loadMembers(
  archive: FileHandle,
  { manifest }: CheckedArchive,
  database: WritableDatabase,
  tools: LoadTools,
): Promise<void> {
  let at = 0;
  let lastTable = '';
  for await (const member of readMembers(archive)) {
    tools.signal.throwIfAborted();
    if (member.name === manifestName) break;
    refuseChanged(member, manifest.members[at]);
    at += 1;
    const kind = readMemberName(member.name);
    if (kind === null || typeof kind === 'string') continue;
    if ('file' in kind) await tools.createFile(kind.file, member.bytes);
    else await loadPart(database, kind.table, member);
    if ('table' in kind && kind.table !== lastTable) {
      lastTable = kind.table;
      tools.report(formatRows(lastTable, manifest.rows[lastTable] ?? 0));
    }
  }
  if (at !== manifest.members.length) throw new ArchiveRefused('It was changed while it was read.');
}

function refuseChanged(member: Member, promised: CheckedArchive['manifest']['members'][number] | undefined): void {
  const found = describeMember(member);
  if (promised === undefined || found.name !== promised.name || found.sha256 !== promised.sha256)
    throw new ArchiveRefused('It was changed while it was read.');
}

async function loadPart(database: WritableDatabase, table: string, member: Member): Promise<void> {
  const rows = readLines(member.bytes, member.name);
  try {
    await database.write((transaction) => backupRepository.insertRows(transaction, database.dialect, table, rows));
  } catch (error) {
    // The database's own message is left out, because it may contain a value of the row.
    if (isRefusal(error))
      throw new ArchiveRefused(`${member.name} holds rows that the database refuses (${error.code}).`);
    throw error;
  }
}

/**
 * True for SQLite's codes for rows that do not fit, and for PostgreSQL's classes 22, 23 and 42:
 * data, constraints, names.
 */
function isRefusal(error: unknown): error is Error & { code: string } {
  return (
    error instanceof Error &&
    'code' in error &&
    /^(SQLITE_(ERROR|CONSTRAINT|MISMATCH|TOOBIG|RANGE)|(22|23|42)...$)/.test(String(error.code))
  );
}
