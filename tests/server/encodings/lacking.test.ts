import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { pickReplySchema } from '#contract/entities/feed.ts';
import type { MediaNeed } from '#contract/rules/media-needs.ts';
import { mediaNeeds, toNeedBits, usualClass, writeDeviceClass } from '#contract/rules/media-needs.ts';
import { inListLength } from '#server/database/dialect.ts';
import { FfmpegFailure } from '#server/media/ffmpeg/ffmpeg.ts';
import { corpusFile } from '#tests/support/media/corpus/corpus-entry.ts';
import {
  encodeJobs,
  jobOf,
  putAvi,
  rowsOf,
  startEncoding,
  untilEncoded,
  videoNamed,
} from '#tests/support/media/encoding-server.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const library = temporaryFolder(afterFile);
putVideos(library, 'plain.mp4');
putHevc('phone.mp4');
const server = await startEncoding(library, { DERIVED_GB: '1' }, afterFile);
const { encoder, clock } = server;
const { encodings, scanner, database, idSets } = server.services;

afterEach(() => {
  encoder.before = () => {};
});

function putHevc(...names: string[]): void {
  for (const name of names) copyFileSync(corpusFile('hevc-aac.mp4'), join(library, name));
}

async function pickOn(...needs: MediaNeed[]) {
  const cookie = `plays=${writeDeviceClass(usualClass | toNeedBits(needs))}`;
  return pickReplySchema.parse((await server.get('/api/video/top-left', { cookie })).json());
}

async function setDuration(name: string, duration_ms: number): Promise<number> {
  const { number } = await videoNamed(server, name);
  await database.write((transaction) =>
    transaction.updateTable('videos').set({ duration_ms }).where('number', '=', number).execute(),
  );
  return number;
}

const listJobs = async () =>
  (await encodeJobs(server)).map(({ video_number, priority, state }) => [video_number, priority, state]);

test('what a device lacks is encoded once it has asked for a video, and not for those that play everything', async () => {
  const { number } = await videoNamed(server, 'phone.mp4');
  expect(await pickOn('hevc')).toMatchObject({ available: true, matching: 2 });
  await encodings.tick();
  expect(await encodeJobs(server)).toEqual([]);

  const orders: unknown[] = [];
  encoder.before = ({ copy }) => void orders.push(copy);
  expect(await pickOn()).toMatchObject({ available: true, filename: 'plain.mp4', matching: 1 });
  await encodings.tick();
  await untilEncoded(server);
  expect([await listJobs(), orders]).toEqual([[[number, 150, 'done']], ['alone']]);
  expect((await rowsOf(server, number)).map(({ rendition }) => rendition)).toEqual(['grid']);
  expect(await pickOn()).toMatchObject({ available: true, matching: 2 });
  await encodings.tick();
  expect((await encodeJobs(server)).length).toBe(1);
});

test('it comes after what nothing plays and before what is picked often, the newest first, as far as there is room', async () => {
  const before = (await encodeJobs(server)).length;
  clock.pass(1_000);
  const { promise: ready, resolve: start } = Promise.withResolvers<void>();
  encoder.before = async ({ durationMs }) => {
    await ready;
    clock.pass(1_000);
    if (durationMs === 999) throw new FfmpegFailure('no_picture');
  };
  putAvi(library, 'film.avi');
  putHevc('older.mp4');
  await scanner.request();
  putHevc('newer.mp4', 'damaged.mp4');
  await scanner.request();
  putHevc('endless.mp4');
  await scanner.request();
  await setDuration('endless.mp4', 100 * 3_600_000);
  const damaged = await setDuration('damaged.mp4', 999);
  encodings.countPick(await setDuration('plain.mp4', 5));
  await pickOn();
  await encodings.queueUnplayable();
  start();
  await untilEncoded(server);
  const jobs = (await listJobs()).slice(before);
  const numberOf = async (name: string) => (await videoNamed(server, name)).number;
  const newest = [
    [await numberOf('newer.mp4'), 150, 'done'],
    [damaged, 150, 'failed'],
  ].sort(([one], [other]) => Number(other) - Number(one));
  expect(jobs).toEqual([
    [await numberOf('film.avi'), 100, 'done'],
    ...newest,
    [await numberOf('older.mp4'), 150, 'done'],
  ]);
  // Picks are written each minute. What has failed, and what does not fit, is not tried again.
  await encodings.tick();
  await untilEncoded(server);
  expect((await listJobs()).slice(before + jobs.length)).toEqual([[await numberOf('plain.mp4'), 200, 'done']]);
});

test('clearing the cache forgets what devices lacked until one asks again', async () => {
  const before = (await encodeJobs(server)).length;
  clock.pass(3_600_000);
  await encodings.clear();
  expect(await pickOn('hevc')).toMatchObject({ available: true });
  await encodings.tick();
  expect((await encodeJobs(server)).length).toBe(before);
  await pickOn();
  await encodings.tick();
  await untilEncoded(server);
  expect((await encodeJobs(server)).length).toBe(before + 3);
});

test('pages of videos that do not fit keep no older one from it', async () => {
  clock.pass(3_600_000);
  await encodings.clear();
  const before = (await encodeJobs(server)).length;
  const hevc = { needs: toNeedBits(['hevc']), duration_ms: 100 * 3_600_000 };
  await idSets.write(async (transaction, changes) => {
    await storeVideos(transaction, changes, inListLength + 1, hevc);
    const stored = await transaction.selectFrom('videos').select('number').where('path', 'like', 'stored-%').execute();
    const numbers = stored.map(({ number }) => number);
    changes.put(`need:${mediaNeeds.indexOf('hevc')}`, numbers, true);
  });
  await pickOn();
  await encodings.tick();
  await untilEncoded(server);
  expect((await encodeJobs(server)).length).toBe(before + 3);
});

test('without room for all that it is good for, the least is made of it', async () => {
  putHevc('tall.mp4');
  await scanner.request();
  const number = await setDuration('tall.mp4', 4_000_000);
  const tall = { width: 1_920, height: 1_080 };
  await database.write((transaction) =>
    transaction.updateTable('videos').set(tall).where('number', '=', number).execute(),
  );
  const orders: unknown[] = [];
  encoder.before = ({ durationMs, renditions, copy }) => {
    if (durationMs === 4_000_000) orders.push(renditions, copy);
  };
  await pickOn();
  await encodings.tick();
  await untilEncoded(server);
  expect(await jobOf(server, number)).toMatchObject({ priority: 150, state: 'done' });
  expect(orders).toEqual([['grid'], 'none']);
});
