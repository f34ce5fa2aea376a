import { once } from 'node:events';
import Sqlite from 'better-sqlite3';

/*
 * Another program that writes to a SQLite file: it holds the file until its input ends. Argument: the file. It prints a
 * line once it does.
 */
const database = new Sqlite(process.argv[2] ?? '');
database.exec('begin immediate');
console.log('held');
process.stdin.resume();
await once(process.stdin, 'end');
database.exec('commit');
database.close();
