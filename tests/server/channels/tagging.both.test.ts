import { describe, expect, test } from 'vitest';
import type { AllTaggingList, TaggingList } from '#contract/entities/tagging.ts';
import { allTaggingListSchema, taggingListSchema, videoTagsSchema } from '#contract/entities/tagging.ts';
import type { Executor } from '#server/database/tables.ts';
import { countStatements } from '#tests/support/database/statements.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

const server = await startServer({}, afterFile);
const { idSets, database } = server.services;
const { headers } = await putPerson(server, 'viewer');
const admin = await putPerson(server, 'keeper', 'admin');

/** Thirty videos, oldest first, and one that cannot be played; the first ten are crimson. */
const ids = await idSets.write(async (transaction, changes) => {
  const stored = await storeVideos(transaction, changes, 30);
  const [broken = ''] = await storeVideos(transaction, changes, 1, { available: 0, reason: 'truncated' });
  await storeTag(transaction, changes, 'crimson', [...stored.slice(0, 10), broken]);
  await storeTag(transaction, changes, 'blue');
  await storeTag(transaction, changes, 'gone', stored, 0);
  const numbers = await transaction.selectFrom('videos').select('number').execute();
  await idSets.putUntagged(
    transaction,
    changes,
    numbers.map((video) => video.number),
  );
  return stored;
});
const pathOf = (index: number) => `stored-fine-${index}.mp4`;
const newestFirst = (from: number, to: number) => ids.slice(from, to).reverse();

async function list(query: Record<string, string> = {}): Promise<TaggingList> {
  const reply = await server.get(`/api/videos/tagging?${new URLSearchParams(query)}`, headers);
  return taggingListSchema.parse(reply.json());
}

const idsOf = ({ videos }: Pick<AllTaggingList, 'videos'>) => videos.map(({ video }) => video.id);

describe('videos to be tagged', () => {
  test('come newest first, twelve a page, with the counts of all', async () => {
    const page = await list({ page: '2' });
    expect(page).toMatchObject({ total: 30, total_pages: 3, page: 2, limit: 12 });
    expect(page.counts).toEqual({ untagged: 20, tagged: 10, total: 30 });
    expect(idsOf(page)).toEqual(newestFirst(6, 18));
    expect(page.videos.at(-1)).toMatchObject({
      tags: [{ id: 'tag-crimson' }],
      video: { tags: [{ id: 'tag-crimson' }] },
    });
  });

  test.each([
    ['untagged ones alone', { show_untagged_only: 'true', limit: '100' }, newestFirst(10, 30), 20],
    [
      'untagged ones first',
      { untagged_first: 'true', limit: '100' },
      [...newestFirst(10, 30), ...newestFirst(0, 10)],
      30,
    ],
    [
      'the page where they meet',
      { untagged_first: 'true', limit: '8', page: '3' },
      [...newestFirst(10, 14), ...newestFirst(6, 10)],
      30,
    ],
    ['a page past the untagged', { untagged_first: 'true', limit: '10', page: '3' }, newestFirst(0, 10), 30],
    ['a page past the end', { untagged_first: 'true', page: '99' }, [], 30],
    ['a search by name', { search: 'fine-2', limit: '100' }, [...newestFirst(20, 30), ...newestFirst(2, 3)], 11],
    ['a search, untagged first', { search: 'CRIMSON', untagged_first: 'true', limit: '3' }, newestFirst(7, 10), 10],
    ['a search among the untagged', { search: 'crimson', show_untagged_only: 'true' }, [], 0],
  ])('%s', async (_, query, expected, total) => {
    await indexNames();
    const page = await list(query as Record<string, string>);
    expect([idsOf(page), page.total]).toEqual([expected, total]);
    expect(page.counts).toEqual({ untagged: 20, tagged: 10, total: 30 });
  });

  test('are all in one answer for other clients', async () => {
    const reply = await server.get('/api/videos/tagging/all?show_untagged_only=true', headers);
    const whole = allTaggingListSchema.parse(reply.json());
    expect([idsOf(whole), whole.total, whole.truncated]).toEqual([newestFirst(10, 30), 20, false]);
    const found = await server.get('/api/videos/tagging/all?search=%2Ftags', headers);
    expect(allTaggingListSchema.parse(found.json())).toEqual({ videos: [], total: 0, truncated: false });
  });

  test('are read with as few statements, however long the page is', async () => {
    await list();
    const statementsFor = (limit: string) => countStatements(() => list({ limit }));
    expect(await statementsFor('30')).toBe(await statementsFor('2'));
  });

  test('are for those who signed in', async () => {
    for (const url of ['/api/videos/tagging', '/api/videos/tagging/all'])
      expect((await server.get(url)).statusCode).toBe(401);
  });
});

async function indexNames(): Promise<void> {
  await server.services.nameIndex.start();
  const isIndexed = async () =>
    (await database.reader.selectFrom('unindexed_names').selectAll().limit(1).execute()).length === 0;
  await expect.poll(isIndexed).toBe(true);
}

const tagsUrl = (path: string) => `/api/videos/${encodeURIComponent(path)}/tags`;

async function tagsOf(path: string): Promise<string[]> {
  const reply = await server.get(tagsUrl(path));
  return videoTagsSchema.parse(reply.json()).tags.map((tag) => tag.name);
}

const assign = (path: string, tagIds: readonly unknown[], more: object = {}) =>
  server.call('POST', tagsUrl(path), { headers, payload: { tag_ids: tagIds, ...more } });

const remove = (path: string, tagId: string) => server.call('DELETE', `${tagsUrl(path)}/${tagId}`, { headers });

describe('the tags of a video', () => {
  test('are read by everybody, put on and taken off', async () => {
    const path = pathOf(20);
    expect(await tagsOf(path)).toEqual([]);
    const reply = await assign(path, ['tag-crimson', 'tag-blue'], { confidence_score: 1 });
    expect(reply.statusCode).toBe(200);
    expect(videoTagsSchema.parse(reply.json()).tags.map((tag) => tag.name)).toEqual(['blue', 'crimson']);
    expect((await list()).counts.untagged).toBe(19);
    expect((await assign(path, ['tag-crimson'])).json()).toEqual(reply.json());
    for (const tag of ['tag-crimson', 'tag-blue']) expect((await remove(path, tag)).statusCode).toBe(204);
    expect((await remove(path, 'tag-crimson')).statusCode).toBe(404);
    expect((await list()).counts.untagged).toBe(20);
  });

  test.each([
    ['none', [], 400],
    ['too many', Array.from({ length: 10_001 }, (_, index) => `t${index}`), 413],
    ['more than one call may', Array.from({ length: 201 }, (_, index) => `t${index}`), 400],
    ['a number', [-1], 400],
    ['nothing at all', [null], 400],
    ['one that never was', ['tag-crimson', 'none'], 404],
    ['a deleted one', ['tag-crimson', 'tag-gone'], 404],
  ])('%s cannot be put on', async (_, tagIds, status) => {
    const path = pathOf(21);
    expect((await assign(path, tagIds)).statusCode).toBe(status);
    expect(await tagsOf(path)).toEqual([]);
  });

  test.each([5, '1e9', null, '1'])('a confidence of %j is refused', async (confidence_score) => {
    expect((await assign(pathOf(21), ['tag-crimson'], { confidence_score })).statusCode).toBe(400);
    expect(await tagsOf(pathOf(21))).toEqual([]);
  });

  test('that a folder put there become those of people', async () => {
    const path = pathOf(22);
    await putByFolder(path, 'tag-blue');
    expect((await list()).counts.untagged).toBe(20);
    await assign(path, ['tag-blue']);
    expect((await list()).counts.untagged).toBe(19);
    await remove(path, 'tag-blue');
    expect((await list()).counts.untagged).toBe(20);
  });

  test('are not lost when two people change them at once', async () => {
    const path = pathOf(23);
    const toggle = (tag: string, isOn: boolean) => (isOn ? assign(path, [tag]) : remove(path, tag));
    for (let round = 0, isBlue = false; round < 50; round += 1) {
      const isCrimson = round % 2 === 0;
      // Both the same way, and each another way.
      if (round !== 25) isBlue = !isBlue;
      await Promise.all([toggle('tag-crimson', isCrimson), toggle('tag-blue', isBlue)]);
      expect(await tagsOf(path)).toEqual([...(isBlue ? ['blue'] : []), ...(isCrimson ? ['crimson'] : [])]);
    }
    await remove(path, 'tag-blue');
    expect(differences(idSets, await readTruth(database))).toEqual([]);
  });
});

async function putByFolder(path: string, tagId: string): Promise<void> {
  await idSets.write(async (transaction, changes) => {
    const tag = await numberOf(transaction, 'tags', 'id', tagId);
    const video = await numberOf(transaction, 'videos', 'path', path);
    await transaction.insertInto('video_tags').values({ video_number: video, tag_number: tag, by_folder: 1 }).execute();
    changes.add(tag, video);
    await idSets.putUntagged(transaction, changes, [video]);
  });
}

async function numberOf(
  executor: Executor,
  table: 'tags' | 'videos',
  column: 'id' | 'path',
  value: string,
): Promise<number> {
  const rows = executor.selectFrom(table as 'videos').select('number');
  return (await rows.where(column, '=', value).executeTakeFirstOrThrow()).number;
}

describe('the path of a video in an address', () => {
  const folder = temporaryFolder(afterFile);
  const names = ['a b/one & two+ü%20#1.mp4', 'b.mp4', 'a/b.mp4', 'a%2Fb.mp4', 'odd/tags/c.mp4', 'odd/tags.mp4'];
  putVideos(folder, ...names);

  test('names the one exact video, or none', async () => {
    const library = await startServer({ library: [folder] });
    const person = await putPerson(library, 'viewer');
    const call = (method: 'GET' | 'POST', url: string, payload?: object) =>
      library.call(method, url, { headers: person.headers, ...(payload === undefined ? {} : { payload }) });
    const { id } = (await call('POST', '/api/tags', { name: 'mark' })).json().tag;
    const tagsOn = async (name: string): Promise<{ id: string }[]> => (await call('GET', tagsUrl(name))).json().tags;
    const isMarked = async (name: string) => (await tagsOn(name)).some((tag) => tag.id === id);
    const expectNames = async (address: string, name: string | null) => {
      const url = `/api/videos/${address}/tags`;
      const reply = await call('POST', url, { tag_ids: [id] });
      expect([address, reply.statusCode]).toEqual([address, name === null ? 404 : 200]);
      for (const other of names)
        expect([address, other, await isMarked(other)]).toEqual([address, other, other === name]);
      if (name !== null) await library.call('DELETE', `${url}/${id}`, { headers: person.headers });
    };
    for (const name of names) await expectNames(encodeURIComponent(name), name);
    await expectNames('a/b.mp4', 'a/b.mp4');
    await expectNames('a%252Fb.mp4', 'a%2Fb.mp4');
    await expectNames('odd/tags/c.mp4', 'odd/tags/c.mp4');
    for (const address of [
      'a%25252Fb.mp4',
      'a%2F..%2Fb.mp4',
      'a%2F%2e%2e%2Fb.mp4',
      '.%2Fb.mp4',
      '%2Fb.mp4',
      'a',
      'a%2F',
      'A%2Fb.mp4',
      'odd/tags',
    ])
      await expectNames(address, null);
  });
});

test('a hidden video is found by administrators alone', async () => {
  await server.call('PUT', `/api/admin/videos/${ids[24]}/hidden`, { headers: admin.headers });
  expect((await server.get(tagsUrl(pathOf(24)), headers)).statusCode).toBe(404);
  expect((await assign(pathOf(24), ['tag-crimson'])).statusCode).toBe(404);
  expect((await server.get(tagsUrl(pathOf(24)), admin.headers)).statusCode).toBe(200);
});
