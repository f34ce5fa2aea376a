import {
  appendFileSync,
  closeSync,
  copyFileSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { largeVideo, putVideos, smallVideo } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** How long a busy machine may take; what it takes on a free one is a figure of `tests/bench/scan.ts`. */
const patient = { interval: 20 };
/** What is seen has nothing to do with the database. */

async function startWatching(...names: string[]) {
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  const server = await startServer({ library: [folder] });
  await server.services.scanner.watch();
  return { folder, server };
}

async function available({ services }: ServerUnderTest): Promise<string[]> {
  const videos = await services.database.reader
    .selectFrom('videos')
    .select('path')
    .where('available', '=', 1)
    .orderBy('path')
    .execute();
  return videos.map(({ path }) => path);
}

const untilAvailable = (server: ServerUnderTest, ...paths: string[]) =>
  vi.waitFor(async () => expect(await available(server)).toEqual(paths), patient);

const idOf = async ({ services }: ServerUnderTest, path: string) =>
  (await services.database.reader.selectFrom('videos').select('id').where('path', '=', path).executeTakeFirst())?.id;

describe('a library that is watched', () => {
  test('has a new file, one in a new folder, and one in a folder that was moved in', async () => {
    const { folder, server } = await startWatching('a.mp4');
    copyFileSync(smallVideo(1), join(folder, 'b.mp4'));
    await untilAvailable(server, 'a.mp4', 'b.mp4');
    putVideos(folder, 'new/deep/c.mp4');
    const outside = temporaryFolder();
    putVideos(outside, 'x/d.mp4');
    renameSync(join(outside, 'x'), join(folder, 'x'));
    await untilAvailable(server, 'a.mp4', 'b.mp4', 'new/deep/c.mp4', 'x/d.mp4');
    copyFileSync(smallVideo(2), join(folder, 'x', 'e.mp4'));
    await untilAvailable(server, 'a.mp4', 'b.mp4', 'new/deep/c.mp4', 'x/d.mp4', 'x/e.mp4');
    expect((await server.get(`/api/video/stream?path=${encodeURIComponent('x/e.mp4')}`)).statusCode).toBe(200);
  });

  test('loses what is removed, and keeps what is renamed, also with its folder', async () => {
    const { folder, server } = await startWatching('a.mp4', 'shows/b.mp4', 'c.mp4');
    const id = await idOf(server, 'shows/b.mp4');
    rmSync(join(folder, 'a.mp4'));
    await untilAvailable(server, 'c.mp4', 'shows/b.mp4');
    renameSync(join(folder, 'shows'), join(folder, 'series'));
    await untilAvailable(server, 'c.mp4', 'series/b.mp4');
    renameSync(join(folder, 'series/b.mp4'), join(folder, 'series/b2.mp4'));
    await untilAvailable(server, 'c.mp4', 'series/b2.mp4');
    expect(await idOf(server, 'series/b2.mp4')).toBe(id);
  });

  test('has a replaced file as it is now', async () => {
    const { folder, server } = await startWatching('a.mp4');
    const id = await idOf(server, 'a.mp4');
    copyFileSync(largeVideo(), join(folder, 'a.mp4'));
    const size = readFileSync(largeVideo()).length;
    await vi.waitFor(async () => {
      const video = await server.services.database.reader.selectFrom('videos').selectAll().executeTakeFirstOrThrow();
      expect(video).toMatchObject({ id, size, available: 1 });
    }, patient);
  });

  test('calls a video what a file beside it says, once that file comes, changes or goes', async () => {
    const { folder, server } = await startWatching('shows/a.mp4', 'shows/a.b.mp4');
    const titles = async () => {
      const { videos } = (await server.get('/api/videos/by-tags?sort_by=name')).json();
      return Object.fromEntries(videos.map(({ path, title }: { path: string; title: string }) => [path, title]));
    };
    const plain = await titles();
    const untilCalled = (title: string) =>
      vi.waitFor(async () => expect(await titles()).toEqual({ ...plain, 'shows/a.mp4': title }), patient);
    const file = join(folder, 'shows/a.nfo');
    writeFileSync(file, '<movie><title>Ebb</title></movie>');
    await untilCalled('Ebb');
    writeFileSync(file, '<movie><title>Spring tide</title></movie>');
    await untilCalled('Spring tide');
    rmSync(file);
    await untilCalled(plain['shows/a.mp4']);
  });

  test('never offers a file of which only a part has been copied', async () => {
    const { folder, server } = await startWatching('a.mp4');
    const bytes = readFileSync(largeVideo());
    const file = openSync(join(folder, 'copy.mp4'), 'w');
    const offered: number[] = [];
    for (let from = 0; from < bytes.length; from += bytes.length / 4) {
      writeSync(file, bytes.subarray(from, from + bytes.length / 4));
      // Another file that has come in the meantime is through: so has been whatever was seen of this one.
      copyFileSync(smallVideo(1), join(folder, `after-${from}.mp4`));
      await vi.waitFor(async () => expect(await available(server)).toContain(`after-${from}.mp4`), patient);
      if (from + bytes.length / 4 < bytes.length)
        offered.push((await available(server)).filter((path) => path === 'copy.mp4').length);
    }
    closeSync(file);
    await vi.waitFor(async () => expect(await available(server)).toContain('copy.mp4'), patient);
    expect(offered).toEqual([0, 0, 0]);
  });

  test('looks again at a file that is written to after it was offered', async () => {
    const { folder, server } = await startWatching('a.mp4');
    const before = readFileSync(join(folder, 'a.mp4')).length;
    appendFileSync(join(folder, 'a.mp4'), Buffer.from([0, 0, 0, 8, 0x66, 0x72, 0x65, 0x65]));
    await vi.waitFor(async () => {
      const video = await server.services.database.reader.selectFrom('videos').selectAll().executeTakeFirstOrThrow();
      expect(video).toMatchObject({ size: before + 8, available: 1 });
    }, patient);
  });

  test('stops without waiting for what is still happening', async () => {
    const { folder, server } = await startWatching('a.mp4');
    mkdirSync(join(folder, 'many'));
    for (let index = 0; index < 200; index += 1) copyFileSync(smallVideo(index), join(folder, 'many', `${index}.mp4`));
    await server.services.scanner.stop();
    expect(await server.services.scanner.request()).toBeNull();
  });
});
