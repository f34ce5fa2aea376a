import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { backupRepository } from '#server/backup/backup-repository.ts';
import { systemClock } from '#server/clock.ts';
import { migrate } from '#server/database/migrate.ts';
import { migrations } from '#server/database/migrations.ts';
import { backUp, check, restore } from '#tests/support/backup/commands.ts';
import { archiveName, describeSite, emptyPlace, olderPlace, withDatabase } from '#tests/support/backup/site.ts';
import { changeHead } from '#tests/support/backup/tar.ts';

const older = migrations.filter(({ name }) => name <= '0012-proofs');
const olderNames = older.map(({ name }) => name);

test('an archive of an older version is restored as it was, and then brought forward', async () => {
  const [from, to, file] = [await olderPlace(older), await emptyPlace(), archiveName()];
  await backUp(from, file);
  expect((await check(file)).head.migrations).toEqual(olderNames);
  expect(Object.keys((await check(file)).manifest.rows)).not.toContain('invitations');
  await restore(file, to);
  expect(await withDatabase(to, ({ reader, dialect }) => backupRepository.readMigrations(reader, dialect))).toEqual(
    migrations.map(({ name }) => name),
  );
  const [before, after] = [await describeSite(from, olderNames), await describeSite(to)];
  const usersOf = ({ rows }: typeof before) => rows.users?.map((line) => JSON.parse(line) as object) ?? [];
  // Later columns have their usual values.
  expect(usersOf(after)).toMatchObject(usersOf(before));
  expect(after.rows.invitations).toEqual([]);
  const links = after.rows.video_tags?.map((line) => JSON.parse(line) as Record<string, unknown>) ?? [];
  expect(links.every((link) => link.by_folder === 0)).toBe(true);
  expect(links.map(({ by_folder, ...link }) => JSON.stringify(link))).toEqual(before.rows.video_tags);
  const videos = after.rows.videos?.map((line) => JSON.parse(line) as Record<string, unknown>) ?? [];
  expect(videos.every((video) => video.hidden_at === null && video.header_version === 0)).toBe(true);
  const asBefore = videos.map(({ hidden_at, hidden_by, bit_depth, chroma, needs, header_version, ...video }) => {
    const {
      etag,
      parts_sum,
      found_title,
      found_description,
      edited_title,
      edited_description,
      recorded_at,
      texts_us,
      ...rest
    } = video;
    return JSON.stringify(rest);
  });
  expect(asBefore).toEqual(before.rows.videos);
});

test('removed uploads that were hidden are known by what they hold, also those of an older version', async () => {
  const place = await olderPlace(migrations.filter(({ name }) => name < '0021'));
  const rows = await withDatabase(place, async (database) => {
    await database.write((transaction) =>
      transaction
        .updateTable('removed_uploads')
        .set({ video: JSON.stringify({ fingerprint: 'samples', hidden_at: 1_000 }) })
        .execute(),
    );
    await migrate(database, systemClock);
    return database.reader.selectFrom('removed_uploads').select('hidden_fingerprint').execute();
  });
  expect(rows).toEqual([{ hidden_fingerprint: 'samples' }]);
});

test.each([
  [
    'database',
    { migrations: [...olderNames, '9999-later'], version: '9.9.0' },
    /newer version of Fourfold \(9\.9\.0\).*9999-later/,
  ],
  ['form', { format: 2, version: '9.9.0' }, /newer version of Fourfold \(9\.9\.0\).*its form is 2/],
])('an archive with a newer %s is refused with what is newer', async (_, change, sentence) => {
  const [from, to, file] = [await olderPlace(older), await emptyPlace(), archiveName()];
  await backUp(from, file);
  writeFileSync(file, await changeHead(readFileSync(file), change));
  await expect(restore(file, to)).rejects.toThrow(sentence);
});

test('a database that a newer version has used is not backed up in part', async () => {
  const from = await olderPlace([...older, { name: '9999-later', up: async () => {} }]);
  await expect(backUp(from, archiveName())).rejects.toThrow('newer version of Fourfold (it knows 9999-later');
});

test('a place without a database has nothing to be backed up', async () => {
  await expect(backUp(await emptyPlace(), archiveName())).rejects.toThrow(/There is no database yet/);
});
