import { readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { backupRepository, tableRules } from '#server/backup/backup-repository.ts';
import { localDisk } from '#server/backup/disk.ts';
import { restoreBackup } from '#server/backup/restore-backup.ts';
import type { Database } from '#server/database/connection.ts';
import { differences, readTruth } from '#tests/server/id-sets/id-sets-library.ts';
import { backUp, check, restore } from '#tests/support/backup/commands.ts';
import type { Place } from '#tests/support/backup/site.ts';
import { archiveName, describeSite, emptyPlace, filledPlace, withDatabase } from '#tests/support/backup/site.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';

test('every table of the schema is either in an archive or left out for a reason', async () => {
  const place = await filledPlace();
  const tables = await withDatabase(place, ({ reader, dialect }) => backupRepository.listTables(reader, dialect));
  expect(Object.keys(tableRules).sort()).toEqual(tables);
});

test('a restored site has every row and every file of the backup, and counters that no device has seen', async () => {
  const [from, to, file] = [await filledPlace(), await emptyPlace(), archiveName()];
  await backUp(from, file);
  await restore(file, to);
  const [before, after] = [await describeSite(from), await describeSite(to)];
  const { revisions, ...rows } = after.rows;
  expect({ ...after, rows: { ...rows, revisions: before.rows.revisions } }).toEqual(before);
  expect(rows.videos?.length).toBeGreaterThan(600);
  expect(rows.duplicates?.length).toBe(2);
  expect(rows.jobs).toEqual([expect.stringContaining('tag-removal')]);
  const counters = revisions?.map((line) => JSON.parse(line).value as number) ?? [];
  expect(counters.length).toBe(3);
  for (const counter of counters) expect(counter).toBeGreaterThan(1_700_000_000);
  expect(statSync(join(to.dataFolder, 'tls')).mode & 0o777).toBe(0o700);
  expect(statSync(join(to.dataFolder, 'tls/authority.key')).mode & 0o777).toBe(0o600);
});

test('what plays by an encoding alone waits for a new one in a restored site', async () => {
  const [from, to, file] = [await filledPlace(), await emptyPlace(), archiveName()];
  const setReason = (videos: number[], reason: string) =>
    withDatabase(from, (database) =>
      database.write((transaction) =>
        transaction.updateTable('videos').set({ reason, available: 1 }).where('number', 'in', videos).execute(),
      ),
    );
  await setReason([12, 14], 'container_avi');
  await backUp(from, file);
  await restore(file, to);
  const available = await withDatabase(to, ({ reader }) =>
    reader
      .selectFrom('videos')
      .select(['number', 'available'])
      .where('number', 'in', [12, 14, 16])
      .orderBy('number')
      .execute(),
  );
  expect(available.map((video) => video.available)).toEqual([0, 0, 1]);
});

test('an upload that was open in a backup has as long after a restore as it had then', async () => {
  const [from, to, file] = [await filledPlace(), await emptyPlace(), archiveName()];
  const clock = settableClock();
  const activeAt = clock.now() - 3_600_000;
  const sessions = ({ reader }: Database) =>
    reader.selectFrom('upload_sessions').select(['state', 'active_at']).orderBy('active_at').execute();
  await withDatabase(from, (database) =>
    database.write((transaction) =>
      transaction.updateTable('upload_sessions').set({ state: 'open', active_at: activeAt }).execute(),
    ),
  );
  await backUp(from, file);
  const threeDaysMs = 3 * 86_400_000;
  clock.pass(threeDaysMs);
  const tools = { disk: localDisk, clock, report: () => {}, signal: new AbortController().signal };
  await restoreBackup({ ...to, archive: file }, tools);
  const [session] = await withDatabase(to, sessions);
  expect(session?.state).toBe('open');
  const idleMs = clock.now() - (session?.active_at ?? 0);
  expect(idleMs).toBeGreaterThan(3_500_000);
  expect(idleMs).toBeLessThan(7_200_000);
});

test('numbers that were given out before a backup do not come back after it', async () => {
  const [from, to, file] = [await filledPlace(), await emptyPlace(), archiveName()];
  await backUp(from, file);
  await restore(file, to);
  const number = await withDatabase(to, async (database) => {
    const { number } = await database.write((transaction) =>
      transaction
        .insertInto('videos')
        .values({
          id: 'new',
          root_number: 3,
          path: 'new',
          filename: 'new',
          size: 1,
          modified_us: 1,
          available: 1,
          created_at: 1,
        })
        .returning('number')
        .executeTakeFirstOrThrow(),
    );
    return number;
  });
  expect(number).toBe(1_409);
});

test('an archive is the same whenever it is made, but for its head', async () => {
  const place = await filledPlace();
  const [first, second] = [archiveName(), archiveName()];
  await backUp(place, first);
  await backUp(place, second);
  const [one, other] = [await check(first), await check(second)];
  expect(one.manifest.members.slice(1)).toEqual(other.manifest.members.slice(1));
  expect(one.manifest.rows).toEqual(other.manifest.rows);
});

test('a server starts on what was restored, with its sets, and remembers the new database', async () => {
  const [from, to, file] = [await filledPlace(), await emptyPlace(), archiveName()];
  await backUp(from, file);
  await restore(file, to);
  const env = { DATA_DIR: to.dataFolder, ...(to.address.kind === 'sqlite' ? {} : { DATABASE_URL: to.address.url }) };
  const { services } = await startServer({ env });
  expect(differences(services.idSets, await readTruth(services.database))).toEqual([]);
  const secret = await services.database.reader
    .selectFrom('secrets')
    .select('value')
    .where('name', '=', 'media_urls')
    .executeTakeFirst();
  expect(secret?.value).toBe('secret of the site');
});

test('an archive is private, is not replaced unasked, and takes the place of no other file', async () => {
  const [place, file] = [await filledPlace(), archiveName()];
  await backUp(place, file);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  await expect(backUp(place, file)).rejects.toMatchObject({ code: 'EEXIST' });
  const other = archiveName();
  writeFileSync(other, 'letters');
  await expect(backUp(place, other)).rejects.toMatchObject({ code: 'EEXIST' });
});

test('a link among the files of the operator that leads to the database is not followed', async () => {
  const place = await filledPlace();
  if (place.address.kind !== 'sqlite') return;
  rmSync(join(place.dataFolder, 'eula.md'));
  symlinkSync(place.address.file, join(place.dataFolder, 'eula.md'));
  await expect(backUp(place, archiveName())).rejects.toThrow('opened by SQLite alone');
});

test('the secrets of settings travel sealed in a backup, and hold again in a restored site', async () => {
  const [from, to, file] = [await filledPlace(), await emptyPlace(), archiveName()];
  const envOf = ({ dataFolder, address }: Place) => ({
    DATA_DIR: dataFolder,
    ...(address.kind === 'sqlite' ? {} : { DATABASE_URL: address.url }),
  });
  const server = await startServer({ env: envOf(from) });
  const { headers } = await putPerson(server, 'keeper', 'admin');
  const values = {
    SITE_PASSWORD: 'a word that nobody reads',
    PUBLIC_URL: 'https://videos.example.org',
    GITHUB_CLIENT_ID: 'the id of github',
    GITHUB_CLIENT_SECRET: 'the key of github',
  };
  expect((await server.call('PUT', '/api/admin/settings', { headers, payload: { values } })).statusCode).toBe(200);
  await backUp(from, file);
  const archive = gunzipSync(readFileSync(file)).toString('latin1');
  expect(archive).toContain('the id of github');
  expect(archive).not.toContain('a word that nobody reads');
  expect(archive).not.toContain('the key of github');

  await restore(file, to);
  const { services, get } = await startServer({ env: envOf(to) });
  expect(services.env).toMatchObject({
    sitePassword: 'a word that nobody reads',
    providers: { github: { clientId: 'the id of github', clientSecret: 'the key of github' } },
  });
  expect((await get('/api/config')).json().error).toBe('site_password_required');
});
