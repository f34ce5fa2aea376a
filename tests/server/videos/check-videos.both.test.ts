import { renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkedVideosSchema } from '#contract/entities/video.ts';
import type { Rendition } from '#contract/rules/rendition.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { personOf, putAccount, putPerson, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

async function startWith(names: string[]) {
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  const server = await startServer({ library: [folder] });
  const rows = await server.services.database.reader.selectFrom('videos').select(['id', 'path']).execute();
  return { folder, server, ids: Object.fromEntries(rows.map(({ path, id }) => [path, id])) };
}

async function check(server: ServerUnderTest, ids: unknown[], rendition: Rendition = 'grid', person?: Person) {
  const payload = { videos: ids.map((id) => ({ id, rendition })) };
  return server.call('POST', '/api/videos/check', { payload, ...(person && { headers: person.headers }) });
}

async function statesOf(...asked: Parameters<typeof check>) {
  const { videos } = checkedVideosSchema.parse((await check(...asked)).json());
  return videos.map(({ state }) => state);
}

test('a device is told of each video that it keeps whether it may, in the order in which it asks', async () => {
  const { folder, server, ids } = await startWith(['a.mp4', 'b.mp4', 'c.mp4']);
  const ada = await putPerson(server, 'ada', 'admin');
  await server.call('PUT', `/api/admin/videos/${ids['b.mp4']}/hidden`, { headers: ada.headers });
  rmSync(join(folder, 'c.mp4'));
  await server.services.scanner.request();
  const asked = [ids['c.mp4'], ids['a.mp4'], 'never-there', ids['b.mp4'], ids['a.mp4']];
  expect(await statesOf(server, asked)).toEqual(['gone', 'fine', 'gone', 'hidden', 'fine']);
});

test('a folder that cannot be reached for a while takes nothing from a device', async () => {
  const { folder, server, ids } = await startWith(['a.mp4']);
  rmSync(folder, { recursive: true });
  await server.services.scanner.request();
  expect((await server.get('/api/video/top-left')).json().available).toBe(false);
  expect(await statesOf(server, [ids['a.mp4']])).toEqual(['fine']);
});

test('the tags are those that a video has now', async () => {
  const { server, ids } = await startWith(['a.mp4', 'b.mp4']);
  const { headers } = await putPerson(server, 'ada', 'admin');
  const { id } = (await server.call('POST', '/api/tags', { headers, payload: { name: 'Sea' } })).json().tag;
  await server.call('POST', '/api/videos/a.mp4/tags', { headers, payload: { tag_ids: [id] } });
  const { videos } = checkedVideosSchema.parse((await check(server, [ids['a.mp4'], ids['b.mp4']])).json());
  expect(videos.map(({ tag_ids }) => tag_ids)).toEqual([[id], []]);
});

test('path and title are those that a video has now, and are told of no video that is gone', async () => {
  const { folder, server, ids } = await startWith(['a_day.mp4', 'b.mp4', 'c.mp4']);
  const { headers } = await putPerson(server, 'ada', 'admin');
  const details = { title: 'North pier', description: '' };
  await server.call('PUT', `/api/videos/${ids['b.mp4']}/details`, { headers, payload: details });
  renameSync(join(folder, 'b.mp4'), join(folder, 'moved.mp4'));
  rmSync(join(folder, 'c.mp4'));
  await server.services.scanner.request();
  const asked = ['a_day.mp4', 'b.mp4', 'c.mp4'].map((path) => ids[path]);
  const { videos } = checkedVideosSchema.parse((await check(server, asked)).json());
  expect(videos.map(({ path, title }) => [path, title])).toEqual([
    ['a_day.mp4', 'A day'],
    ['moved.mp4', 'North pier'],
    [undefined, undefined],
  ]);
});

test('a large encoding is only for whose plan has HD, by the plan of this moment', async () => {
  const { server, ids } = await startWith(['a.mp4']);
  const [bob, pia] = [await putPerson(server, 'bob', 'basic'), await putPerson(server, 'pia', 'pro')];
  await putAccount(server, 'eve', 'pro', { tierExpiresAt: 1 });
  const eve = personOf(await signIn(server, 'eve'));
  const asked = [ids['a.mp4']];
  const answers = [undefined, bob, eve, pia].map((person) => statesOf(server, asked, 'hd', person));
  expect((await Promise.all(answers)).flat()).toEqual(['not_in_plan', 'not_in_plan', 'not_in_plan', 'fine']);
  expect(await statesOf(server, asked, 'source', bob)).toEqual(['fine']);
});

test.each<[string, object]>([
  ['too many', { videos: Array.from({ length: 101 }, () => ({ id: 'a', rendition: 'grid' })) }],
  ['an id that is none', { videos: [{ id: '', rendition: 'grid' }] }],
  ['a rendition that is none', { videos: [{ id: 'a', rendition: '8k' }] }],
  ['no list', {}],
])('%s are refused', async (_, payload) => {
  const { server } = await startWith([]);
  expect((await server.call('POST', '/api/videos/check', { payload })).statusCode).toBe(400);
});
