import { sql } from 'kysely';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { Database, DatabaseAddress } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { DatabaseIsNewer, migrate } from '#server/database/migrate.ts';
import type { Migration } from '#server/database/migration.ts';
import { migrations } from '#server/database/migrations.ts';
import { SetChanges } from '#server/id-sets/set-changes.ts';
import { loadSecrets } from '#server/secrets.ts';
import { freshDatabase } from '#tests/support/database/test-database.ts';
import { addRoot, addVideos } from '../id-sets/id-sets-library.ts';

function open(address: DatabaseAddress, options = {}): Database {
  const database = openDatabase(address, options);
  onTestFinished(() => database.close());
  return database;
}

describe('migrating', () => {
  test('a second time changes nothing', async () => {
    const database = open(await freshDatabase());
    expect(await migrate(database, systemClock)).toEqual(migrations.map((migration) => migration.name));
    expect(await migrate(database, systemClock)).toEqual([]);
  });

  test('from several nodes at once applies each migration once', async () => {
    const address = await freshDatabase();
    const applied = await Promise.all(Array.from({ length: 4 }, () => migrate(open(address), systemClock)));
    expect(applied.flat().sort()).toEqual(migrations.map((migration) => migration.name));
  });

  test('a database that a newer version has used is refused in plain words', async () => {
    const database = open(await freshDatabase());
    await migrate(database, systemClock);
    await database.write((transaction) =>
      transaction.insertInto('migrations').values({ name: '9999-later', applied_at: 1 }).execute(),
    );
    const refusal = await migrate(database, systemClock).catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(DatabaseIsNewer);
    expect(String(refusal)).toContain('newer version of Fourfold');
  });

  test('to the index of names marks every video that is there to be taken in', async () => {
    const database = open(await freshDatabase());
    const first = migrations.findIndex((migration) => migration.name === '0014-search');
    await migrate(database, systemClock, migrations.slice(0, first));
    const numbers = await database.write(async (transaction) => {
      await addRoot(transaction);
      return addVideos(transaction, new SetChanges(), 3);
    });
    await migrate(database, systemClock);
    const marks = await database.reader.selectFrom('unindexed_names').select('video_number').execute();
    expect(marks.map((mark) => mark.video_number)).toEqual(numbers);
  });

  test('that fails half-way leaves the schema of before', async () => {
    const database = open(await freshDatabase());
    const failing: Migration = {
      name: '0002-failing',
      async up(transaction) {
        await transaction.schema.createTable('half').addColumn('a', 'text').execute();
        throw new Error('power cut');
      },
    };
    await expect(migrate(database, systemClock, [...migrations, failing])).rejects.toThrow('power cut');
    await expect(sql`select * from half`.execute(database.reader)).rejects.toThrow(/half/);
    expect(await migrate(database, systemClock)).toEqual([]);
  });
});

test('signing keys are made once, whichever node comes first', async () => {
  const address = await freshDatabase();
  await migrate(open(address), systemClock);
  const secrets = await Promise.all(Array.from({ length: 4 }, () => loadSecrets(open(address), systemClock)));
  const keys = new Set(secrets.map(({ mediaUrls }) => mediaUrls.toString('hex')));
  expect(keys.size).toBe(1);
  expect(secrets[0]?.mediaUrls.length).toBe(32);
});

test('numbers of videos are never given out again', async () => {
  const database = open(await freshDatabase());
  await migrate(database, systemClock);
  const numbers = await database.write(async (transaction) => {
    const root = await transaction
      .insertInto('library_roots')
      .values({ name: 'a', folder: '/a', kind: 'folder', active: 1, created_at: 1 })
      .returning('number')
      .executeTakeFirstOrThrow();
    const add = (id: string) =>
      transaction
        .insertInto('videos')
        .values({
          id,
          root_number: root.number,
          path: id,
          filename: id,
          size: 2 ** 40,
          modified_us: 1,
          available: 1,
          created_at: 1,
        })
        .returning(['number', 'size'])
        .executeTakeFirstOrThrow();
    const first = await add('first');
    await transaction.deleteFrom('videos').execute();
    return { first, second: await add('second') };
  });
  expect(numbers.second.number).toBeGreaterThan(numbers.first.number);
  expect(numbers.second.size).toBe(2 ** 40);
});
