import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setImmediate as turn } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { DatabaseOptions } from '#server/database/connection.ts';
import { openDatabase } from '#server/database/connection.ts';
import { migrate } from '#server/database/migrate.ts';
import { checkpointThreadIdleMs } from '#server/database/sqlite-watch.ts';
import { readFile, unreadFile } from '#server/media/file-reading.ts';
import { openInside } from '#server/storage/open-for-reading.ts';
import type { InstalledServer } from '#tests/support/installation.ts';
import { makeInstallation } from '#tests/support/installation.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';

const outsideScript = fileURLToPath(new URL('../../support/processes/outside-process.ts', import.meta.url));
/** Another program, which does what it is told to the database. @returns what it found */
function startOutside(file: string): (action: string, name?: string) => Promise<unknown> {
  const child = spawn(process.execPath, [outsideScript, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return async (action, name = '') => {
    child.stdin.write(`${JSON.stringify([action, name])}\n`);
    const { value } = await lines.next();
    return JSON.parse(value ?? '"it ended"');
  };
}

/** sqlite3's os_unix.c: SHARED_FIRST in the database file, and the dead man's switch in the index of its log. */
const heldWhileOpen = { '': '1073741826 1073742335', '-shm': '128 128' };

/** Which of the locks that say 'somebody has this database open' are held by any process. */
function locksOf(file: string): string[] {
  const locks = readFileSync('/proc/locks', 'utf8').split('\n');
  return Object.entries(heldWhileOpen).flatMap(([end, range]) => {
    const { ino } = statSync(`${file}${end}`);
    return locks.some((lock) => /POSIX +ADVISORY +READ /.test(lock) && lock.endsWith(`:${ino} ${range}`))
      ? [`${end} ${range}`]
      : [];
  });
}

function descriptorsOf(file: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`) === file;
    } catch {
      return false;
    }
  }).length;
}

function shuffle<T>(values: readonly T[], random: (below: number) => number): T[] {
  const left = [...values];
  return values.flatMap(() => left.splice(random(left.length), 1));
}

const allLocks = Object.entries(heldWhileOpen).map(([end, range]) => `${end} ${range}`);

test('while a server runs, another program reads, copies and writes, and costs the server nothing, also when it is killed or stopped', async () => {
  const actions = ['read', 'write', 'backup', 'checkpoint', 'roll back', 'write much'];
  const random = seededRandom(1);
  const installation = await makeInstallation();
  const file = join(installation.dataFolder, 'fourfold.sqlite');
  const fromOutside = startOutside(file);
  const names: string[] = [];
  let seconds = 100;

  async function meddle(server: InstalledServer, ending: string): Promise<void> {
    expect(locksOf(file), `once it runs, before ${ending}`).toEqual(allLocks);
    const log = statSync(`${file}-wal`).ino;
    // Three orders, each after another one.
    for (const action of [1, 2, 3].flatMap(() => shuffle(actions, random))) {
      const name = `outside-${names.length}`;
      const found = fromOutside(action, name);
      // At the same time, and once it is through.
      for (const isBeside of [true, false]) {
        if (!isBeside) await found;
        seconds += 1;
        // On a busy machine the other program may hold the database for longer than a call waits.
        await vi.waitFor(async () => {
          expect(await server.write(seconds), `beside ${action} before ${ending}`).toBe(200);
        });
      }
      if (action === 'backup') expect(await found).toBe('ok');
      if (action.startsWith('write')) names.push(name);
      expect(locksOf(file), `after ${action} before ${ending}`).toEqual(allLocks);
      expect(statSync(`${file}-wal`).ino, `the log after ${action} before ${ending}`).toBe(log);
    }
  }

  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    const server = await installation.run();
    if (signal === 'SIGTERM') expect(await server.read(), 'after SIGKILL').toBe(seconds);
    await meddle(server, signal);
    server.kill(signal);
    await server.ended();
    expect(await fromOutside('check')).toBe('ok');
  }
  expect(await fromOutside('interval')).toBe(String(seconds));
  expect(await fromOutside('names')).toEqual(names.toSorted());
});

describe('a link in the library that leads to the database', () => {
  /** A video of the library is a link to a file of the database by now. */
  async function linkTo(end: string) {
    const file = join(temporaryFolder(), 'fourfold.sqlite');
    const database = openDatabase({ kind: 'sqlite', file });
    onTestFinished(() => database.close());
    await migrate(database, systemClock);
    const library = temporaryFolder();
    symlinkSync(`${file}${end}`, join(library, 'a.mp4'));
    return { file, library, video: join(library, 'a.mp4') };
  }

  test.each(['', '-shm'])('(fourfold.sqlite%s) is not opened for whoever asks for the video', async (end) => {
    const { file, library, video } = await linkTo(end);
    expect(await openInside(library, Buffer.from(video))).toBeNull();
    expect(locksOf(file)).toEqual(allLocks);
  });

  test.each(['', '-shm'])('(fourfold.sqlite%s) is not opened by a scan', async (end) => {
    const { file, video } = await linkTo(end);
    expect(readFile(video)).toEqual(unreadFile('unreadable'));
    expect(locksOf(file)).toEqual(allLocks);
  });
});

describe('a connection that ends leaves the locks of the others', () => {
  function openOne(file: string) {
    const database = openDatabase({ kind: 'sqlite', file });
    onTestFinished(() => database.close());
    return database;
  }

  test('in the same thread', async () => {
    const file = join(temporaryFolder(), 'test.sqlite');
    await migrate(openOne(file), systemClock);
    await openDatabase({ kind: 'sqlite', file }).close();
    expect(locksOf(file)).toEqual(allLocks);
  });

  // Locks are known to one copy of SQLite alone: a thread that loaded another would take them away.
  test.each(['by itself', 'because it is ended'])('in another thread, %s', async (how) => {
    const file = join(temporaryFolder(), 'test.sqlite');
    await migrate(openOne(file), systemClock);
    const thread = new Worker(new URL('../../../src/server/database/checkpoint-worker.ts', import.meta.url), {
      workerData: file,
    });
    await once(thread, 'online');
    const ended = once(thread, 'exit');
    thread.postMessage('checkpoint');
    await vi.waitFor(() => expect(descriptorsOf(file)).toBe(3));
    if (how === 'by itself') thread.postMessage('end');
    else await thread.terminate();
    await ended;
    expect(locksOf(file)).toEqual(allLocks);
  });
});

describe('the thread that moves the log into the file', () => {
  /** As long as the log may become, and a little more. */
  const long = 'x'.repeat(5 * 1_048_576);

  async function openFile(options: DatabaseOptions = {}) {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const file = join(temporaryFolder(), 'test.sqlite');
    const database = openDatabase({ kind: 'sqlite', file }, options);
    onTestFinished(() => database.close());
    await migrate(database, systemClock);
    const write = (name: string, text: string) =>
      database.write((transaction) =>
        transaction
          .insertInto('settings')
          .values({ name, value: JSON.stringify(text), updated_at: 1 })
          .execute(),
      );
    /** Of its log: the writer and the reader have one each. */
    const countOpen = () => descriptorsOf(`${file}-wal`);
    const passUntilOpen = async (count: number, stepMs = 500) => {
      while (countOpen() !== count) {
        vi.advanceTimersByTime(stepMs);
        await turn();
      }
    };
    return { file, write, countOpen, passUntilOpen };
  }

  test('ends when it has had nothing to do, and is not there for what is written over the old log', async () => {
    const { write, countOpen, passUntilOpen } = await openFile();
    await write('long', long);
    await passUntilOpen(3);
    await passUntilOpen(2, checkpointThreadIdleMs);
    await write('short', 'x');
    vi.advanceTimersByTime(500);
    await turn();
    expect(countOpen()).toBe(2);
    await write('longer', long);
    await passUntilOpen(3);
  });

  test('is not started by a connection that leaves the log to another one', async () => {
    const { file, write, countOpen, passUntilOpen } = await openFile({ isBeside: true });
    await write('long', long);
    vi.advanceTimersByTime(500);
    await turn();
    expect(countOpen()).toBe(2);
    const other = openDatabase({ kind: 'sqlite', file });
    onTestFinished(() => other.close());
    await write('longer', long);
    await passUntilOpen(5);
  });
});
