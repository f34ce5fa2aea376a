import { rmSync } from 'node:fs';
import Sqlite from 'better-sqlite3';

/*
 * Another program at the database of a server that runs, as `sqlite3` or a backup is: started as a process of its own. Arguments: the file, what to
 * do with it, and a name for what that leaves. What it finds goes to standard output as JSON.
 */
const [, , file = '', action = '', name = ''] = process.argv;
const database = new Sqlite(file, { fileMustExist: true, timeout: 5_000 });
// The log is the server's to move: a backup or a reader does not get so far, either.
database.pragma('wal_autocheckpoint = 0');

const insert = (value: string) => database.prepare('insert into settings (name, value, updated_at) values (?, ?, 1)').run(name, JSON.stringify(value));

const actions: Record<string, () => unknown> = {
  read: () => database.prepare('select count(*) from settings').pluck().get(),
  write: () => insert('written from outside').changes,
  // More than the server lets its log grow to, so that its thread for checkpoints starts.
  'write much': () => insert('x'.repeat(6 * 1_048_576)).changes,
  checkpoint: () => database.pragma('wal_checkpoint(PASSIVE)'),
  'roll back': () => {
    database.exec('begin immediate');
    insert('taken back');
    database.exec('rollback');
  },
  async backup() {
    await database.backup(`${file}-${name}`);
    const copy = new Sqlite(`${file}-${name}`, { readonly: true });
    const found = copy.pragma('integrity_check', { simple: true });
    copy.close();
    rmSync(`${file}-${name}`);
    return found;
  },
  names: () => database.prepare("select name from settings where name like 'outside-%' order by name").pluck().all(),
  check: () => database.pragma('integrity_check', { simple: true }),
};

const found = await actions[action]?.();
database.close();
console.log(JSON.stringify(found ?? null));
