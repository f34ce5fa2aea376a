import { execFileSync } from 'node:child_process';
import { copyFileSync, existsSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { describe, expect, onTestFinished, test } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { DatabaseDamaged, rollbackGuardOf } from '#server/database/damage.ts';
import { migrate } from '#server/database/migrate.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { runServer } from '#tests/support/processes/server-process.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { soakSample } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';

const admin = callerFor({ userId: 'u', tier: 'admin' });
const pageBytes = 4_096;

/** Files are SQLite's alone. */
describe('on SQLite', () => {
  /** A database that was used and closed. */
  async function usedDatabase(): Promise<string> {
    const file = join(temporaryFolder(), 'fourfold.sqlite');
    await use(file);
    return file;
  }

  async function use(file: string): Promise<void> {
    const database = openDatabase({ kind: 'sqlite', file });
    await migrate(database, systemClock);
    await database.close();
  }

  function refusalOf(file: string): string {
    try {
      void openDatabase({ kind: 'sqlite', file }).close();
      return 'none';
    } catch (error) {
      return error instanceof DatabaseDamaged ? error.message : String(error);
    }
  }

  describe('a server does not start, and says what to do,', () => {
    test('when its database is gone, and makes no empty one in its place', async () => {
      const file = await usedDatabase();
      renameSync(file, `${file}.aside`);
      const server = runServer({ DATA_DIR: join(file, '..') });
      const said = await server.says(/could not start.*/);
      expect(said).toContain(`its database is gone: ${file} was here before. Put it back, or restore a backup`);
      expect(said).toContain(`move ${file} and ${rollbackGuardOf(file)} away`);
      expect(await server.ended()).toBe(1);
      expect(existsSync(file)).toBe(false);
      renameSync(`${file}.aside`, file);
      expect(refusalOf(file)).toBe('none');
    });

    test('when its database is empty', async () => {
      const file = await usedDatabase();
      truncateSync(file, 0);
      expect(refusalOf(file)).toContain('its database is gone');
    });

    test('when another database stands in its place, unless it is told to go on with that one', async () => {
      const [file, other] = [await usedDatabase(), await usedDatabase()];
      copyFileSync(other, file);
      expect(refusalOf(file)).toContain('is another database');
      rmSync(rollbackGuardOf(file));
      expect(refusalOf(file)).toBe('none');
      expect(existsSync(rollbackGuardOf(file))).toBe(true);
    });

    test('when an older copy stands in its place', async () => {
      const file = await usedDatabase();
      copyFileSync(file, `${file}.backup`);
      await use(file);
      copyFileSync(`${file}.backup`, file);
      expect(refusalOf(file)).toContain('holds less than it did before');
    });

    test.each([0, 31])('when of the log of a server that was killed only %i bytes are left', async (bytes) => {
      const file = await usedDatabase();
      const running = openDatabase({ kind: 'sqlite', file });
      onTestFinished(() => running.close());
      // What a killed process leaves is what stands there while it runs.
      const left = join(temporaryFolder(), 'fourfold.sqlite');
      for (const end of ['', '-wal', '-begun']) copyFileSync(`${file}${end}`, `${left}${end}`);
      copyFileSync(`${left}-wal`, `${left}-whole`);
      truncateSync(`${left}-wal`, bytes);
      expect(refusalOf(left)).toContain('-wal was lost or cut off');
      copyFileSync(`${left}-whole`, `${left}-wal`);
      expect(refusalOf(left)).toBe('none');
    });

    test('whichever of its pages is overwritten, or wherever it is cut off', async () => {
      const file = await usedDatabase();
      const whole = readFileSync(file);
      const random = seededRandom(5);
      const pages = Array.from({ length: whole.length / pageBytes }, (_, page) => page);
      for (const page of [0, ...soakSample(pages.slice(1), 12)]) {
        const from = page * pageBytes;
        const broken = Buffer.from(whole);
        for (let at = from; at < from + pageBytes; at += 1) broken[at] = random(256);
        writeFileSync(file, broken);
        expect(refusalOf(file), `page ${page}`).toMatch(/is damaged .*Restore a backup|is another database/);
        if (from === 0) continue;
        writeFileSync(file, whole.subarray(0, from));
        expect(refusalOf(file), `cut at page ${page}`).toMatch(/is damaged .*Restore a backup/);
      }
      writeFileSync(file, whole);
      expect(refusalOf(file)).toBe('none');
    });
  });

  test('a server starts when its rollback guard cannot be read', async () => {
    const file = await usedDatabase();
    writeFileSync(rollbackGuardOf(file), '');
    expect(refusalOf(file)).toBe('none');
    expect(JSON.parse(readFileSync(rollbackGuardOf(file), 'utf8'))).toMatchObject({ age: 2 });
  });

  test.each([1_600, 1_800, 3_000])(
    'when no file can grow beyond %i KiB, a write is refused, reads go on, and all that was acknowledged is there',
    async (kibibytes) => {
      const file = join(temporaryFolder(), 'fourfold.sqlite');
      const script = fileURLToPath(new URL('../../support/processes/filling-process.ts', import.meta.url));
      // A shell counts in blocks of 512 bytes; a limit whose signal is ignored answers with an error, as a full disk
      // does.
      const limited = `trap '' XFSZ; ulimit -f ${kibibytes * 2}; exec "$0" "$1" "$2"`;
      const outcome = JSON.parse(
        execFileSync('/bin/sh', ['-c', limited, process.execPath, script, file], { encoding: 'utf8' }),
      );
      expect(outcome).toMatchObject({ isExpected: true, read: outcome.written });
      expect(outcome.written).toBeGreaterThan(0);
      const database = openDatabase({ kind: 'sqlite', file });
      onTestFinished(() => database.close());
      await database.write((transaction) =>
        transaction.insertInto('settings').values({ name: 'last', value: '1', updated_at: 1 }).execute(),
      );
      expect((await database.reader.selectFrom('settings').select('name').execute()).length).toBe(outcome.written + 1);
    },
  );

  describe('while a server runs', () => {
    async function startWithVideos(): Promise<ServerUnderTest & { file: string }> {
      const library = temporaryFolder();
      putVideos(library, 'a.mp4', 'b.mp4');
      const server = await startServer({
        library: [library],
        overrides: { identifyCaller: async () => admin, database: { writePatienceMs: 0 } },
      });
      return { ...server, file: join(server.services.env.dataFolder, 'fourfold.sqlite') };
    }

    const change = (server: ServerUnderTest) =>
      server.call('POST', '/api/config/update', { payload: { video_settings: { switch_interval_seconds: 30 } } });

    async function expectReadingOnly(server: ServerUnderTest): Promise<void> {
      const pick = await server.get('/api/video/top-left');
      expect(pick.json()).toMatchObject({ available: true, matching: 2 });
      expect((await server.get(pick.json().url)).statusCode).toBe(200);
      const refused = await change(server);
      expect([refused.statusCode, refused.headers['retry-after'], refused.json().error]).toEqual([
        503,
        '5',
        'unavailable',
      ]);
    }

    test.each([
      ['removed', (file: string) => rmSync(file)],
      [
        'exchanged',
        (file: string) => {
          renameSync(file, `${file}.aside`);
          copyFileSync(`${file}.aside`, file);
        },
      ],
      ['without its log', (file: string) => rmSync(`${file}-wal`)],
    ])(
      'and its database is %s, picks and videos go on, writes are refused, and its health says so',
      async (_, harm) => {
        const server = await startWithVideos();
        expect((await change(server)).statusCode).toBe(200);
        harm(server.file);
        await expectReadingOnly(server);
        const ready = await server.get('/readyz');
        expect([ready.statusCode, ready.json().message]).toEqual([
          503,
          'The database is damaged or gone; the log says more.',
        ]);
        expect((await server.get('/healthz')).statusCode).toBe(200);
        const { degraded } = (await server.get('/api/admin/about')).json();
        expect(degraded[0].problem).toContain('The database is damaged or gone');
        expect(server.logged()).toContain('is no longer the file that was opened');
      },
    );

    test('and its database is moved away and back, it writes again', async () => {
      const server = await startWithVideos();
      renameSync(server.file, `${server.file}.aside`);
      expect((await change(server)).statusCode).toBe(503);
      renameSync(`${server.file}.aside`, server.file);
      expect((await change(server)).statusCode).toBe(200);
      expect((await server.get('/readyz')).statusCode).toBe(200);
    });

    test('and its pages are overwritten, nothing is written from the moment it is seen, and its health says so', async () => {
      const server = await startWithVideos();
      const other = new Sqlite(server.file);
      other.pragma('wal_checkpoint(TRUNCATE)');
      other.close();
      const random = seededRandom(7);
      const bytes = readFileSync(server.file);
      for (let at = pageBytes; at < bytes.length; at += 1) bytes[at] = random(256);
      writeFileSync(server.file, bytes, { flag: 'r+' });
      expect((await change(server)).statusCode).toBe(503);
      expect((await server.get('/readyz')).statusCode).toBe(503);
      expect(server.logged()).toContain('is damaged');
    });

    test('and somebody else holds the database, reads go on, and a write is told when to try again', async () => {
      const server = await startWithVideos();
      const other = new Sqlite(server.file);
      onTestFinished(() => void other.close());
      other.exec('begin immediate');
      await expectReadingOnly(server);
      other.exec('commit');
      expect((await change(server)).statusCode).toBe(200);
    });
  });
});
