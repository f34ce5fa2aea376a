import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { pickReplySchema } from '#contract/entities/feed.ts';
import type { MediaNeed } from '#contract/rules/media-needs.ts';
import { mediaNeeds, toNeedBits, usualClass, writeDeviceClass } from '#contract/rules/media-needs.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import { encodeJobs, startEncoding, untilEncoded, videoNamed } from '#tests/support/media/encoding-server.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const library = temporaryFolder(afterFile);
copyFileSync(corpusFile('avc-ac3.mp4'), join(library, 'film.mp4'));
const server = await startEncoding(library, { DERIVED_GB: '1' }, afterFile);
const { encoder, clock } = server;
const { encodings } = server.services;

async function pickOn(...needs: MediaNeed[]) {
  const cookie = `plays=${writeDeviceClass(usualClass | toNeedBits(needs))}`;
  return pickReplySchema.parse((await server.get('/api/video/top-left', { cookie })).json());
}

async function listJobs() {
  await encodings.tick();
  await untilEncoded(server);
  return (await encodeJobs(server)).map(({ video_number, priority, state }) => [video_number, priority, state]);
}

test('a video that was given to a device without its sound gets an encoding with sound', async () => {
  const { number } = await videoNamed(server, 'film.mp4');
  expect(await pickOn('ac3')).toMatchObject({ available: true, rendition: 'source' });
  expect(await listJobs()).toEqual([]);

  const orders: unknown[] = [];
  encoder.before = ({ copy }) => void orders.push(copy);
  expect(await pickOn()).toMatchObject({ available: true, rendition: 'source', matching: 1 });
  expect([await listJobs(), orders]).toEqual([[[number, 150, 'done']], ['alone']]);
  expect(await pickOn()).toMatchObject({ available: true, rendition: 'grid' });
  expect((await listJobs()).length).toBe(1);
});

test('what was cleared is made again when it is picked once more', async () => {
  clock.pass(3_600_000);
  await encodings.clear();
  expect((await listJobs()).length).toBe(1);
  await pickOn();
  expect((await listJobs()).length).toBe(2);
});

test('it is not made again of a file of which none can be made', async () => {
  clock.pass(3_600_000);
  await encodings.clear();
  const { number, size, modified_us } = await videoNamed(server, 'film.mp4');
  const failure = { video_number: number, size, modified_us, failure: 'No.', notes: '[]', found_at: 0 };
  await server.services.database.write(async (transaction) => {
    await transaction.deleteFrom('media_findings').execute();
    await transaction.insertInto('media_findings').values(failure).execute();
  });
  await pickOn();
  expect((await listJobs()).length).toBe(2);
});

test('a video whose sound no browser knows gets one as soon as a device was given it', async () => {
  const folder = temporaryFolder();
  copyFileSync(corpusFile('avc-mp2.mkv'), join(folder, 'film.mkv'));
  const own = await startEncoding(folder, { DERIVED_GB: '1' });
  const cookie = `plays=${writeDeviceClass(toNeedBits(mediaNeeds.filter((need) => need !== 'other-sound')))}`;
  const pick = async () => pickReplySchema.parse((await own.get('/api/video/top-left', { cookie })).json());
  expect(await pick()).toMatchObject({ available: true, rendition: 'source' });
  await own.services.encodings.tick();
  await untilEncoded(own);
  expect(await pick()).toMatchObject({ available: true, rendition: 'grid' });
});
