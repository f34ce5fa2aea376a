import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { backupRepository } from '#server/backup/backup-repository.ts';
import { describeRestoreFailure } from '#server/backup/describe-failure.ts';
import { localDisk } from '#server/backup/disk.ts';
import { RestoreUntidied } from '#server/backup/restore-backup.ts';
import { RestoreRefused } from '#server/backup/restore-folder.ts';
import { backUp, check, restore } from '#tests/support/backup/commands.ts';
import { FailingDisk } from '#tests/support/backup/failing-disk.ts';
import type { Place } from '#tests/support/backup/site.ts';
import { archiveName, describeSite, emptyPlace, smallPlace, withDatabase } from '#tests/support/backup/site.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { tryFaultPoints } from '#tests/support/soak.ts';

/** Every file of a place, and on PostgreSQL the tables of its database. */
async function describePlace({ address, dataFolder }: Place): Promise<string[]> {
  const files = existsSync(dataFolder) ? readdirSync(dataFolder, { recursive: true }).map(String) : [];
  if (address.kind === 'sqlite') return files;
  return [
    ...files,
    ...(await withDatabase({ address, dataFolder }, ({ reader, dialect }) =>
      backupRepository.listTables(reader, dialect),
    )),
  ];
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => null,
    (error: unknown) => error,
  );
}

test('a disk that fails at any call of a backup leaves no archive, or a whole one, and nothing beside it', async () => {
  const place = await smallPlace();
  const calls = await tryFaultPoints(3, async (at) => {
    const [disk, file] = [new FailingDisk(at), archiveName()];
    const error = await failureOf(backUp(place, file, disk));
    if (disk.calls <= at) return false;
    const left = readdirSync(dirname(file));
    // The very last calls come after it has got its name.
    if (left.includes('site.tar.gz')) await check(file);
    else expect([left, error]).toEqual([[], expect.objectContaining({ code: 'ENOSPC' })]);
    return true;
  });
  expect(calls).toBeGreaterThan(6);
});

test('a database that fails at any statement of a backup leaves no archive', async () => {
  const place = await smallPlace();
  await tryFaultPoints(6, async (at) => {
    const file = archiveName();
    let isCut = false;
    const stop = watchStatements((sent) => {
      if (sent !== at) return;
      isCut = true;
      throw new Error('planted');
    });
    const error = await failureOf(backUp(place, file)).finally(stop);
    if (error !== null) expect(readdirSync(dirname(file))).toEqual([]);
    else if (isCut) await check(file);
    return isCut;
  });
});

/** What a failed restore has left: nothing, or what the next one undoes or finds whole. */
async function expectUndone(to: Place, file: string, error: unknown): Promise<void> {
  expect(describeRestoreFailure(error, { archive: file, dataFolder: to.dataFolder })).toMatch(/^\S.{10,}[.:]/);
  const left = await describePlace(to);
  if (error instanceof RestoreUntidied) expect(await failureOf(restore(file, to))).toBeInstanceOf(RestoreRefused);
  else if (left.includes('restoring')) await restore(file, to);
  else expect(left).toEqual([]);
}

test('a disk that fails at any call of a restore leaves the place empty, or says what the next restore does', async () => {
  const [from, file] = [await smallPlace(), archiveName()];
  await backUp(from, file);
  const rows = (await describeSite(from)).rows.users;
  const calls = await tryFaultPoints(10, async (at) => {
    const [disk, to] = [new FailingDisk(at), await emptyPlace()];
    const error = await failureOf(restore(file, to, disk));
    if (error !== null) await expectUndone(to, file, error);
    if (error === null || error instanceof RestoreUntidied) expect((await describeSite(to)).rows.users).toEqual(rows);
    return disk.calls > at;
  });
  expect(calls).toBeGreaterThan(40);
});

test('a disk that fails for good at any call leaves what the next restore undoes, or finds whole', async () => {
  const [from, file] = [await smallPlace(), archiveName()];
  await backUp(from, file);
  const { rows, files } = await describeSite(from);
  // Earlier points are those of the test above: no rows are there yet.
  await tryFaultPoints(12, async (point) => {
    const at = 20 + point;
    const [disk, to] = [new FailingDisk(at, undefined, true), await emptyPlace()];
    const error = await failureOf(restore(file, to, disk));
    if (error === null) return disk.calls > at;
    // The very last calls make sure that the traces are gone: then there is a whole site, and nothing to undo.
    const isGone = error instanceof RestoreUntidied && !readdirSync(to.dataFolder).includes('restoring');
    const again = await failureOf(restore(file, to));
    if (again !== null) expect(String(again)).toMatch(isGone ? /is not empty/ : /had put everything/);
    const found = await describeSite(to);
    expect([found.rows.users, found.files]).toEqual([rows.users, files]);
    return disk.calls > at;
  });
});

/** Whether a restore has come so far that the next one finds it whole. */
function hasMovedAll({ dataFolder }: Place): boolean {
  const made = join(dataFolder, 'restoring', 'new');
  if (!existsSync(made)) return false;
  return readdirSync(made, { recursive: true, withFileTypes: true }).every((entry) => entry.isDirectory());
}

test('a disk that has no free byte from any call of a restore on, for good, is left as it was, and the message says so', async () => {
  const [from, file] = [await smallPlace(), archiveName()];
  await backUp(from, file);
  const refuse = async (at: number) => {
    const to = await emptyPlace();
    rmSync(to.dataFolder, { recursive: true });
    const disk = new FailingDisk(at, undefined, 'full');
    const error = await failureOf(restore(file, to, disk));
    if (error === null) return false;
    const words = describeRestoreFailure(error, { archive: file, dataFolder: to.dataFolder });
    if (!(error instanceof RestoreUntidied) && !hasMovedAll(to)) {
      expect([await describePlace(to), existsSync(to.dataFolder)]).toEqual([[], false]);
      expect(words).toBe(`There is no room on the disk of ${to.dataFolder}. What was made there is removed again.`);
    } else expect(words).toContain('Run npm run restore again');
    return disk.calls > at;
  };
  // Not even the first folder, and not the journal.
  for (const at of [0, 1, 2, 3]) await refuse(at);
  await tryFaultPoints(10, refuse);
});

test('a database that fails at any statement of a restore leaves the place empty, and the next restore is whole', async () => {
  const [from, file, to] = [await smallPlace(), archiveName(), await emptyPlace()];
  await backUp(from, file);
  const rows = (await describeSite(from)).rows.users;
  await tryFaultPoints(40, async (at) => {
    let isCut = false;
    const stop = watchStatements((sent) => {
      if (sent !== at) return;
      isCut = true;
      throw new Error('planted');
    });
    const error = await failureOf(restore(file, to)).finally(stop);
    // At the commit itself nobody knows whether it was taken: the next restore finds out.
    if (error instanceof RestoreRefused) expect(error.message).toContain('Run npm run restore again');
    else if (error !== null) expect(await describePlace(to)).toEqual([]);
    return isCut && error !== null;
  });
  expect((await describeSite(to)).rows.users).toEqual(rows);
});

test('a backup and a restore that are stopped leave nothing', async () => {
  const [from, to, file] = [await smallPlace(), await emptyPlace(), archiveName()];
  const stopped = AbortSignal.abort();
  await expect(backUp(from, file, localDisk, stopped)).rejects.toMatchObject({ name: 'AbortError' });
  expect(readdirSync(dirname(file))).toEqual([]);
  await backUp(from, file);
  await expect(restore(file, to, localDisk, stopped)).rejects.toMatchObject({ name: 'AbortError' });
  expect(await describePlace(to)).toEqual([]);
});

test('the archive itself is only read', async () => {
  const [from, to, file] = [await smallPlace(), await emptyPlace(), archiveName()];
  await backUp(from, file);
  const before = readFileSync(file);
  await restore(file, to);
  expect(readFileSync(file).equals(before)).toBe(true);
});
