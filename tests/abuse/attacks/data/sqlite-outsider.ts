import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { RandomBelow } from '#server/ids.ts';
import type { Attack } from '../../attack.ts';
import { createFindings } from '../../findings.ts';
import { databaseFile } from '../../rows.ts';
import type { Target } from '../../target.ts';
import { writeBeside } from '../../writers.ts';

/**
 * Another program (this one) reads, backs up, copies and writes the database while people save; then the product is
 * killed, or stopped.
 */
export const sqliteOutsider: Attack = {
  name: 'sqlite-outsider',
  databases: ['sqlite'],
  short: ['sqlite'],
  setting: 'home',
  endsProduct: true,
  async run(target, random, budget) {
    const findings = createFindings();
    // No answer, while the process was away.
    await writeBeside(target, 2, findings, [200, 0], async (writers) => {
      for (let turn = 0; turn < budget.count(1, 2); turn += 1) {
        await writers.untilWritten(5);
        for (const act of shuffle([read, copy, write, backUp, askByShell], random)) {
          await act(target);
          findings.expect(isLocked(target), `the product's locks are gone after ${act.name}`, 'loss');
        }
        await writers.untilWritten(5);
        await writers.surviveEnd(turn % 2 === 0 ? 'SIGKILL' : 'SIGTERM');
      }
    });
    findings.expect(isWhole(target), 'the file is malformed', 'loss');
    return findings.list();
  },
};

function open(target: Target): Sqlite.Database {
  return new Sqlite(databaseFile(target), { timeout: 10_000 });
}

function read(target: Target): void {
  const database = open(target);
  database.prepare('select count(*) from sqlite_schema').get();
  database.close();
}

/** Where it is installed: another build of SQLite, which removes a log that nobody has locked. */
function askByShell(target: Target): void {
  spawnSync('sqlite3', [databaseFile(target), 'select count(*) from settings']);
}

/** The lock that says 'somebody has this database open': SHARED_FIRST of os_unix.c in SQLite's source. */
function isLocked(target: Target): boolean {
  const { ino } = statSync(databaseFile(target));
  return readFileSync('/proc/locks', 'utf8').includes(`:${ino} 1073741826 1073742335`);
}

/** As `cp` or a backup tool does that knows nothing of SQLite. */
function copy(target: Target): void {
  for (const suffix of ['', '-wal', '-shm'])
    if (existsSync(`${databaseFile(target)}${suffix}`)) readFileSync(`${databaseFile(target)}${suffix}`);
}

function write(target: Target): void {
  const database = open(target);
  database.exec('create table if not exists outsider (text text)');
  database.prepare('insert into outsider values (?)').run('x'.repeat(100_000));
  database.close();
}

async function backUp(target: Target): Promise<void> {
  const backup = join(target.dataFolder, '..', 'backup.sqlite');
  const database = open(target);
  await database.backup(backup);
  database.close();
  rmSync(backup);
}

function isWhole(target: Target): boolean {
  const database = open(target);
  try {
    return database.pragma('integrity_check', { simple: true }) === 'ok';
  } catch {
    return false;
  } finally {
    database.close();
  }
}

function shuffle<Item>(items: readonly Item[], random: RandomBelow): Item[] {
  const left = [...items];
  return items.flatMap(() => left.splice(random(left.length), 1));
}
