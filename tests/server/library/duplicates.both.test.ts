import { copyFileSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DuplicateVideo } from '#contract/entities/duplicate.ts';
import { duplicateListSchema } from '#contract/entities/duplicate.ts';
import { limits } from '#contract/limits.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { rescan, startAtWork, untilIdle } from '#tests/support/media/poster-server.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { smallVideo } from '#tests/support/media/videos.ts';
import { putAccount } from '#tests/support/people.ts';
import { storeUpload } from '#tests/support/stored-uploads.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
const at = (name: string) => join(folder, name);
const sized = ['-vf', 'scale=320:180', '-r', '25', '-t', '2', '-c:v', 'libx264', '-preset', 'ultrafast'];

makeWithFfmpeg(at('first.mp4'), '-f', 'lavfi', '-i', 'testsrc2', ...sized);
copyFileSync(at('first.mp4'), at('copy.mp4'));
makeWithFfmpeg(at('small.mp4'), '-i', at('first.mp4'), ...sized, '-crf', '38');
makeWithFfmpeg(at('other.mp4'), '-f', 'lavfi', '-i', 'mandelbrot', ...sized);
copyFileSync(smallVideo(), at('alone.mp4'));

const server = await startAtWork(folder, {}, afterFile);
const { database, idSets } = server.services;
/** The caller of all calls has an account. */
const account = await putAccount(server, 'ada', 'admin');
await database.write((transaction) =>
  transaction.updateTable('users').set({ id: 'u' }).where('id', '=', account).execute(),
);

const list = async (query = '') =>
  duplicateListSchema.parse((await server.get(`/api/admin/duplicates${query}`)).json());
async function search() {
  expect((await server.call('POST', '/api/admin/duplicates/search')).statusCode).toBe(202);
  await untilIdle(server);
  return list();
}
const paths = ({ videos }: { videos: readonly DuplicateVideo[] }) => videos.map(({ path }) => path).sort();
const groupsOf = (found: Awaited<ReturnType<typeof list>>) => found.groups.map(paths);
const videoAt = (found: Awaited<ReturnType<typeof list>>, path: string) => {
  const video = found.groups.flatMap(({ videos }) => videos).find((one) => one.path === path);
  if (video === undefined) throw new Error(`${path} is not listed.`);
  return video;
};
const change = async (method: 'PUT' | 'DELETE', id: string, what: 'hidden' | 'kept') =>
  (await server.call(method, `/api/admin/videos/${id}/${what}`)).statusCode;

describe('a search for duplicates', () => {
  test('finds a copy, and a video that was encoded again, and says how near they are', async () => {
    expect(await list()).toMatchObject({ groups: [], total: 0, search: { is_running: false, finished_at: null } });
    const found = await search();
    expect(groupsOf(found)).toEqual([['copy.mp4', 'first.mp4', 'small.mp4']]);
    expect(found).toMatchObject({ total: 1, search: { is_running: false, progress: null } });
    expect(found.search.finished_at).not.toBeNull();
    const [first, copy, small] = ['copy.mp4', 'first.mp4', 'small.mp4'].map((path) => videoAt(found, path));
    expect(found.groups[0]).toMatchObject({ id: first?.id, count: 3 });
    expect([copy?.is_copy, copy?.likeness]).toEqual([true, 100]);
    expect(small?.is_copy).toBe(false);
    expect(small?.likeness).toBeGreaterThanOrEqual(limits.alikePercent);
    expect(copy).toMatchObject({ title: 'First', duration: 2, video_codec: 'avc', tags: [], upload: null });
    expect(copy?.poster_url).toContain(`/api/videos/${copy?.id}/poster`);
  });

  test('finds the same again, without reading a file twice', async () => {
    const before = await database.reader.selectFrom('video_prints').selectAll().orderBy('video_number').execute();
    expect(before.filter(({ content }) => content !== null)).toHaveLength(2);
    // With another content stored, equal bytes that were read again would be a group.
    await database.write((transaction) =>
      transaction
        .updateTable('video_prints')
        .set({ content: 'another' })
        .where('video_number', '=', before.find(({ content }) => content !== null)?.video_number ?? 0)
        .execute(),
    );
    const found = await search();
    expect(found.groups[0]?.videos.map(({ is_copy }) => is_copy)).toEqual([true, false, false]);
    await database.write((transaction) => transaction.deleteFrom('video_prints').execute());
    expect((await search()).groups[0]?.videos.map(({ is_copy }) => is_copy)).toEqual([true, true, false]);
  });

  test('tells files apart that agree in their samples alone', async () => {
    const bytes = Buffer.alloc(200_000, 7);
    writeFileSync(at('one.mp4'), bytes);
    bytes[40_000] = 8;
    writeFileSync(at('two.mp4'), bytes);
    await rescan(server);
    expect(groupsOf(await search())).toEqual([['copy.mp4', 'first.mp4', 'small.mp4']]);
    writeFileSync(at('three.mp4'), bytes);
    await rescan(server);
    expect(groupsOf(await search())).toContainEqual(['three.mp4', 'two.mp4']);
    for (const name of ['one.mp4', 'two.mp4', 'three.mp4']) rmSync(at(name));
    await rescan(server);
    expect(groupsOf(await list())).toEqual([['copy.mp4', 'first.mp4', 'small.mp4']]);
  });

  test('forgets a video that is another one now', async () => {
    const { mtime } = statSync(at('small.mp4'));
    copyFileSync(at('other.mp4'), at('small.mp4'));
    utimesSync(at('small.mp4'), mtime, new Date(mtime.getTime() + 60_000));
    await rescan(server);
    expect(groupsOf(await search())).toEqual(
      expect.arrayContaining([
        ['copy.mp4', 'first.mp4'],
        ['other.mp4', 'small.mp4'],
      ]),
    );
    makeWithFfmpeg(at('small.mp4'), '-i', at('first.mp4'), ...sized, '-crf', '38');
    await rescan(server);
    expect(groupsOf(await search())).toEqual([['copy.mp4', 'first.mp4', 'small.mp4']]);
  });
});

describe('of a group of duplicates', () => {
  test('a hidden video leaves, with its channels and favourites, until it is shown again', async () => {
    const found = await list();
    const { id } = videoAt(found, 'copy.mp4');
    const { number } = await database.reader
      .selectFrom('videos')
      .select('number')
      .where('id', '=', id)
      .executeTakeFirstOrThrow();
    await database.write(async (transaction) => {
      await transaction.insertInto('favourites').values({ user_id: 'u', video_id: id, added_at: 1 }).execute();
      const tag = { id: 'sea', name: 'Sea', name_key: 'sea', description: '', color: '#3B82F6', active: 1 } as const;
      const stored = await transaction
        .insertInto('tags')
        .values({ ...tag, created_at: 1 })
        .returning('number')
        .executeTakeFirstOrThrow();
      await transaction.insertInto('video_tags').values({ video_number: number, tag_number: stored.number }).execute();
    });
    expect(await change('PUT', id, 'hidden')).toBe(204);
    expect(groupsOf(await list())).toEqual([['first.mp4', 'small.mp4']]);
    expect(await change('PUT', videoAt(found, 'small.mp4').id, 'hidden')).toBe(204);
    expect(await list()).toMatchObject({ groups: [], total: 0 });
    expect(await search()).toMatchObject({ groups: [], total: 0 });
    for (const path of ['copy.mp4', 'small.mp4'])
      expect(await change('DELETE', videoAt(found, path).id, 'hidden')).toBe(204);
    const shown = await list();
    expect(groupsOf(shown)).toEqual([['copy.mp4', 'first.mp4', 'small.mp4']]);
    expect(videoAt(shown, 'copy.mp4').tags).toEqual([{ id: 'sea', name: 'Sea' }]);
    expect(await database.reader.selectFrom('favourites').select('video_id').execute()).toEqual([{ video_id: id }]);
  });

  test('all can be kept: they are listed again when asked, and when another one comes', async () => {
    const found = await list();
    const { id } = videoAt(found, 'small.mp4');
    expect(await change('PUT', id, 'kept')).toBe(204);
    expect(await list()).toMatchObject({ groups: [], total: 0 });
    expect(await search()).toMatchObject({ groups: [], total: 0 });
    expect(await change('DELETE', id, 'kept')).toBe(204);
    expect((await list()).total).toBe(1);
    await change('PUT', id, 'kept');
    copyFileSync(at('first.mp4'), at('third.mp4'));
    await rescan(server);
    expect(groupsOf(await search())).toEqual([['copy.mp4', 'first.mp4', 'small.mp4', 'third.mp4']]);
    rmSync(at('third.mp4'));
    await rescan(server);
    await change('DELETE', id, 'kept');
    expect(await change('PUT', 'nobody', 'kept')).toBe(404);
  });

  test('all stay kept while posters are still to be made, as after a restore', async () => {
    const { id } = videoAt(await list(), 'small.mp4');
    await change('PUT', id, 'kept');
    await database.write(async (transaction) => {
      await transaction.deleteFrom('posters').execute();
      await transaction.deleteFrom('video_prints').execute();
    });
    expect(await search()).toMatchObject({ groups: [], total: 0 });
    await rescan(server);
    expect(await search()).toMatchObject({ groups: [], total: 0 });
    await change('DELETE', id, 'kept');
    expect(groupsOf(await list())).toEqual([['copy.mp4', 'first.mp4', 'small.mp4']]);
  });

  test('an upload can be removed by administrators, and brought back', async () => {
    const bob = await putAccount(server, 'bob');
    const made = makeWithFfmpeg(join(temporaryFolder(), 'sent.mp4'), '-i', at('first.mp4'), ...sized, '-crf', '35');
    const { id } = await storeUpload(server, bob, { filename: 'sent.mp4', bytes: readFileSync(made) });
    await rescan(server);
    const sent = async () => (await search()).groups[0]?.videos.find(({ upload }) => upload !== null);
    const { upload, likeness } = (await sent()) ?? {};
    expect([upload, (likeness ?? 0) >= limits.alikePercent]).toEqual([{ entry: id, stored: id }, true]);
    expect((await server.call('DELETE', `/api/upload/file/${id}`)).statusCode).toBe(204);
    expect(groupsOf(await list())).toEqual([['copy.mp4', 'first.mp4', 'small.mp4']]);
    expect((await server.call('POST', `/api/admin/uploads/removed/${id}/restore`)).statusCode).toBe(204);
    await rescan(server);
    expect((await sent())?.upload).toEqual({ entry: id, stored: id });
    await server.call('DELETE', `/api/upload/file/${id}`);
  });

  test('the page shows some, and how many there are', async () => {
    const count = limits.duplicatesShown + 3;
    const ids = await idSets.write((transaction, changes) => storeVideos(transaction, changes, count + 2));
    const rows = await database.reader.selectFrom('videos').select('number').where('id', 'in', ids).execute();
    const numbers = rows.map(({ number }) => number).sort((one, other) => one - other);
    const groupOf = (index: number) => numbers[index < count ? 0 : count] ?? 0;
    await database.write((transaction) =>
      transaction
        .insertInto('duplicates')
        .values(numbers.map((number, index) => ({ video_number: number, group_number: groupOf(index), search: '' })))
        .execute(),
    );
    const found = await list();
    expect(found).toMatchObject({ total: 3, total_pages: 1, limit: limits.duplicatesPerPage });
    expect(found.groups.map((group) => [group.count, group.videos.length])).toEqual([
      [3, 3],
      [count, limits.duplicatesShown],
      [2, 2],
    ]);
    expect(groupsOf(await list('?limit=1&page=3'))).toEqual([groupsOf(found)[2]]);
    // What no search finds is listed no more.
    expect((await search()).total).toBe(1);
  });
});
