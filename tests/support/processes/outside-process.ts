import { rmSync } from 'node:fs';
import { createInterface } from 'node:readline';
import Sqlite from 'better-sqlite3';

/*
 * Another program at the database of a server that runs, as `sqlite3` or a backup is: started as a process of its own,
 * with the file as its argument. Each line of its input is what to do, and a name for what that leaves; each is done on
 * a connection of its own, which is closed afterwards. What was found goes to standard output, a line of JSON each.
 */
const file = process.argv[2] ?? '';

const insert = (database: Sqlite.Database, name: string, value: string) =>
  database.prepare('insert into settings (name, value, updated_at) values (?, ?, 1)').run(name, JSON.stringify(value))
    .changes;

const actions: Record<string, (database: Sqlite.Database, name: string) => unknown> = {
  read: (database) => database.prepare('select count(*) from settings').pluck().get(),
  write: (database, name) => insert(database, name, 'written from outside'),
  // More than the server lets its log grow to, so that its thread for checkpoints starts.
  'write much': (database, name) => insert(database, name, 'x'.repeat(6 * 1_048_576)),
  checkpoint: (database) => database.pragma('wal_checkpoint(PASSIVE)'),
  'roll back': (database, name) => {
    database.exec('begin immediate');
    insert(database, name, 'taken back');
    database.exec('rollback');
  },
  async backup(database, name) {
    await database.backup(`${file}-${name}`);
    const copy = new Sqlite(`${file}-${name}`, { readonly: true });
    const found = copy.pragma('integrity_check', { simple: true });
    copy.close();
    rmSync(`${file}-${name}`);
    return found;
  },
  interval: (database) =>
    database.prepare("select value from settings where name = 'switch_interval_seconds'").pluck().get(),
  names: (database) =>
    database.prepare("select name from settings where name like 'outside-%' order by name").pluck().all(),
  check: (database) => database.pragma('integrity_check', { simple: true }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const [action, name] = JSON.parse(line) as [string, string];
  const database = new Sqlite(file, { fileMustExist: true, timeout: 30_000 });
  // The log is the server's to move.
  database.pragma('wal_autocheckpoint = 0');
  const found = await actions[action]?.(database, name);
  database.close();
  console.log(JSON.stringify(found ?? null));
}
