import { readFileSync, renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { listNeeds, toNeedBits, usualClass } from '#contract/rules/media-needs.ts';
import { availabilityRepository } from '#server/features/library/availability-repository.ts';
import { encodingRepository } from '#server/features/videos/encoding-repository.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

const avi = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST'), Buffer.alloc(500, 7)]);

describe('a file that no browser plays', async () => {
  const folder = temporaryFolder(afterFile);
  putVideos(folder, 'plain.mp4');
  putFile(folder, 'old.avi', avi);
  const server = await startServer({ library: [folder] }, afterFile);
  const ada = await putPerson(server, 'ada', 'admin');

  test('is available while there is an encoding of it', async () => {
    await expectShown(server, ['plain.mp4']);
    await encode(server, 'old.avi');
    await expectShown(server, ['old.avi', 'plain.mp4']);
    await forget(server, 'old.avi');
    await expectShown(server, ['plain.mp4']);
  });

  test('stays available when it is scanned again, and when its root was gone', async () => {
    await encode(server, 'old.avi');
    await server.services.scanner.request();
    await expectShown(server, ['old.avi', 'plain.mp4']);
    renameSync(folder, `${folder}-away`);
    await server.services.scanner.request();
    await expectShown(server, []);
    renameSync(`${folder}-away`, folder);
    await server.services.scanner.request();
    await expectShown(server, ['old.avi', 'plain.mp4']);
  });

  test('stays available where it is moved to, and is so again when it comes back', async () => {
    await encode(server, 'old.avi');
    renameSync(join(folder, 'old.avi'), join(folder, 'moved.avi'));
    await server.services.scanner.request();
    await expectShown(server, ['moved.avi', 'plain.mp4']);
    renameSync(join(folder, 'moved.avi'), `${folder}.avi`);
    await server.services.scanner.request();
    await expectShown(server, ['plain.mp4']);
    renameSync(`${folder}.avi`, join(folder, 'old.avi'));
    await server.services.scanner.request();
    await expectShown(server, ['old.avi', 'plain.mp4']);
  });

  test('is hidden and shown again as any other', async () => {
    await encode(server, 'old.avi');
    await hide(server, ada, 'PUT', 'old.avi');
    await expectShown(server, ['plain.mp4']);
    await encode(server, 'old.avi');
    await expectShown(server, ['plain.mp4']);
    await hide(server, ada, 'DELETE', 'old.avi');
    await expectShown(server, ['old.avi', 'plain.mp4']);
  });

  test('is not available by an encoding of the bytes that stood there before', async () => {
    await encode(server, 'old.avi');
    putFile(folder, 'old.avi', Buffer.concat([avi, Buffer.from('more')]));
    await server.services.scanner.request();
    await expectShown(server, ['plain.mp4']);
    await encode(server, 'old.avi');
    await expectShown(server, ['old.avi', 'plain.mp4']);
  });

  test('is available by an encoding as soon as its file is the one that was encoded', async () => {
    await forget(server, 'old.avi');
    const seconds = 1_700_000_000;
    await encode(server, 'old.avi', { modified_us: seconds * 1_000_000 });
    await expectShown(server, ['plain.mp4']);
    utimesSync(join(folder, 'old.avi'), seconds, seconds);
    await server.services.scanner.request();
    await expectShown(server, ['old.avi', 'plain.mp4']);
  });
});

test('two encodings of a video that come and go at once leave it as available as the one that stays makes it', async () => {
  const folder = temporaryFolder();
  putFile(folder, 'old.avi', avi);
  const server = await startServer({ library: [folder] });
  const { idSets } = server.services;
  await encode(server, 'old.avi');
  const { number, size, modified_us } = await rowOf(server, 'old.avi');
  const { promise: added, resolve: noteAdded } = Promise.withResolvers<void>();
  const adding = idSets.write(async (transaction, changes) => {
    const facts = { content: 'b'.repeat(40), bytes: 1, width: 160, height: 90, made_at: 1, used_at: 1 };
    await encodingRepository.put(transaction, { video_number: number, size, modified_us, rendition: 'hd', ...facts });
    await availabilityRepository.alignEncoded(transaction, changes, number);
    noteAdded();
    await transaction.selectFrom('encodings').selectAll().execute();
  });
  // It begins while the other one has not ended, and waits for it on either database.
  await added;
  const removing = idSets.write(async (transaction, changes) => {
    await transaction.deleteFrom('encodings').where('rendition', '=', 'grid').execute();
    await availabilityRepository.alignEncoded(transaction, changes, number);
  });
  await Promise.all([adding, removing]);
  await expectShown(server, ['old.avi']);
});

describe('a site that is older than what is read of headers', async () => {
  const folder = temporaryFolder(afterFile);
  for (const name of ['hevc-10-bit.mp4', 'avc-aac.mkv', 'avc-aac.mp4'])
    putFile(folder, name, readFileSync(corpusFile(name)));
  const server = await startServer({ library: [folder] }, afterFile);
  const all = ['avc-aac.mkv', 'avc-aac.mp4', 'hevc-10-bit.mp4'];

  test('knows of each file what it needs, after one scan, and reads nothing twice', async () => {
    const videos = () => server.services.database.reader.selectFrom('videos').selectAll().orderBy('number').execute();
    const before = await videos();
    expect(before.map(({ path, needs }) => [path, listNeeds(needs)]).sort()).toEqual([
      ['avc-aac.mkv', ['matroska']],
      ['avc-aac.mp4', []],
      ['hevc-10-bit.mp4', ['hevc', 'hevc-10-bit']],
    ]);
    await server.services.database.write(async (transaction) => {
      await transaction.updateTable('videos').set({ header_version: 0, needs: 0, bit_depth: null }).execute();
      await transaction
        .updateTable('videos')
        .set({ reason: 'codec_hevc', available: 0 })
        .where('video_codec', '=', 'hevc')
        .execute();
      await transaction.deleteFrom('id_sets').execute();
      await transaction.deleteFrom('set_changes').execute();
      await transaction.updateTable('set_counter').set({ built: 0 }).execute();
    });
    expect(await server.services.scanner.request()).toMatchObject({ found: 3, read: 3, playable: 3 });
    expect(await videos()).toEqual(before);
    await expectShown(server, all);
    expect(await server.services.scanner.request()).toMatchObject({ found: 3, read: 0, playable: 3 });
  });

  test('draws what a device lacks for it only once it has an encoding', async () => {
    const { idSets } = server.services;
    const shownTo = (device: number) =>
      idSets.count({ tags: [], mode: 'OR', blocked: [], missingNeeds: idSets.listLacking(device) });
    expect(shownTo(usualClass)).toBe(1);
    expect(shownTo(usualClass | toNeedBits(['matroska']))).toBe(2);
    await encode(server, 'hevc-10-bit.mp4');
    await expectShown(server, all);
    expect(shownTo(usualClass)).toBe(2);
    // Other bytes need something of their own, and their encoding is still to be made.
    putFile(folder, 'hevc-10-bit.mp4', readFileSync(corpusFile('hevc-aac.mp4')));
    await server.services.scanner.request();
    await expectShown(server, all);
    expect(shownTo(usualClass)).toBe(1);
    expect(shownTo(usualClass | toNeedBits(['hevc']))).toBe(2);
  });
});

async function rowOf({ services }: ServerUnderTest, path: string) {
  return services.database.reader
    .selectFrom('videos')
    .selectAll()
    .where('path', '=', path)
    .orderBy('number', 'desc')
    .executeTakeFirstOrThrow();
}

async function encode(server: ServerUnderTest, path: string, file: { modified_us?: number } = {}): Promise<void> {
  const { number, size, modified_us } = await rowOf(server, path);
  await server.services.idSets.write(async (transaction, changes) => {
    const facts = { content: 'a'.repeat(40), bytes: 1, width: 160, height: 90, made_at: 1, used_at: 1 };
    await encodingRepository.put(transaction, {
      video_number: number,
      size,
      modified_us,
      rendition: 'grid',
      ...facts,
      ...file,
    });
    await availabilityRepository.alignEncoded(transaction, changes, number);
  });
}

async function forget(server: ServerUnderTest, path: string): Promise<void> {
  const { number } = await rowOf(server, path);
  await server.services.idSets.write(async (transaction, changes) => {
    await transaction.deleteFrom('encodings').where('video_number', '=', number).execute();
    await availabilityRepository.alignEncoded(transaction, changes, number);
  });
}

async function hide(server: ServerUnderTest, ada: Person, method: 'PUT' | 'DELETE', path: string): Promise<void> {
  const { id } = await rowOf(server, path);
  await server.call(method, `/api/admin/videos/${id}/hidden`, { headers: ada.headers });
}

/** By the tables, and by the sets, which agree with them. */
async function expectShown({ services }: ServerUnderTest, paths: string[]): Promise<void> {
  const rows = await services.database.reader
    .selectFrom('videos')
    .select('path')
    .where('available', '=', 1)
    .orderBy('path')
    .execute();
  expect(rows.map(({ path }) => path)).toEqual(paths);
  expect(differences(services.idSets, await readTruth(services.database))).toEqual([]);
}
