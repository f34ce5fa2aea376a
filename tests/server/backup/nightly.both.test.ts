import { copyFileSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { backupStateSchema } from '#contract/entities/site.ts';
import { rotateBackups } from '#server/backup/archive-reader.ts';
import { nextBackupTime, readBackupState } from '#server/backup/backup-repository.ts';
import { isNightlyName, localDisk, manualName, nightlyName } from '#server/backup/disk.ts';
import { backUp, check } from '#tests/support/backup/commands.ts';
import { archiveName, smallPlace } from '#tests/support/backup/site.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const patient = { interval: 20 };
const dayMs = 86_400_000;

async function startWith(backupFolder: string) {
  const clock = settableClock();
  const server = await startServer({
    env: { BACKUP_DIR: backupFolder },
    overrides: { clock, jobTimes: { poll: 20, retryDelay: () => 0 } },
  });
  const state = () => readBackupState(server.services.database.reader, server.services.env, clock.now());
  return { ...server, clock, state };
}

/** Jobs of the kind that ended, by how they did. */
async function endings({ services }: ServerUnderTest): Promise<string[]> {
  const jobs = await services.database.reader
    .selectFrom('jobs')
    .select(['state'])
    .where('kind', '=', 'backup')
    .execute();
  return jobs.map(({ state }) => state);
}

test('a backup is made when the server starts without one, once a night, and is shown with the next time', async () => {
  const folder = join(temporaryFolder(), 'made', 'for it');
  const server = await startWith(folder);
  await server.services.nightlyBackup.start();
  await vi.waitFor(async () => expect(await endings(server)).toEqual(['done']), patient);
  const state = backupStateSchema.parse(await server.state());
  expect(state).toMatchObject({ folder, failure: null, left_out: server.services.env.libraryFolders });
  expect(Date.parse(state.next_at ?? '')).toBe(nextBackupTime(server.clock.now(), 4));
  const [name = ''] = readdirSync(folder);
  expect(state.latest).toEqual({
    at: expect.any(String),
    file: join(folder, name),
    bytes: statSync(join(folder, name)).size,
  });
  expect(isNightlyName(name)).toBe(true);
  await check(join(folder, name));

  await server.services.nightlyBackup.queueWhenDue();
  expect(await endings(server)).toEqual(['done']);
  server.clock.pass(nextBackupTime(server.clock.now(), 4) - server.clock.now());
  await server.services.nightlyBackup.queueWhenDue();
  await vi.waitFor(async () => expect(await endings(server)).toEqual(['done', 'done']), patient);
  expect(readdirSync(folder)).toHaveLength(2);
});

test('a backup that fails is shown and logged, is tried again, and leaves the last good one', async () => {
  const folder = temporaryFolder();
  const server = await startWith(folder);
  await server.services.nightlyBackup.start();
  await vi.waitFor(async () => expect((await server.state()).latest).not.toBeNull(), patient);
  const { latest } = await server.state();
  const good = readdirSync(folder);
  // A folder where its name would have to go; rights say nothing to root.
  server.clock.pass(dayMs);
  mkdirSync(join(folder, nightlyName(server.clock.now())));
  await server.services.nightlyBackup.queueWhenDue();
  await vi.waitFor(async () => expect(await endings(server)).toContain('failed'), patient);
  const state = await server.state();
  expect(state.latest).toEqual(latest);
  expect(state.failure).toEqual({ at: expect.any(String), message: expect.stringMatching(/\w.*\./) });
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(good));
  expect(server.logged()).toContain('the nightly backup failed');
  // Not again before the next night.
  await server.services.nightlyBackup.queueWhenDue();
  expect((await endings(server)).sort()).toEqual(['done', 'failed']);

  server.clock.pass(dayMs);
  await server.services.nightlyBackup.queueWhenDue();
  await vi.waitFor(async () => expect((await server.state()).failure).toBeNull(), patient);
});

test('a backup that is asked for several times at once is made once', async () => {
  const folder = temporaryFolder();
  const first = await startWith(folder);
  const { nightlyBackup } = first.services;
  await Promise.all([nightlyBackup.queueWhenDue(), nightlyBackup.queueWhenDue(), nightlyBackup.queueWhenDue()]);
  await vi.waitFor(async () => expect(await endings(first)).toEqual(['done']), patient);
  expect(readdirSync(folder)).toHaveLength(1);
});

test('without BACKUP_DIR nothing is made or promised', async () => {
  const { services } = await startServer();
  await services.nightlyBackup.start();
  expect(services.jobs.kind('backup')).toBeUndefined();
  expect(await readBackupState(services.database.reader, services.env, 0)).toMatchObject({
    folder: null,
    next_at: null,
    latest: null,
  });
});

test('the newest seven that are whole stay; what is damaged, foreign or asked for by somebody is left alone', async () => {
  const [folder, file] = [temporaryFolder(), archiveName()];
  await backUp(await smallPlace(), file);
  const night = (number: number) => nightlyName(number * dayMs);
  for (let number = 1; number <= 10; number += 1) copyFileSync(file, join(folder, night(number)));
  truncateSync(join(folder, night(9)), 500);
  writeFileSync(join(folder, night(1)), 'not ours, but of that name');
  copyFileSync(file, join(folder, manualName(0)));
  writeFileSync(join(folder, 'letters.txt'), '');
  mkdirSync(join(folder, night(11)));
  expect(await rotateBackups(localDisk, folder, night(10))).toEqual([night(2)]);
  const left = [1, 3, 4, 5, 6, 7, 8, 9, 10, 11].map(night);
  expect(readdirSync(folder).sort()).toEqual([...left, manualName(0), 'letters.txt'].sort());
  expect(await rotateBackups(localDisk, folder, night(10))).toEqual([]);
});

test('the one just made stays, and those of a clock that ran ahead go first', async () => {
  const [folder, file] = [temporaryFolder(), archiveName()];
  await backUp(await smallPlace(), file);
  const night = (number: number) => nightlyName(number * dayMs);
  for (const number of [1, 2, 3_651, 3_652, 3_653, 3_654, 3_655, 3_656, 3_657])
    copyFileSync(file, join(folder, night(number)));
  expect((await rotateBackups(localDisk, folder, night(2))).sort()).toEqual([night(3_651), night(3_652)]);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining([night(1), night(2)]));
});
