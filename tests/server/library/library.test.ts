import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { Executor } from '#server/database/tables.ts';
import { rootRepository } from '#server/features/library/root-repository.ts';
import { oddNames } from '#tests/support/media/odd-names.ts';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import { putFile, putVideos, smallVideo } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

async function listVideos({ services }: ServerUnderTest) {
  return services.database.reader.selectFrom('videos').selectAll().orderBy('path').execute();
}

async function available(server: ServerUnderTest): Promise<string[]> {
  return (await listVideos(server)).filter((video) => video.available === 1).map((video) => video.path);
}

async function startWith(...names: string[]) {
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  return { folder, server: await startServer({ library: [folder] }) };
}

test("the server's own files are no videos of a library that its data folder lies in", async () => {
  const folder = temporaryFolder();
  const own = ['uploads/videos/e5/upload.mp4', 'derived/encodings/01/grid.mp4', 'cache/copy.mp4', 'work/job/in.mp4'];
  putVideos(folder, 'Trips/film.mp4', 'data/mine.mp4', ...own.map((file) => `data/${file}`));
  const linked = join(temporaryFolder(), 'link');
  symlinkSync(folder, linked);
  const server = await startServer({ library: [folder], env: { DATA_DIR: join(linked, 'data') } });
  await server.services.scanner.request();
  expect(await available(server)).toEqual(['Trips/film.mp4', 'data/mine.mp4']);
});

const names = [...oddNames, 'new\nline.mp4'];

const oddFiles: Record<string, [content: Uint8Array | string, reason: string]> = {
  'no bytes': ['', 'empty'],
  'one byte': ['a', 'not_a_video'],
  'a page': ['<!doctype html>', 'not_a_video'],
  'a playlist': ['#EXTM3U\n/etc/passwd', 'not_a_video'],
  'half a video': [readFileSync(smallVideo()).subarray(0, 2_000), 'truncated'],
};

/** A library of many kinds of files, looked through once: a folder for each test that is about what one scan finds. */
function makeManyKinds(): string {
  const folder = temporaryFolder(afterFile);
  putVideos(folder, 'cases/a.mp4', 'cases/B.MP4', 'cases/c.m4v', 'cases/deep/er/still/d.MoV');
  putVideos(folder, 'hidden/a.mp4', 'hidden/.hidden.mp4', 'hidden/.trash/b.mp4');
  putFile(folder, 'hidden/a.mp4.html', 'page');
  putFile(folder, 'hidden/mp4', 'no extension');
  for (const [name, [content]] of Object.entries(oddFiles)) putFile(folder, `odd/${name}.mp4`, content);
  putVideos(folder, ...names.map((name) => `names/${name}`));
  mkdirSync(join(folder, 'bytes'));
  for (const byte of [0xff, 0xfe])
    copyFileSync(
      smallVideo(),
      Buffer.concat([Buffer.from(`${folder}/bytes/caf`), Buffer.of(byte), Buffer.from('.mp4')]),
    );
  putLinks(join(folder, 'links'));
  return folder;
}

function putLinks(folder: string): void {
  putVideos(folder, 'a.mp4');
  symlinkSync(join(folder, 'a.mp4'), join(folder, 'favourite.mp4'));
  const outside = temporaryFolder(afterFile);
  putVideos(outside, 'secret.mp4');
  symlinkSync(join(outside, 'secret.mp4'), join(folder, 'outside.mp4'));
  symlinkSync(outside, join(folder, 'outside-folder'));
  symlinkSync('/dev/zero', join(folder, 'zero.mp4'));
  symlinkSync('nowhere', join(folder, 'nowhere.mp4'));
  symlinkSync('circle.mp4', join(folder, 'circle.mp4'));
  symlinkSync('.', join(folder, 'again'));
  execFileSync('mkfifo', [join(folder, 'pipe.mp4')]);
  mkdirSync(join(folder, 'folder.mp4'));
}

const manyKinds = await startServer({ library: [makeManyKinds()] }, afterFile);

/** What was found in one of its folders, by the names there. */
async function listIn(folder: string) {
  const found = (await listVideos(manyKinds)).filter(({ path }) => path.startsWith(`${folder}/`));
  return found.map((video) => ({ ...video, path: video.path.slice(folder.length + 1) }));
}

const namesIn = async (folder: string) =>
  (await listIn(folder)).filter(({ available }) => available === 1).map(({ path }) => path);

describe('a scan', () => {
  test('finds videos by their extension in any case, in folders of any depth', async () => {
    expect(await namesIn('cases')).toEqual(['B.MP4', 'a.mp4', 'c.m4v', 'deep/er/still/d.MoV']);
  });

  test('writes down what players need to know', async () => {
    const video = (await listIn('cases')).find(({ path }) => path === 'a.mp4');
    expect(video).toMatchObject({
      filename: 'a.mp4',
      container: 'mp4',
      video_codec: 'avc',
      reason: null,
      missing_since: null,
    });
    expect(video?.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7/);
    expect(video?.width).toBeGreaterThan(0);
    expect(video?.duration_ms).toBeGreaterThan(0);
  });

  test('leaves out hidden files and folders and everything that is named otherwise', async () => {
    expect((await listIn('hidden')).map(({ path }) => path)).toEqual(['a.mp4']);
  });

  test.each(Object.entries(oddFiles))(
    'keeps a file of %s as unavailable, with the reason',
    async (name, [, reason]) => {
      const found = (await listIn('odd')).find(({ path }) => path === `${name}.mp4`);
      expect(found).toMatchObject({ available: 0, reason });
    },
  );

  test('reads only what is new or has changed', async () => {
    const { folder, server } = await startWith('a.mp4', 'b.mp4');
    const ids = (await listVideos(server)).map((video) => video.id);
    expect(await server.services.scanner.request()).toMatchObject({ found: 2, playable: 2, read: 0 });
    copyFileSync(smallVideo(6), join(folder, 'b.mp4'));
    utimesSync(join(folder, 'b.mp4'), 5, 5);
    putVideos(folder, 'c.mp4');
    expect(await server.services.scanner.request()).toMatchObject({ found: 3, playable: 3, read: 2 });
    expect((await listVideos(server)).map((video) => video.id).slice(0, 2)).toEqual(ids);
  });

  test('finds a video beyond 4 GiB with its whole size', async () => {
    const folder = temporaryFolder();
    const size = 4 * 1024 ** 3 + 1;
    const head = Buffer.alloc(16);
    head.writeUInt32BE(1);
    head.write('free', 4, 'latin1');
    head.writeBigUInt64BE(BigInt(size - statSync(smallVideo()).size), 8);
    const file = putFile(folder, 'large.mp4', Buffer.concat([readFileSync(smallVideo()), head]));
    truncateSync(file, size);
    const server = await startServer({ library: [folder] });
    expect(await listVideos(server)).toMatchObject([{ path: 'large.mp4', size, available: 1 }]);
  });

  test('looks at a file again that was still being copied', async () => {
    const { folder, server } = await startWith('a.mp4');
    const whole = readFileSync(smallVideo(1));
    writeFileSync(join(folder, 'copy.mp4'), whole.subarray(0, 2_000));
    expect(await server.services.scanner.request()).toMatchObject({ found: 2, playable: 1 });
    writeFileSync(join(folder, 'copy.mp4'), whole);
    expect(await server.services.scanner.request()).toMatchObject({ found: 2, playable: 2 });
  });

  test('asked for twice while one runs is made once more, not twice', async () => {
    const { scanner } = manyKinds.services;
    const first = scanner.request();
    const [second, third] = [scanner.request(), scanner.request()];
    expect(second).toBe(third);
    expect(first).not.toBe(second);
    expect(await second).toMatchObject({ found: (await listVideos(manyKinds)).length, read: 0 });
  });

  test('of a thousand files lets calls be answered meanwhile', async () => {
    const { folder, server } = await startWith('a.mp4');
    for (let index = 0; index < 1_000; index += 1) linkSync(join(folder, 'a.mp4'), join(folder, `link-${index}.mp4`));
    const scan = server.services.scanner.request();
    let answered = 0;
    while (server.services.scanner.facts().isRunning) {
      expect((await server.get('/api/video/top-left')).statusCode).toBe(200);
      answered += 1;
      // Calls that come over a network let the scan's own reading through between them; injected ones do not.
      await turn();
    }
    expect(await scan).toMatchObject({ found: 1_001, playable: 1_001 });
    expect(answered).toBeGreaterThan(20);
  });
});

describe('a video whose file vanishes', () => {
  test('keeps its row, its id and its tags, and is there again when the file is', async () => {
    const { folder, server } = await startWith('a.mp4', 'b.mp4');
    const [before] = await listVideos(server);
    await server.services.idSets.write((transaction, changes) =>
      storeTag(transaction, changes, 'kept', [before?.id ?? '']),
    );
    renameSync(join(folder, 'a.mp4'), join(folder, 'a.gone'));
    expect(await server.services.scanner.request()).toMatchObject({ found: 1, vanished: 1 });
    expect(await listVideos(server)).toMatchObject([
      { path: 'a.mp4', available: 0, missing_since: expect.any(Number) },
      { available: 1 },
    ]);
    renameSync(join(folder, 'a.gone'), join(folder, 'a.mp4'));
    await server.services.scanner.request();
    expect(await listVideos(server)).toMatchObject([{ id: before?.id, available: 1, missing_since: null }, {}]);
    expect((await server.get('/api/video/top-left?tag_ids=tag-kept')).json().id).toBe(before?.id);
  });

  test('with its whole folder is unavailable until the folder is back', async () => {
    const { folder, server } = await startWith('a.mp4', 'b.mp4');
    renameSync(folder, `${folder}-unplugged`);
    expect(await server.services.scanner.request()).toMatchObject({ missingFolders: [folder] });
    expect((await server.get('/api/video/top-left')).json()).toMatchObject({ available: false });
    renameSync(`${folder}-unplugged`, folder);
    expect(await server.services.scanner.request()).toMatchObject({ missingFolders: [], read: 0 });
    expect(await available(server)).toEqual(['a.mp4', 'b.mp4']);
  });
});

describe('a link', () => {
  test('to a file of the same library is a video of its own; one that leads out of it, nowhere, in a circle, to a device or a pipe is left out', async () => {
    expect((await listIn('links')).map(({ path }) => path)).toEqual(['a.mp4', 'favourite.mp4']);
    expect(await namesIn('links')).toEqual(['a.mp4', 'favourite.mp4']);
  });
});

describe('a name', () => {
  const stream = async (path: string) =>
    (await manyKinds.get(`/api/video/stream?path=${encodeURIComponent(path)}`)).statusCode;

  test('of any kind is listed and streamed as it is', async () => {
    expect(await namesIn('names')).toEqual(
      [...names].sort((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other))),
    );
    for (const name of names) expect([name, await stream(`names/${name}`)]).toEqual([name, 200]);
  });

  test('that is not UTF-8 is listed and streamed, and two of them are two videos', async () => {
    const paths = await namesIn('bytes');
    expect(paths.length).toBe(2);
    for (const path of paths) expect(await stream(`bytes/${path}`)).toBe(200);
    expect(await stream('bytes/caf\ufffd.mp4')).toBe(404);
  });
});

describe('several library folders', () => {
  test('put their names before the paths of their videos', async () => {
    const parent = temporaryFolder();
    const folders = ['one/films', 'two/films'].map((name) => join(parent, name));
    for (const folder of folders) putVideos(folder, 'a.mp4');
    const server = await startServer({ library: folders });
    const paths = new Set<string>();
    for (let time = 0; time < 40; time += 1) paths.add((await server.get('/api/video/top-left')).json().path);
    expect([...paths].sort()).toEqual(['films-2/a.mp4', 'films/a.mp4']);
    for (const path of paths)
      expect((await server.get(`/api/video/stream?path=${encodeURIComponent(path)}`)).statusCode).toBe(200);
    expect((await server.get('/api/video/stream?path=a.mp4')).statusCode).toBe(404);
  });

  test('do not hinder each other where one is found but cannot be listed', async () => {
    const here = temporaryFolder();
    putVideos(here, 'a.mp4');
    const notListed = join(temporaryFolder(), 'a file in place of a folder');
    writeFileSync(notListed, '');
    const server = await startServer({ library: [notListed, here] });
    expect(server.logged()).toContain(`The library folder ${notListed} cannot be read`);
    expect(await available(server)).toEqual(['a.mp4']);
  });

  test('do not need to be there when the server starts', async () => {
    const here = temporaryFolder();
    putVideos(here, 'a.mp4');
    const later = join(temporaryFolder(), 'later');
    const server = await startServer({ library: [here, later] });
    expect(server.logged()).toContain(`The library folder ${later} cannot be read`);
    putVideos(later, 'b.mp4');
    await server.services.scanner.request();
    expect((await available(server)).sort()).toEqual(['a.mp4', 'b.mp4']);
  });
});

const dataFolder = temporaryFolder(afterFile);
const demo = await startServer({ isDemo: true, env: { DATA_DIR: dataFolder } }, afterFile);
const keeper = await putPerson(demo, 'keeper', 'admin');

describe('the demo', () => {
  const channels = (server: ServerUnderTest) =>
    server.services.database.reader.selectFrom('tags').select('name').where('active', '=', 1).execute();

  test('serves its clips and channels while nothing else is configured', async () => {
    expect((await available(demo)).length).toBeGreaterThanOrEqual(4);
    expect((await channels(demo)).length).toBeGreaterThan(1);
    expect((await demo.get('/api/video/top-left')).json().tags.length).toBeGreaterThan(0);
  });

  test('brings no channel back that somebody has removed, or given another name to', async () => {
    const { headers } = keeper;
    const [first, second] = (await demo.get('/api/tags')).json().tags;
    await demo.call('DELETE', `/api/tags/${first.id}`, { headers });
    await demo.call('PUT', `/api/tags/${second.id}`, { headers, payload: { name: 'Renamed' } });
    await demo.call('PUT', `/api/tags/${second.id}/aliases`, { headers, payload: { aliases: [second.name] } });
    const before = await channels(demo);
    await demo.services.scanner.request();
    expect(await channels(demo)).toEqual(before);
  });

  test('leaves with its channels once a library is configured, and comes back with those that nobody removed', async () => {
    const { headers } = keeper;
    const { databaseUrl } = demo.services.env;
    const shared = { DATA_DIR: dataFolder, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
    const [removed, restored] = (await demo.get('/api/tags')).json().tags;
    for (const { id } of [restored, removed]) await demo.call('DELETE', `/api/tags/${id}`, { headers });
    const [, change] = (await demo.get('/api/admin/tags/changes', headers)).json().changes;
    await demo.call('POST', `/api/admin/tags/changes/${change.id}/undo`, { headers });
    const isUndone = async () =>
      (await demo.get('/api/admin/tags/changes', headers)).json().changes[1].state === 'undone';
    await expect.poll(isUndone).toBe(true);
    const before = await channels(demo);
    const folder = temporaryFolder();
    putVideos(folder, 'own.mp4');
    await demo.stop();
    const own = await startServer({ library: [folder], env: shared });
    expect(await available(own)).toEqual(['own.mp4']);
    expect(await channels(own)).toEqual([]);
    expect((await own.get('/api/status')).json()).toMatchObject({ TotalVideos: 1, AvailableVideos: 1 });
    await own.stop();
    const again = await startServer({ isDemo: true, env: shared });
    expect(await channels(again)).toEqual(before);
    expect(await available(again)).not.toContain('own.mp4');
  });

  test("is not wanted where there are videos of one's own, though all of them are hidden", async () => {
    const { folder, server } = await startWith('own.mp4');
    const { database, idSets, scanner } = server.services;
    await idSets.write(async (transaction, changes) => {
      await transaction.updateTable('videos').set({ hidden_at: 1, available: 0 }).execute();
      changes.put('available', [1], false);
    });
    expect(await rootRepository.hasOwnVideos(database.reader)).toBe(true);
    rmSync(join(folder, 'own.mp4'));
    await scanner.request();
    expect(await rootRepository.hasOwnVideos(database.reader)).toBe(false);
  });

  test('is wanted where no file can be played, or its root is away', async () => {
    const { server } = await startWith('own.mp4');
    const { database } = server.services;
    const own = async (work: (transaction: Executor) => Promise<unknown>) => {
      await database.write(work);
      return rootRepository.hasOwnVideos(database.reader);
    };
    expect(await own((rows) => rows.updateTable('videos').set({ reason: 'truncated', available: 0 }).execute())).toBe(
      false,
    );
    expect(await own((rows) => rows.updateTable('videos').set({ reason: null, available: 1 }).execute())).toBe(true);
    expect(await own((rows) => rows.updateTable('library_roots').set({ missing_since: 1 }).execute())).toBe(false);
  });
});
