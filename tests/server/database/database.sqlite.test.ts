import { chownSync, readdirSync, renameSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { DatabaseBusy, openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

describe('while another process writes to SQLite', () => {
  async function lockedDatabase(writePatienceMs: number) {
    const file = join(temporaryFolder(), 'test.sqlite');
    const database = openDatabase({ kind: 'sqlite', file }, { writePatienceMs });
    onTestFinished(() => database.close());
    await migrate(database, systemClock);
    const other = new Sqlite(file);
    onTestFinished(() => void other.close());
    other.exec('begin immediate');
    const write = () =>
      database.write((transaction) =>
        transaction.insertInto('settings').values({ name: 'a', value: '1', updated_at: 1 }).execute(),
      );
    return { database, other, write };
  }

  test('reads go on, and a write waits for its turn', async () => {
    const { database, other, write } = await lockedDatabase(60_000);
    const written = write();
    await turn();
    expect(await database.reader.selectFrom('settings').selectAll().execute()).toEqual([]);
    other.exec('commit');
    await written;
    expect((await database.reader.selectFrom('settings').selectAll().execute()).length).toBe(1);
  });

  test('a write gives up after a while', async () => {
    const { write } = await lockedDatabase(0);
    await expect(write()).rejects.toBeInstanceOf(DatabaseBusy);
  });
});

test.runIf(process.geteuid?.() === 0)('a command of root leaves all files to the user of the server', async () => {
  const folder = temporaryFolder();
  const file = join(folder, 'test.sqlite');
  await openDatabase({ kind: 'sqlite', file }).close();
  const nobody = 65_534;
  for (const name of readdirSync(folder)) chownSync(join(folder, name), nobody, nobody);
  await openDatabase({ kind: 'sqlite', file }).close();
  const owners = readdirSync(folder).map((name) => [name, statSync(join(folder, name)).uid]);
  expect(owners).toEqual([
    ['test.sqlite', nobody],
    ['test.sqlite-begun', nobody],
  ]);
});

test('a thread for the log that dies is reported, and closing does not wait for it', async () => {
  const file = join(temporaryFolder(), 'test.sqlite');
  const faults: unknown[] = [];
  const database = openDatabase({ kind: 'sqlite', file }, { onFault: (error) => faults.push(error) });
  await migrate(database, systemClock);
  const value = JSON.stringify('x'.repeat(5 * 1_048_576));
  await database.write((transaction) =>
    transaction.insertInto('settings').values({ name: 'long', value, updated_at: 1 }).execute(),
  );
  // The thread is wanted, and finds its file gone.
  renameSync(file, `${file}-aside`);
  await vi.waitFor(() => expect(faults).toHaveLength(1));
  expect(String(faults[0])).toContain('unable to open database file');
  await database.close();
});

describe('a statement that comes again', () => {
  async function openTable() {
    const file = join(temporaryFolder(), 'test.sqlite');
    const database = openDatabase({ kind: 'sqlite', file });
    onTestFinished(() => database.close());
    const other = new Sqlite(file);
    onTestFinished(() => void other.close());
    other.exec("create table boats (name text); insert into boats values ('Erna')");
    const list = async () => (await sql`select * from boats`.execute(database.reader)).rows;
    return { database, other, list };
  }

  test('is prepared once, unless many others came in between', async () => {
    const { database, list } = await openTable();
    const prepare = vi.spyOn(Sqlite.prototype, 'prepare');
    onTestFinished(() => prepare.mockRestore());
    for (let round = 0; round < 3; round += 1) expect(await list()).toEqual([{ name: 'Erna' }]);
    expect(prepare).toHaveBeenCalledTimes(1);
    for (let one = 0; one < 256; one += 1) await sql.raw(`select ${one} as one`).execute(database.reader);
    await list();
    expect(prepare).toHaveBeenCalledTimes(258);
  });

  test('sees a column that was added meanwhile, and what others wrote', async () => {
    const { other, list } = await openTable();
    await list();
    other.exec("alter table boats add column port text; insert into boats values ('Ida', 'Kiel')");
    expect(await list()).toEqual([
      { name: 'Erna', port: null },
      { name: 'Ida', port: 'Kiel' },
    ]);
  });

  test('works again after it was refused', async () => {
    const { database, other, list } = await openTable();
    other.exec('create unique index boats_name on boats (name)');
    const add = (name: string) =>
      database.write((transaction) => sql`insert into boats values (${name})`.execute(transaction));
    await expect(add('Erna')).rejects.toThrow(/UNIQUE/);
    await add('Ida');
    expect(await list()).toEqual([{ name: 'Erna' }, { name: 'Ida' }]);
  });
});

test('the file that keys and hashes lie in is its owner’s alone', async () => {
  const server = await startServer();
  for (const end of ['', '-wal'])
    expect(statSync(join(server.services.env.dataFolder, `fourfold.sqlite${end}`)).mode & 0o777).toBe(0o600);
});
