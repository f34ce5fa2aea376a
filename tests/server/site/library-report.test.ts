import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { librarySchema, unplayableListSchema } from '#contract/entities/library.ts';
import { debugSchema } from '#contract/entities/site.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { storeEncoding } from '#tests/support/media/stored-encodings.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const overrides = { identifyCaller: async () => callerFor({ userId: 'u', tier: 'admin' }) };
const patient = { interval: 20 };

const readLibrary = async (server: ServerUnderTest) =>
  librarySchema.parse((await server.get('/api/admin/library')).json());
const readUnplayable = async (server: ServerUnderTest, query = '') =>
  unplayableListSchema.parse((await server.get(`/api/admin/library/unplayable${query}`)).json());
const scan = (server: ServerUnderTest) => server.services.scanner.request();

describe('the library of an administrator', () => {
  test('has each folder with its videos and its disk, what is hidden or broken, and the cache', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'a.mp4', 'b.mp4', 'c.mp4');
    putVideos(two, 'd.mp4');
    putFile(two, 'empty.mp4', '');
    const server = await startServer({ library: [one, two], overrides });
    putFile(server.services.folders.cache, 'x', 'some bytes');
    const [first] = await server.services.database.reader.selectFrom('videos').select('id').execute();
    await server.call('PUT', `/api/admin/videos/${first?.id}/hidden`);
    const library = await readLibrary(server);
    expect(library).toMatchObject({
      roots: [
        { folder: one, kind: 'folder', videos: 3, available: 2, missing_since: null },
        { folder: two, kind: 'folder', videos: 2, available: 1, missing_since: null },
      ],
      unplayable: 1,
      hidden: 1,
      cache_bytes: 10,
    });
    for (const { scanned_at, free_bytes, total_bytes } of library.roots) {
      expect(scanned_at).not.toBeNull();
      expect(Number(total_bytes)).toBeGreaterThan(Number(free_bytes));
    }
    expect(library.cache_bytes).toBe(debugSchema.parse((await server.get('/api/debug')).json()).cache_bytes);
  });

  test('says since when a folder is away, keeps its number of videos, and tells no bytes of another disk', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'a.mp4', 'b.mp4');
    const server = await startServer({ library: [folder], overrides });
    renameSync(folder, `${folder}-away`);
    onTestFinished(() => rmSync(`${folder}-away`, { recursive: true, force: true }));
    mkdirSync(folder);
    await scan(server);
    const { roots } = await readLibrary(server);
    expect(roots).toMatchObject([{ videos: 2, available: 0, free_bytes: null, total_bytes: null }]);
    expect(roots[0]?.missing_since).not.toBeNull();
  });

  test('counts videos anew after each change, over any number of rows', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'a.mp4');
    const server = await startServer({ library: [folder], overrides });
    const counts = async () => (await readLibrary(server)).roots.map(({ videos, available }) => [videos, available]);
    expect(await counts()).toEqual([[1, 1]]);
    await server.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, 900));
    await vi.waitFor(async () => expect(await counts()).toEqual([[901, 901]]), patient);
    rmSync(join(folder, 'a.mp4'));
    putVideos(folder, 'b.mp4');
    await server.services.database.write((transaction) =>
      transaction
        .updateTable('videos')
        .set({ missing_since: 1, available: 0 })
        .where('path', 'like', 'stored%')
        .execute(),
    );
    await scan(server);
    await vi.waitFor(async () => expect(await counts()).toEqual([[1, 1]]), patient);
  });

  test('says how the last scan went, and how far one is that runs', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'a.mp4', 'b.mp4');
    const server = await startServer({ library: [folder], overrides });
    const ended = await vi.waitFor(async () => {
      const { scan: last } = await readLibrary(server);
      expect(last).toMatchObject({ is_running: false, progress: null, found: 2 });
      expect(last.finished_at).not.toBeNull();
      return last;
    }, patient);
    expect(ended.duration_seconds).toBeGreaterThanOrEqual(0);
    const { database, scanner } = server.services;
    await database.write(async (transaction) => {
      // The scan's own last write waits until this one is through.
      await transaction.updateTable('library_roots').set({ missing_since: null }).execute();
      void scanner.request();
      const { scan: running } = await readLibrary(server);
      expect(running).toMatchObject({ is_running: true, finished_at: ended.finished_at });
    });
    await scan(server);
  });

  test('tells of a scan that another process makes', async () => {
    const server = await startServer({ overrides });
    const { database, jobs, runner } = server.services;
    await runner.stop();
    await jobs.add([{ kind: 'scan', subject: 'elsewhere' }]);
    await database.write((transaction) =>
      transaction
        .updateTable('jobs')
        .set({ state: 'running', progress: 40 })
        .where('subject', '=', 'elsewhere')
        .execute(),
    );
    expect((await readLibrary(server)).scan).toEqual({
      is_running: true,
      progress: 40,
      found: null,
      finished_at: null,
      duration_seconds: null,
    });
  });
});

describe('what cannot be played', () => {
  test('is listed with its folder, its path there and a sentence, in pages, and found by a part of its path', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'fine.mp4');
    putFile(folder, 'Shows/100%_a.mp4', 'no video');
    putFile(folder, 'Shows/b.mp4', '');
    putFile(folder, 'Élan.mp4', '');
    const server = await startServer({ library: [folder], overrides });
    const root = server.services.roots.active()[0]?.name ?? '';
    const { videos, total } = await readUnplayable(server);
    expect(videos.map(({ path }) => path)).toEqual(['Shows/100%_a.mp4', 'Shows/b.mp4', 'Élan.mp4']);
    expect([total, videos[1]]).toEqual([
      3,
      { id: expect.any(String), root, path: 'Shows/b.mp4', size: 0, reason: 'This file is empty.' },
    ]);
    expect(await readUnplayable(server, '?limit=2&page=2')).toMatchObject({
      total: 3,
      total_pages: 2,
      page: 2,
      limit: 2,
    });
    const found = async (search: string) =>
      (await readUnplayable(server, `?search=${encodeURIComponent(search)}`)).videos.map(({ path }) => path);
    expect(await found('SHOWS/')).toEqual(['Shows/100%_a.mp4', 'Shows/b.mp4']);
    expect([await found('%_A'), await found('%b'), await found('_b'), await found('fine')]).toEqual([
      ['Shows/100%_a.mp4'],
      [],
      [],
      [],
    ]);
    expect(await found('Élan')).toEqual(['Élan.mp4']);
    expect((await server.get(`/api/admin/library/unplayable?search=${'x'.repeat(201)}`)).statusCode).toBe(400);
  });

  test('is listed as long as nothing plays it, with what was found out about it', async () => {
    const folder = temporaryFolder();
    for (const name of ['xvid-mp3.avi', 'wmv2-wma2.wmv', 'hevc-aac.mp4'])
      copyFileSync(corpusFile(name), join(folder, name));
    const server = await startServer({ library: [folder], overrides });
    const listed = async () => (await readUnplayable(server)).videos.map(({ path, reason }) => [path, reason]);
    expect(await listed()).toEqual([
      ['wmv2-wma2.wmv', 'Browsers cannot play WMV files.'],
      ['xvid-mp3.avi', 'Browsers cannot play AVI files.'],
    ]);
    await storeEncoding(server, 'xvid-mp3.avi', 'grid', Buffer.from('bytes of grid'));
    const failure = 'Converting this video took too long.';
    const { database } = server.services;
    await database.write(async (transaction) => {
      const { number, ...file } = await transaction
        .selectFrom('videos')
        .select(['number', 'size', 'modified_us'])
        .where('path', '=', 'wmv2-wma2.wmv')
        .executeTakeFirstOrThrow();
      const found = { video_number: number, failure, notes: '[]', found_at: 1 };
      await transaction
        .insertInto('media_findings')
        .values({ ...file, ...found })
        .execute();
    });
    expect(await listed()).toEqual([['wmv2-wma2.wmv', failure]]);
    expect(await readLibrary(server)).toMatchObject({ unplayable: 1 });
  });

  test('is no longer listed once it is gone or mended, and still while it is hidden', async () => {
    const folder = temporaryFolder();
    for (const name of ['a.mp4', 'b.mp4', 'c.mp4']) putFile(folder, name, 'no video');
    const server = await startServer({ library: [folder], overrides });
    const { videos } = await readUnplayable(server);
    await server.call('PUT', `/api/admin/videos/${videos[2]?.id}/hidden`);
    rmSync(join(folder, 'a.mp4'));
    rmSync(join(folder, 'b.mp4'));
    putVideos(folder, 'b.mp4');
    await scan(server);
    expect((await readUnplayable(server)).videos.map(({ path }) => path)).toEqual(['c.mp4']);
    expect(await readLibrary(server)).toMatchObject({ unplayable: 1, hidden: 1 });
  });
});
