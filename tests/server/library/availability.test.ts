import { renameSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { alignEncoded } from '#server/features/library/availability-repository.ts';
import { putEncoding } from '#server/features/videos/encodings/encoding-repository.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

const avi = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST'), Buffer.alloc(500, 7)]);

describe('a file that no browser plays', async () => {
  const folder = temporaryFolder(afterAll);
  putVideos(folder, 'plain.mp4');
  putFile(folder, 'old.avi', avi);
  const server = await startServer({ library: [folder] }, afterAll);
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
    await putEncoding(transaction, { video_number: number, size, modified_us, rendition: 'grid', ...facts, ...file });
    await alignEncoded(transaction, changes, number);
  });
}

async function forget(server: ServerUnderTest, path: string): Promise<void> {
  const { number } = await rowOf(server, path);
  await server.services.idSets.write(async (transaction, changes) => {
    await transaction.deleteFrom('encodings').where('video_number', '=', number).execute();
    await alignEncoded(transaction, changes, number);
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
