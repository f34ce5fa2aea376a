import { join } from 'node:path';
import { beforeEach, expect, test, vi } from 'vitest';
import type { TagChangeRecord } from '#contract/entities/tag.ts';
import { tagChangeListSchema } from '#contract/entities/tag.ts';
import type { VideoList } from '#contract/entities/tagging.ts';
import type { VideoDetails } from '#contract/entities/video.ts';
import { videoDetailsReplySchema } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
putVideos(folder, 'low_tide.mp4', 'clip.mp4');
putFile(folder, 'clip.nfo', '<movie><title>Ebb and flow</title><plot>Mudflats.</plot></movie>');
const server = await startServer({ library: [folder], overrides: { jobTimes: { poll: 10 } } }, afterFile);
const keeper = await putPerson(server, 'keeper', 'admin');
const [vera, otto] = [await putPerson(server, 'vera'), await putPerson(server, 'otto')];

const search = async (text: string) => {
  const reply = await server.get(`/api/videos/by-tags?${new URLSearchParams({ search: text, sort_by: 'name' })}`);
  return (reply.json() as VideoList).videos;
};
const [video] = await search('clip');
const address = `/api/videos/${video?.id}/details`;

type Person = typeof keeper;

const edit = (person: Person, payload: object) => server.call('PUT', address, { headers: person.headers, payload });

async function read(person?: Person): Promise<VideoDetails> {
  return videoDetailsReplySchema.parse((await server.get(address, person?.headers)).json()).details;
}

async function listChanges(): Promise<TagChangeRecord[]> {
  const reply = await server.get('/api/admin/tags/changes?limit=100', keeper.headers);
  return tagChangeListSchema.parse(reply.json()).changes;
}

const undo = (change: TagChangeRecord | undefined) =>
  server.call('POST', `/api/admin/tags/changes/${change?.id}/undo`, { headers: keeper.headers });

const untilTitle = (title: string) => vi.waitFor(async () => expect((await read()).title).toBe(title), { interval: 5 });

beforeEach(async () => {
  await edit(keeper, { title: '', description: 'Mudflats.' });
  expect(await read()).toMatchObject({ title: 'Ebb and flow', description: 'Mudflats.' });
});

test('anybody reads what is known of a video, and administrators also where it is', async () => {
  expect(await read()).toMatchObject({ filename: 'clip.mp4', video_codec: 'avc', place: null });
  expect(await read(vera)).toMatchObject({ place: null });
  expect(await read(keeper)).toMatchObject({ place: join(folder, 'clip.mp4') });
});

test('the details say how long a video was played in all', async () => {
  const { database, plays } = server.services;
  expect((await read()).played_seconds).toBe(0);
  for (const ms of [90_000, 31_500]) {
    plays.add(video?.id ?? '', ms);
    const unwritten = plays.unwritten();
    await database.write(async (transaction) => unwritten?.write(transaction));
    unwritten?.markWritten();
  }
  expect((await read()).played_seconds).toBe(121);
});

test('details of a hidden video are for administrators alone', async () => {
  const hidden = `/api/admin/videos/${video?.id}/hidden`;
  expect((await server.call('PUT', hidden, { headers: keeper.headers })).statusCode).toBe(204);
  expect((await server.get(address)).statusCode).toBe(404);
  expect((await edit(vera, { title: 'Mine' })).statusCode).toBe(404);
  expect((await server.get(address, keeper.headers)).statusCode).toBe(200);
  expect((await server.call('DELETE', hidden, { headers: keeper.headers })).statusCode).toBe(204);
});

test('an edited title is shown, searched and sorted by, and a scan does not take it back', async () => {
  const reply = await edit(vera, { title: '  Zwin \u202E at dawn ', description: 'One\n\n\n\ntwo' });

  expect(reply.json().details).toMatchObject({ title: 'Zwin at dawn', description: 'One\n\ntwo' });
  expect((await search('zwin two')).map(({ title }) => title)).toEqual(['Zwin at dawn']);
  expect(await search('mudflats')).toEqual([]);
  expect((await search('mp4')).map(({ title }) => title)).toEqual(['Low tide', 'Zwin at dawn']);
  await server.services.scanner.request();
  expect((await read()).title).toBe('Zwin at dawn');
});

test('a title that is taken away is that of the file again, and no change is recorded of nothing', async () => {
  await edit(vera, { title: 'Mine' });
  const { length } = await listChanges();
  await edit(vera, { title: ' ' });
  await edit(vera, { title: 'Ebb and flow' });

  expect(await read()).toMatchObject({ title: 'Ebb and flow', description: 'Mudflats.' });
  expect(await listChanges()).toHaveLength(length + 1);
});

test('a text that is too long is refused', async () => {
  expect((await edit(vera, { title: 'x'.repeat(201) })).statusCode).toBe(400);
  expect((await edit(vera, { description: '🌊'.repeat(2_001) })).statusCode).toBe(400);
  expect((await edit(vera, { description: '🌊'.repeat(2_000) })).statusCode).toBe(200);
});

test('somebody who is no administrator edits details 500 times a day, so that nobody fills the disk with old texts', async () => {
  const pat = await putPerson(server, 'pat');
  await edit(pat, { title: 'The first of today' });
  await server.services.database.write((transaction) =>
    transaction
      .updateTable('attempts')
      .set({ count: limits.dailyDetails - 1 })
      .where('key', 'like', 'edit-details:%')
      .execute(),
  );
  expect((await edit(pat, { title: 'The last of today' })).statusCode).toBe(200);
  const refused = await edit(pat, { title: 'One too many' });
  expect([refused.statusCode, refused.json().error]).toEqual([429, 'rate_limited']);
  expect((await read()).title).toBe('The last of today');
  expect((await edit(otto, { title: 'Of somebody else' })).statusCode).toBe(200);
  expect((await edit(keeper, { title: 'Of an administrator' })).statusCode).toBe(200);
});

test('an administrator undoes a change, unless the video was changed again', async () => {
  await edit(vera, { title: 'First', description: '' });
  await edit(otto, { title: 'Second' });
  const [second, first] = await listChanges();
  expect(second).toMatchObject({ kind: 'details', subject: 'First', made_by: 'otto', state: 'done' });

  expect((await undo(first)).statusCode).toBe(409);
  expect((await undo(second)).statusCode).toBe(202);
  await untilTitle('First');
  expect((await undo(first)).statusCode).toBe(202);
  await untilTitle('Ebb and flow');
  expect((await read()).description).toBe('Mudflats.');
  await vi.waitFor(async () => expect((await search('mudflats')).map(({ title }) => title)).toEqual(['Ebb and flow']));
  const { activities } = (await server.get('/api/admin/activity?limit=100', keeper.headers)).json();
  expect(activities).toContainEqual(expect.objectContaining({ kind: 'video_details_changed', actor: 'vera' }));
});

test('undoing everything that one person did leaves what others wrote since', async () => {
  await edit(vera, { title: 'By Vera' });
  await edit(vera, { title: 'By Vera again' });
  const payload = { username: 'vera', hours: 1 };
  await server.call('POST', '/api/admin/tags/changes/undo', { headers: keeper.headers, payload });

  await untilTitle('Ebb and flow');
});
