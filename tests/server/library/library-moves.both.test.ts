import {
  copyFileSync,
  cpSync,
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import { putVideos, smallVideo } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

async function startWith(...names: string[]) {
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  return { folder, server: await startServer({ library: [folder] }) };
}

async function listVideos({ services }: ServerUnderTest) {
  return services.database.reader.selectFrom('videos').selectAll().orderBy('number').execute();
}

/** Where the available videos are, by id. */
async function placesById(server: ServerUnderTest): Promise<Record<string, string>> {
  const videos = (await listVideos(server)).filter((video) => video.available === 1);
  return Object.fromEntries(videos.map((video) => [video.id, video.path]));
}

/** The ids of the videos, by where they are. */
async function idsByPlace(server: ServerUnderTest): Promise<Record<string, string>> {
  return Object.fromEntries(Object.entries(await placesById(server)).map(([id, path]) => [path, id]));
}

const scan = (server: ServerUnderTest) => server.services.scanner.request();

describe('a file that was moved', () => {
  test('or renamed is the same video, with its number and its tags', async () => {
    const { folder, server } = await startWith('a.mp4', 'b.mp4');
    const before = await listVideos(server);
    await server.services.idSets.write((transaction, changes) =>
      storeTag(transaction, changes, 'kept', [before[0]?.id ?? '']),
    );
    mkdirSync(join(folder, 'deep'));
    renameSync(join(folder, 'a.mp4'), join(folder, 'deep/new name.mp4'));
    expect(await scan(server)).toMatchObject({ found: 2, playable: 2, moved: 1, vanished: 0 });
    expect(await listVideos(server)).toMatchObject([
      {
        id: before[0]?.id,
        number: before[0]?.number,
        path: 'deep/new name.mp4',
        filename: 'new name.mp4',
        missing_since: null,
        available: 1,
      },
      { id: before[1]?.id, path: 'b.mp4' },
    ]);
    expect((await server.get('/api/video/top-left?tag_ids=tag-kept')).json()).toMatchObject({
      id: before[0]?.id,
      path: 'deep/new name.mp4',
    });
  });

  test('with its whole folder is, too', async () => {
    const { folder, server } = await startWith('old/a.mp4', 'old/b.mp4', 'old/deep/c.mp4');
    const before = await idsByPlace(server);
    renameSync(join(folder, 'old'), join(folder, 'new'));
    expect(await scan(server)).toMatchObject({ moved: 3, vanished: 0 });
    expect(await idsByPlace(server)).toEqual(
      Object.fromEntries(Object.entries(before).map(([path, id]) => [path.replace('old', 'new'), id])),
    );
  });

  test('to another library folder is, whichever is looked at first', async () => {
    const [one, two] = [temporaryFolder(), temporaryFolder()];
    putVideos(one, 'a.mp4', 'b.mp4');
    putVideos(two, 'c.mp4');
    copyFileSync(smallVideo(5), join(two, 'd.mp4'));
    const server = await startServer({ library: [one, two] });
    const before = await idsByPlace(server);
    renameSync(join(one, 'b.mp4'), join(two, 'b.mp4'));
    renameSync(join(two, 'd.mp4'), join(one, 'd.mp4'));
    expect(await scan(server)).toMatchObject({ moved: 2, vanished: 0 });
    expect(await idsByPlace(server)).toEqual(before);
  });

  test('long after it had vanished is, also under another name', async () => {
    const { folder, server } = await startWith('a.mp4', 'b.mp4');
    const before = await idsByPlace(server);
    renameSync(join(folder, 'a.mp4'), join(folder, 'a.gone'));
    await scan(server);
    renameSync(join(folder, 'a.gone'), join(folder, 'back.mp4'));
    await scan(server);
    expect(await idsByPlace(server)).toEqual({ 'back.mp4': before['a.mp4'], 'b.mp4': before['b.mp4'] });
  });

  test('with the library folder itself is, once the new one is configured', async () => {
    const old = temporaryFolder();
    putVideos(old, 'a.mp4', 'b.mp4');
    const env = { DATA_DIR: temporaryFolder() };
    const first = await startServer({ library: [old], env });
    const shared = {
      ...env,
      ...(first.services.env.databaseUrl === undefined ? {} : { DATABASE_URL: first.services.env.databaseUrl }),
    };
    const before = await idsByPlace(first);
    const moved = join(temporaryFolder(), 'moved');
    renameSync(old, moved);
    await first.stop();
    const second = await startServer({ library: [moved], env: shared });
    expect(await idsByPlace(second)).toEqual(before);
    mkdirSync(old);
  });
});

/** Starts with one list of folders, and again with another on the same database. */
async function startAgain(one: string[], other: string[], meanwhile: () => void = () => {}) {
  const env = { DATA_DIR: temporaryFolder() };
  const first = await startServer({ library: one, env });
  const { databaseUrl } = first.services.env;
  const before = await placesById(first);
  await first.stop();
  meanwhile();
  const shared = { ...env, ...(databaseUrl === undefined ? {} : { DATABASE_URL: databaseUrl }) };
  const second = await startServer({ library: other, env: shared });
  return { before, after: await placesById(second), server: second };
}

describe('videos keep their ids', () => {
  function putNested(): { folder: string; inner: string } {
    const folder = temporaryFolder();
    putVideos(folder, 'films/a.mp4', 'films/deep/b.mp4');
    copyFileSync(smallVideo(5), join(folder, 'c.mp4'));
    return { folder, inner: join(folder, 'films') };
  }

  test('when the folder around theirs takes its place', async () => {
    const { folder, inner } = putNested();
    const { before, after, server } = await startAgain([inner], [folder]);
    const below = Object.entries(before).map(([id, path]) => [id, `films/${path}`]);
    expect(below.length).toBe(2);
    expect(after).toMatchObject(Object.fromEntries(below));
    expect(Object.keys(after).length).toBe(3);
    const { tags } = (await server.get('/api/tags')).json();
    expect(tags).toMatchObject([{ name: 'films', video_count: 2 }]);
  });

  test('when a copy of their folder takes its place, with the channels of its folders', async () => {
    const { folder } = putNested();
    const copy = join(temporaryFolder(), 'copy');
    const { before, after, server } = await startAgain([folder], [copy], () => {
      cpSync(folder, copy, { recursive: true });
    });
    expect(after).toEqual(before);
    const { tags } = (await server.get('/api/tags')).json();
    expect(tags).toMatchObject([{ name: 'films', video_count: 2 }]);
  });

  test('when a folder in theirs takes its place', async () => {
    const { folder, inner } = putNested();
    const { before, after } = await startAgain([folder], [inner]);
    const left = Object.entries(before).filter(([, path]) => path !== 'c.mp4');
    expect(after).toEqual(Object.fromEntries(left.map(([id, path]) => [id, path.slice('films/'.length)])));
  });

  test('when a folder in theirs, or around theirs, joins it or leaves', async () => {
    const { folder, inner } = putNested();
    for (const [one, other] of [
      [[folder], [folder, inner]],
      [[folder, inner], [folder]],
      [[inner], [folder, inner]],
    ] as const) {
      const { before, after } = await startAgain([...one], [...other]);
      expect(Object.keys(after)).toEqual(expect.arrayContaining(Object.keys(before)));
      expect(Object.keys(after).length).toBe(3);
    }
  });
});

test('a library folder has neither the files that the product writes in it, nor those of its second name', async () => {
  const folder = temporaryFolder();
  const [data, link] = [join(folder, 'data'), join(temporaryFolder(), 'link')];
  putVideos(folder, 'a.mp4', 'data/own.mp4', 'data/derived/encodings/aa/e.mp4', 'data/work/run/grid.mp4');
  putVideos(folder, 'data/cache/c.mp4', 'data/uploads/videos/aa/u.mp4', 'data/uploads/parts/p.mp4');
  symlinkSync(folder, link);
  const server = await startServer({ library: [folder, link], env: { DATA_DIR: data } });
  const places = (await listVideos(server)).map(({ path }) => path).sort();
  expect(places).toEqual(['a.mp4', 'data/own.mp4']);
});

describe('two files', () => {
  /** Equal in size and time stamp: only their bytes and their numbers on the disk tell them apart. */
  function putTwins(folder: string): void {
    const bytes = readFileSync(smallVideo());
    for (const [index, name] of ['a.mp4', 'b.mp4'].entries()) {
      bytes.write(`twin ${index}`, bytes.length - 8, 'latin1');
      writeFileSync(join(folder, name), bytes);
      utimesSync(join(folder, name), 1_000, 1_000);
    }
  }

  test.each([
    ['of different kinds', (folder: string) => putVideos(folder, 'a.mp4', 'b.mp4')],
    ['of equal size and time stamp', putTwins],
  ])('%s that change names take their ids along', async (_, put) => {
    const folder = temporaryFolder();
    put(folder);
    const server = await startServer({ library: [folder] });
    const before = await idsByPlace(server);
    renameSync(join(folder, 'a.mp4'), join(folder, 'between'));
    renameSync(join(folder, 'b.mp4'), join(folder, 'a.mp4'));
    renameSync(join(folder, 'between'), join(folder, 'b.mp4'));
    expect(await scan(server)).toMatchObject({ moved: 2, vanished: 0, playable: 2 });
    expect(await idsByPlace(server)).toEqual({ 'a.mp4': before['b.mp4'], 'b.mp4': before['a.mp4'] });
    expect((await listVideos(server)).length).toBe(2);
  });

  test('of which one takes the place of the other are one video, and a vanished one that can come back', async () => {
    const { folder, server } = await startWith('a.mp4', 'b.mp4');
    const before = await idsByPlace(server);
    copyFileSync(join(folder, 'a.mp4'), join(folder, 'a.saved'));
    renameSync(join(folder, 'b.mp4'), join(folder, 'a.mp4'));
    await scan(server);
    expect(await idsByPlace(server)).toEqual({ 'a.mp4': before['b.mp4'] });
    expect((await server.get('/api/status')).json()).toMatchObject({ TotalVideos: 1 });
    renameSync(join(folder, 'a.saved'), join(folder, 'restored.mp4'));
    await scan(server);
    expect(await idsByPlace(server)).toEqual({ 'a.mp4': before['b.mp4'], 'restored.mp4': before['a.mp4'] });
  });

  test('are two after one was moved away and another was written in its place', async () => {
    const { folder, server } = await startWith('a.mp4');
    const before = await idsByPlace(server);
    renameSync(join(folder, 'a.mp4'), join(folder, 'z.mp4'));
    copyFileSync(smallVideo(7), join(folder, 'a.mp4'));
    await scan(server);
    const after = await idsByPlace(server);
    expect(after['z.mp4']).toBe(before['a.mp4']);
    expect(after['a.mp4']).not.toBe(before['a.mp4']);
  });
});

describe('a copy', () => {
  test('has a row of its own, and so has a second name for one file', async () => {
    const { folder, server } = await startWith('a.mp4');
    const before = await idsByPlace(server);
    copyFileSync(join(folder, 'a.mp4'), join(folder, 'copy.mp4'));
    linkSync(join(folder, 'a.mp4'), join(folder, 'link.mp4'));
    expect(await scan(server)).toMatchObject({ found: 3, playable: 3, moved: 0 });
    const after = await idsByPlace(server);
    expect(after['a.mp4']).toBe(before['a.mp4']);
    expect(new Set(Object.values(after)).size).toBe(3);
  });

  test('of a video that then vanishes does not take its place', async () => {
    const { folder, server } = await startWith('a.mp4', 'other.mp4');
    copyFileSync(join(folder, 'a.mp4'), join(folder, 'copy.mp4'));
    await scan(server);
    const before = await idsByPlace(server);
    rmSync(join(folder, 'a.mp4'));
    expect(await scan(server)).toMatchObject({ moved: 0, vanished: 1 });
    expect(await idsByPlace(server)).toEqual({ 'copy.mp4': before['copy.mp4'], 'other.mp4': before['other.mp4'] });
  });

  test('that vanished long ago does not take the place of one that is renamed now', async () => {
    const { folder, server } = await startWith('a.mp4', 'other.mp4');
    copyFileSync(join(folder, 'a.mp4'), join(folder, 'b.mp4'));
    await scan(server);
    rmSync(join(folder, 'a.mp4'));
    await scan(server);
    const before = await idsByPlace(server);
    mkdirSync(join(folder, 'deep'));
    renameSync(join(folder, 'b.mp4'), join(folder, 'deep/a.mp4'));
    expect(await scan(server)).toMatchObject({ moved: 1, vanished: 0 });
    expect((await idsByPlace(server))['deep/a.mp4']).toBe(before['b.mp4']);
  });

  test('of what is on a disk that is not there leaves the tags with the disk', async () => {
    const [disk, other] = [temporaryFolder(), temporaryFolder()];
    putVideos(disk, 'a.mp4');
    copyFileSync(smallVideo(3), join(other, 'b.mp4'));
    const server = await startServer({ library: [disk, other] });
    const before = await idsByPlace(server);
    renameSync(disk, `${disk}-unplugged`);
    copyFileSync(join(`${disk}-unplugged`, 'a.mp4'), join(other, 'copy.mp4'));
    expect(await scan(server)).toMatchObject({ moved: 0, missingFolders: [disk] });
    renameSync(`${disk}-unplugged`, disk);
    await scan(server);
    expect(await idsByPlace(server)).toMatchObject({ 'a.mp4': before['a.mp4'], 'b.mp4': before['b.mp4'] });
  });
});

describe('an empty mount point', () => {
  test('is a disk that is not there: its videos come back with it, unread', async () => {
    const { folder, server } = await startWith('a.mp4', 'deep/b.mp4');
    const before = await idsByPlace(server);
    renameSync(folder, `${folder}-unmounted`);
    mkdirSync(folder);
    expect(await scan(server)).toMatchObject({ missingFolders: [folder], vanished: 0 });
    expect((await server.get('/api/video/top-left')).json()).toMatchObject({ available: false });
    rmSync(folder, { recursive: true });
    renameSync(`${folder}-unmounted`, folder);
    expect(await scan(server)).toMatchObject({ missingFolders: [], read: 0, playable: 2 });
    expect(await idsByPlace(server)).toEqual(before);
  });
});
