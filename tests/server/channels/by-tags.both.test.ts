import { describe, expect, test } from 'vitest';
import type { VideoList } from '#contract/entities/tagging.ts';
import { videoListSchema, videoReplySchema } from '#contract/entities/tagging.ts';
import { countStatements } from '#tests/support/database/statements.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const shared = await startServer({}, afterFile);
const person = await putPerson(shared, 'viewer');

/** Six videos, oldest first: red are 0 to 3, blue are 3 to 5, and one that is both cannot be played. */
const ids = await shared.services.idSets.write(async (transaction, changes) => {
  const stored = await storeVideos(transaction, changes, 6);
  const [broken = ''] = await storeVideos(transaction, changes, 1, { available: 0, reason: 'truncated' });
  await storeTag(transaction, changes, 'red', [...stored.slice(0, 4), broken]);
  await storeTag(transaction, changes, 'blue', [...stored.slice(3), broken]);
  await storeTag(transaction, changes, 'gone', stored, 0);
  return stored;
});
const nameOf = (index: number) => ids[index];

async function list(
  query: Record<string, string>,
  { server = shared, headers = {} }: { server?: ServerUnderTest; headers?: Record<string, string> } = {},
): Promise<VideoList> {
  const reply = await server.get(`/api/videos/by-tags?${new URLSearchParams(query)}`, headers);
  return videoListSchema.parse(reply.json());
}

const idsOf = ({ videos }: VideoList) => videos.map((video) => video.id);

describe('the videos of channels', () => {
  test('are told as players and cards need them, with addresses that play', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'shows/one & two+ü%20#1.mp4');
    const server = await startServer({ library: [folder] });
    const { videos, ...pages } = await list({}, { server });
    expect(pages).toEqual({ total: 1, total_pages: 1, page: 1, limit: 20 });
    expect(videos[0]).toMatchObject({
      path: 'shows/one & two+ü%20#1.mp4',
      filename: 'one & two+ü%20#1.mp4',
      available: true,
      message: null,
      // The channel of its folder.
      tags: [{ name: 'shows' }],
    });
    expect((await server.get(videos[0]?.url ?? '')).statusCode).toBe(200);
  });

  test('carry their active tags by name', async () => {
    const { videos } = await list({ tag_ids: 'tag-red,tag-blue', filter_mode: 'AND' });
    expect(videos.map(({ tags }) => tags)).toEqual([
      [
        { id: 'tag-blue', name: 'blue', color: '#3B82F6' },
        { id: 'tag-red', name: 'red', color: '#3B82F6' },
      ],
    ]);
  });

  test.each([
    ['without channels', {}, [5, 4, 3, 2, 1, 0]],
    ['of one', { tag_ids: 'tag-red' }, [3, 2, 1, 0]],
    ['of any', { tag_ids: 'tag-red,tag-blue' }, [5, 4, 3, 2, 1, 0]],
    ['of all', { tag_ids: 'tag-red,tag-blue', filter_mode: 'AND' }, [3]],
    ['of one and one that is gone, by OR', { tag_ids: 'tag-red,none' }, [3, 2, 1, 0]],
    ['of one and one that is gone, by AND', { tag_ids: 'tag-red,none', filter_mode: 'AND' }, []],
    ['of a deleted one', { tag_ids: 'tag-gone' }, []],
    ['but blocked ones', { blocked_tag_ids: 'tag-blue,none' }, [2, 1, 0]],
    ['of one that is blocked', { tag_ids: 'tag-red', blocked_tag_ids: 'tag-red' }, []],
  ])('%s are listed newest first', async (_, query, expected) => {
    const found = await list(query);
    expect([idsOf(found), found.total]).toEqual([expected.map(nameOf), expected.length]);
  });

  test('come in pages, and a page past the end is empty', async () => {
    const query = { tag_ids: 'tag-red', limit: '3' };
    expect(await list(query)).toMatchObject({ total: 4, total_pages: 2, page: 1, limit: 3 });
    expect(idsOf(await list({ ...query, page: '2' }))).toEqual([nameOf(0)]);
    expect(await list({ ...query, page: '3' })).toMatchObject({ videos: [], total: 4, total_pages: 2, page: 3 });
  });

  test('take the same few statements however many a page has', async () => {
    await list({});
    for (const limit of ['1', '6']) expect(await countStatements(() => list({ limit }))).toBeLessThanOrEqual(4);
  });

  test('obey the stored blocklist of who is signed in, from one call to the next', async () => {
    const block = (blocked_tag_ids: string[]) =>
      shared.call('PUT', '/users/blocklist', { headers: person.headers, payload: { blocked_tag_ids } });
    await block(['tag-blue']);
    const { headers } = person;
    expect(idsOf(await list({}, { headers }))).toEqual([2, 1, 0].map(nameOf));
    expect((await list({})).total).toBe(6);
    await block([]);
    expect((await list({}, { headers })).total).toBe(6);
  });

  test('of a filter that is too long or has an unknown mode are refused', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `t${index}`).join();
    for (const query of [`tag_ids=${many}`, 'filter_mode=XOR', 'limit=many'])
      expect((await shared.get(`/api/videos/by-tags?${query}`)).statusCode).toBe(400);
  });
});

describe('one video', () => {
  test('is told by its id, with an address of its own', async () => {
    const reply = await shared.get(`/api/videos/${nameOf(3)}`);
    const { video } = videoReplySchema.parse(reply.json());
    expect(video.tags.map(({ name }) => name)).toEqual(['blue', 'red']);
    const [listed] = (await list({ tag_ids: 'tag-red', limit: '1' })).videos;
    expect({ ...video, url: '' }).toEqual({ ...listed, url: '' });
  });

  test.each(['none', 'id-stored-truncated-0.mp4', '%00', 'a%2Fb'])('that is %s is not found', async (id) => {
    expect([400, 404]).toContain((await shared.get(`/api/videos/${id}`)).statusCode);
  });

  test('in a channel that the caller blocks is not found', async () => {
    const { headers } = await putPerson(shared, 'shielded');
    const url = `/api/videos/${nameOf(5)}`;
    expect((await shared.get(url, headers)).statusCode).toBe(200);
    await shared.call('PUT', '/users/blocklist', { headers, payload: { blocked_tag_ids: ['tag-blue'] } });
    expect((await shared.get(url, headers)).statusCode).toBe(404);
    expect((await shared.get(url)).statusCode).toBe(200);
  });
});

test('a hidden video leaves every list, search and address until it is shown again', async () => {
  const { headers } = await putPerson(shared, 'keeper', 'admin');
  const hidden = nameOf(1) ?? '';
  const change = (method: 'PUT' | 'DELETE') =>
    shared.call(method, `/api/admin/videos/${hidden}/hidden`, { headers, payload: {} });
  expect((await change('PUT')).statusCode).toBe(204);
  expect(idsOf(await list({ tag_ids: 'tag-red' }))).toEqual([3, 2, 0].map(nameOf));
  // By their channel or their own names: all are stored.
  expect(idsOf(await list({ search: 'red' }))).toEqual([5, 4, 3, 2, 0].map(nameOf));
  expect((await shared.get(`/api/videos/${hidden}`)).statusCode).toBe(404);
  expect((await shared.get('/api/tags/tag-red')).json().tag.video_count).toBe(3);
  await change('DELETE');
  expect((await list({ tag_ids: 'tag-red' })).total).toBe(4);
});
