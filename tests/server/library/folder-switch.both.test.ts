import { copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { folderChannelsSchema, tagListSchema } from '#contract/entities/tag.ts';
import { systemClock } from '#server/clock.ts';
import { alignFolderChannels } from '#server/features/library/folder-channels/folder-alignment.ts';
import { folderChannelRepository } from '#server/features/library/folder-channels/folder-channel-repository.ts';
import type { WriteWithSets } from '#server/id-sets/write-slices.ts';
import { createIds } from '#server/ids.ts';
import { putVideos, smallVideo } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import type { StoredLibrary } from './folder-library.ts';
import { channelsOf, expectSetsToAgree, openLibrary, openWith, tagNumberOf } from './folder-library.ts';
import { claimName } from './people-and-folders.ts';

const path = '/api/admin/library/folder-channels';
const patient = { interval: 5 };

async function startWith(...names: string[]) {
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  const server = await startServer({ library: [folder] });
  const { headers } = await putPerson(server, 'root', 'admin');
  const set = async (enabled: boolean) => {
    const reply = await server.call('PUT', path, { headers, payload: { enabled } });
    return folderChannelsSchema.parse(reply.json());
  };
  return { folder, server, headers, set };
}

const settings = async ({ database }: StoredLibrary) =>
  database.reader.selectFrom('settings').select('value').where('name', '=', 'folder_channels').execute();

test('channels of folders are listed for everybody, and an admin turns them off and on again', async () => {
  const { folder, server, headers, set } = await startWith('Cats/a.mp4', 'Cats/b.mp4', 'Dogs/c.mp4', 'Eels/d.mp4');
  const library = server.services;
  const switchings = async (): Promise<{ kind: string }[]> =>
    (await server.get('/api/admin/activity', headers))
      .json()
      .activities.filter(({ kind }: { kind: string }) => kind === 'settings_changed');
  const before = tagListSchema.parse((await server.get('/api/tags')).json()).tags;
  expect(before.map(({ name, video_count }) => [name, video_count])).toEqual([
    ['Cats', 2],
    ['Dogs', 1],
    ['Eels', 1],
  ]);
  expect((await server.get(path, headers)).json()).toEqual({ enabled: true, channels: 3 });
  const [cats = '', dogs = '', eels = ''] = before.map(({ id }) => id);
  const tagsUrl = `/api/videos/${encodeURIComponent('Cats/b.mp4')}/tags`;
  await server.call('DELETE', `${tagsUrl}/${cats}`, { headers });
  await server.call('POST', tagsUrl, { headers, payload: { tag_ids: [dogs] } });
  await server.call('DELETE', `/api/tags/${eels}`, { headers });

  expect(await set(false)).toEqual({ enabled: false, channels: 0 });
  // What has left with the switch is not offered as something that somebody removed.
  const listDeleted = async () =>
    tagListSchema.parse((await server.get('/api/tags?active=false', headers)).json()).tags.map(({ name }) => name);
  // What people have put stays, and the channel with it.
  await vi.waitFor(async () => expect(await channelsOf(library)).toEqual({ Dogs: ['Cats/b.mp4!'] }), patient);
  expect(await listDeleted()).toEqual(['Eels']);
  mkdirSync(join(folder, 'Foxes'));
  copyFileSync(smallVideo(5), join(folder, 'Foxes/e.mp4'));
  await server.services.scanner.request();
  expect(await channelsOf(library)).toEqual({ Dogs: ['Cats/b.mp4!'] });
  await expectSetsToAgree(library);

  expect((await set(true)).enabled).toBe(true);
  await vi.waitFor(
    async () =>
      expect(await channelsOf(library)).toEqual({
        Cats: ['Cats/a.mp4'],
        Dogs: ['Cats/b.mp4!', 'Dogs/c.mp4'],
        Foxes: ['Foxes/e.mp4'],
      }),
    patient,
  );
  await expectSetsToAgree(library);
  const after = tagListSchema.parse((await server.get('/api/tags')).json()).tags;
  expect(after.slice(0, 2).map(({ id }) => id)).toEqual([cats, dogs]);
  expect(await switchings()).toMatchObject([
    { actor: 'root', kind: 'settings_changed', subject: 'Channels from folders', detail: 'on' },
    { actor: 'root', kind: 'settings_changed', subject: 'Channels from folders', detail: 'off' },
  ]);
  // Setting what is set changes nothing, and is no activity.
  await set(true);
  expect((await switchings()).length).toBe(2);
  expect((await server.call('PUT', path, { headers, payload: { enabled: 'yes' } })).statusCode).toBe(400);
});

test('the demo has channels of its own, and none of its folders becomes one', async () => {
  const server = await startServer({ isDemo: true });
  const { reader } = server.services.database;
  expect(await reader.selectFrom('folder_channels').selectAll().execute()).toEqual([]);
});

test('it is on for a newcomer, and off where people had made channels before', async () => {
  const fresh = await openLibrary();
  expect(await settings(fresh)).toEqual([{ value: 'true' }]);
  const { address, folder } = fresh;
  await fresh.database.write(async (transaction) => {
    await transaction.deleteFrom('settings').execute();
    const tag = { id: 't', name: 'mine', name_key: 'mine', description: '', color: '#3B82F6', created_at: 1 };
    await transaction
      .insertInto('tags')
      .values({ ...tag, active: 1 })
      .execute();
  });
  const older = await openLibrary({ address, folders: [folder] });
  expect(await settings(older)).toEqual([{ value: 'false' }]);
  putVideos(folder, 'Cats/a.mp4');
  await older.scan();
  expect(await channelsOf(older)).toEqual({ mine: [] });
  const again = await openLibrary({ address, folders: [folder] });
  expect(await settings(again)).toEqual([{ value: 'false' }]);
});

test('turned off while nothing runs, it is obeyed by the next start', async () => {
  const library = await openWith('Cats/a.mp4', 'Dogs/b.mp4');
  await claimName(library, 'Dogs');
  const cats = await tagNumberOf(library, 'Cats');
  await library.database.write((transaction) => transaction.updateTable('settings').set({ value: 'false' }).execute());
  const next = await openLibrary({ address: library.address, folders: [library.folder] });
  await next.scan();
  // What somebody has edited is theirs, and stays.
  expect(await channelsOf(next)).toEqual({ Dogs: [] });
  await library.database.write((transaction) => transaction.updateTable('settings').set({ value: 'true' }).execute());
  const last = await openLibrary({ address: library.address, folders: [library.folder] });
  await last.scan();
  expect(await channelsOf(last)).toEqual({ Cats: ['Cats/a.mp4'], Dogs: ['Dogs/b.mp4'] });
  expect(await tagNumberOf(last, 'Cats')).toBe(cats);
  await expectSetsToAgree(last);
});

test('turned on again while it is being obeyed, it leaves what there is', async () => {
  const library = await openWith('Cats/a.mp4', 'Dogs/b.mp4');
  const { database, idSets } = library;
  const before = await channelsOf(library);
  await database.write((transaction) => folderChannelRepository.writeSwitch(transaction, false, 1));
  const write: WriteWithSets = async (work) => {
    await database.write((transaction) => folderChannelRepository.writeSwitch(transaction, true, 1));
    return idSets.write(work);
  };
  const tools = { reader: database.reader, write, ids: createIds(systemClock) };
  await alignFolderChannels(tools, { now: 1, signal: new AbortController().signal });
  expect(await channelsOf(library)).toEqual(before);
  // Channels that people have edited stay: links alone are left to be taken.
  await claimName(library, 'Cats');
  await claimName(library, 'Dogs');
  await database.write((transaction) => folderChannelRepository.writeSwitch(transaction, false, 1));
  await alignFolderChannels(tools, { now: 1, signal: new AbortController().signal });
  expect(await channelsOf(library)).toEqual(before);
});
