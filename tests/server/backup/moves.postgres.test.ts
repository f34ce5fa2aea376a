import { expect, test } from 'vitest';
import { backUp, check, restore } from '#tests/support/backup/commands.ts';
import { archiveName, describeSite, emptyPlace, filledPlace, placeWith } from '#tests/support/backup/site.ts';

test('a site moves from SQLite to PostgreSQL and back by backup and restore, row by row and file by file', async () => {
  const [onSqlite, onPostgres, back] = [await filledPlace('sqlite'), await emptyPlace(), placeWith(undefined)];
  const [first, second] = [archiveName(), archiveName()];
  await backUp(onSqlite, first);
  await restore(first, onPostgres);
  await backUp(onPostgres, second);
  await restore(second, back);
  const { revisions: _, ...rows } = (await describeSite(onSqlite)).rows;
  for (const place of [onPostgres, back]) {
    const { revisions: _counters, ...found } = (await describeSite(place)).rows;
    expect(found).toEqual(rows);
    expect((await describeSite(place)).files).toEqual((await describeSite(onSqlite)).files);
  }
  const isSame = ({ name }: { name: string }) => !/backup.json|revisions/.test(name);
  const [before, after] = [await check(first), await check(second)];
  expect([before.head.database, after.head.database]).toEqual(['sqlite', 'postgres']);
  expect(after.manifest.members.filter(isSame)).toEqual(before.manifest.members.filter(isSame));
  expect(after.head.last_numbers).toEqual(before.head.last_numbers);
});
