import { renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { VideoList } from '#contract/entities/tagging.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
putVideos(folder, 'IMG_20230714_183022.mp4', 'clip_one.mp4', 'clip_two.mp4');
putFile(folder, 'clip_two.nfo', '<movie><title>Ebb and flow</title><plot>Mudflats near Husum.</plot></movie>');
const picture = ['-f', 'lavfi', '-i', 'color=red:s=64x64:d=1:r=5', '-c:v', 'libx264'];
makeWithFfmpeg(join(folder, 'zz.mp4'), ...picture, '-metadata', 'title=Avocets', '-metadata', 'comment=At low tide');
utimesSync(join(folder, 'clip_one.mp4'), new Date('2015-03-04T05:06:07Z'), new Date('2015-03-04T05:06:07Z'));
const server = await startServer({ library: [folder] }, afterFile);

async function list(query: Record<string, string>, from: ServerUnderTest = server): Promise<VideoList['videos']> {
  const reply = await from.get(`/api/videos/by-tags?${new URLSearchParams(query)}`);
  return (reply.json() as VideoList).videos;
}

async function findNames(search: string): Promise<string[]> {
  return (await list({ search, sort_by: 'name' })).map(({ filename }) => filename);
}

test('a scan gives each video a title, and the time of its recording', async () => {
  const videos = await list({ sort_by: 'name' });

  expect(videos.map(({ title }) => title)).toEqual(['Avocets', 'Clip one', 'Ebb and flow', '14 July 2023, 18:30']);
  expect(videos[1]?.recorded_at).toBe('2015-03-04T05:06:07.000Z');
});

test('videos are found by title and description, before and after the index is filled', async () => {
  for (const fill of [false, true]) {
    if (fill) await server.services.nameIndex.fill();
    expect(await findNames('avocets')).toEqual(['zz.mp4']);
    expect(await findNames('low tide zz')).toEqual(['zz.mp4']);
    expect(await findNames('husum')).toEqual(['clip_two.mp4']);
    expect(await findNames('clip')).toEqual(['clip_one.mp4', 'clip_two.mp4']);
  }
});

test('a renamed video keeps its own title, and is found by its new name alone', async () => {
  await server.services.nameIndex.fill();
  renameSync(join(folder, 'zz.mp4'), join(folder, 'wader.mp4'));
  await server.services.scanner.request();

  for (const fill of [false, true]) {
    if (fill) await server.services.nameIndex.fill();
    expect(await findNames('wader avocets')).toEqual(['wader.mp4']);
    expect(await findNames('zz')).toEqual([]);
  }
});

/** The number of files that the next scan reads. */
async function readInScan(): Promise<number> {
  const outcome = await server.services.scanner.request();
  if (outcome === null) throw new Error('There was no scan.');
  return outcome.read;
}

const titleOf = async (name: string) =>
  (await list({ sort_by: 'name' })).find(({ filename }) => filename === name)?.title;

test('a text that comes later counts at the next scan, and goes with its file, without any other file being read', async () => {
  expect(await readInScan()).toBe(0);
  putFile(folder, 'clip_one.info.json', '{"title":"Neap tide"}');
  expect([await readInScan(), await titleOf('clip_one.mp4')]).toEqual([1, 'Neap tide']);
  expect(await readInScan()).toBe(0);
  rmSync(join(folder, 'clip_one.info.json'));
  expect([await readInScan(), await titleOf('clip_one.mp4')]).toEqual([1, 'Clip one']);
});

test('a changed text is found, and the previous one no more', async () => {
  await server.services.nameIndex.fill();
  writeFileSync(join(folder, 'clip_two.nfo'), '<movie><title>Spring tide</title></movie>');
  expect(await readInScan()).toBe(1);

  for (const fill of [false, true]) {
    if (fill) await server.services.nameIndex.fill();
    expect(await findNames('spring')).toEqual(['clip_two.mp4']);
    expect(await findNames('husum')).toEqual([]);
    expect(await findNames('ebb')).toEqual([]);
  }
});
