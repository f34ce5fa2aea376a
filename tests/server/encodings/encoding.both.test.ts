import { rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { limits } from '#contract/limits.ts';
import { encodePriority } from '#server/features/encodings/encode-order.ts';
import { FfmpegFailure } from '#server/media/ffmpeg/ffmpeg.ts';
import {
  addAvi,
  derivedFiles,
  encodeAll,
  encodeJobs,
  jobOf,
  putAvi,
  rowsOf,
  startEncoding,
  untilEncoded,
  videoNamed,
} from '#tests/support/media/encoding-server.ts';
import { patient } from '#tests/support/media/poster-server.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const library = temporaryFolder(afterFile);
putVideos(library, 'plain.mp4');
const server = await startEncoding(library, {}, afterFile);
const { encoder, clock } = server;
const { encodings, scanner, database } = server.services;

afterEach(() => {
  encoder.before = () => {};
});

test('what a browser plays is not encoded because it exists', async () => {
  await encodings.queueUnplayable();
  await encodings.tick();
  expect(await encodeJobs(server)).toEqual([]);
});

describe('a video that nothing plays', () => {
  test('is encoded by itself, and available from then on', async () => {
    const before = derivedFiles(server);
    putAvi(library, 'film.avi');
    encoder.before = async () =>
      expect(await videoNamed(server, 'film.avi')).toMatchObject({ available: 0, reason: 'container_avi' });
    const { number, size, modified_us } = await addAvi(server, 'film.avi');
    expect(await videoNamed(server, 'film.avi')).toMatchObject({ available: 1, reason: 'container_avi' });
    const rows = await rowsOf(server, number);
    expect(rows).toMatchObject([
      { rendition: 'grid', width: 960, height: 540, size, modified_us },
      { rendition: 'hd', size, modified_us },
    ]);
    const { reader } = database;
    const sheet = await reader.selectFrom('storyboards').selectAll().executeTakeFirstOrThrow();
    const track = await reader.selectFrom('subtitles').selectAll().executeTakeFirstOrThrow();
    expect([sheet.interval_ms, track.label]).toEqual([2_000, 'English']);
    expect(await reader.selectFrom('media_findings').selectAll().execute()).toMatchObject([
      { failure: null, notes: '[{"kind":"audio","language":"fr"}]' },
    ]);
    const names = [...rows.map(({ content }) => `${content}.mp4`), `${sheet.content}.webp`, `${track.content}.vtt`];
    expect(derivedFiles(server)).toEqual([...before, ...names].sort());
    // It has all that it needs.
    await encodings.queueUnplayable();
    expect((await encodeJobs(server)).length).toBe(1);
  });

  test('goes between the others when somebody waits for it, who sees how far it is; administrators see what stands still', async () => {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    encoder.before = () => held;
    for (const name of ['one.avi', 'two.avi', 'three.avi']) putAvi(library, name, name.length);
    await scanner.request();
    await encodings.queueUnplayable();
    const waited = await videoNamed(server, 'one.avi');
    let running = 0;
    await vi.waitFor(async () => {
      running = (await encodeJobs(server)).find(({ state }) => state === 'running')?.video_number ?? 0;
      expect((await encodings.findProcessing([running])).get(running)).toEqual({ state: 'running', progress: 50 });
    }, patient);
    const { running: shown } = await encodings.readOverview();
    expect(shown).toMatchObject([{ progress: 50, paused_at: null }]);
    const other = await videoNamed(server, running === waited.number ? 'two.avi' : 'one.avi');
    expect(await encodings.want(other.number)).toEqual({ state: 'queued', progress: 0 });
    await vi.waitFor(async () => {
      const list = (await encodings.readOverview()).running;
      expect(list.find(({ video_id }) => video_id === other.id)).toMatchObject({ progress: 50, yields_since: null });
      expect(list.find(({ video_id }) => video_id !== other.id)).toMatchObject({ yields_since: expect.any(String) });
    }, patient);
    const queued = (await encodeJobs(server)).filter(({ state }) => state === 'queued');
    expect(queued.map(({ lane, priority }) => [lane, priority])).toEqual([['encode', 100]]);
    expect((await encodings.readOverview()).waiting).toBe(1);
    resolve();
    await untilEncoded(server);
    clock.pass(3_000);
    expect(await encodings.want(other.number)).toEqual({ state: 'running', progress: 100 });
  });

  test('that is longer than a film does not go between, whoever waits for it', async () => {
    const { promise: held, resolve } = Promise.withResolvers<void>();
    encoder.before = () => held;
    for (const [at, name] of ['day.avi', 'week.avi'].entries()) putAvi(library, name, 40 + at);
    await scanner.request();
    await database.write((transaction) =>
      transaction
        .updateTable('videos')
        .set({ duration_ms: 24 * 3_600_000 })
        .where('filename', 'in', ['day.avi', 'week.avi'])
        .execute(),
    );
    for (const name of ['day.avi', 'week.avi']) await encodings.want((await videoNamed(server, name)).number);
    const numbers = await Promise.all(
      ['day.avi', 'week.avi'].map(async (name) => (await videoNamed(server, name)).number),
    );
    const active = (await encodeJobs(server)).filter(({ video_number }) => numbers.includes(video_number ?? 0));
    expect(active.map(({ lane, priority }) => [lane, priority])).toEqual([
      ['encode', 10],
      ['encode', 10],
    ]);
    resolve();
    await untilEncoded(server);
  });

  test('that takes too long between the others goes on where nobody waits behind it', async () => {
    const folder = temporaryFolder();
    const slow = await startEncoding(folder, {}, undefined, { betweenMs: 20 });
    const { promise: held, resolve } = Promise.withResolvers<void>();
    slow.encoder.before = ({ precedence, signal }) =>
      precedence === 'first'
        ? new Promise((_, reject) => {
            signal.throwIfAborted();
            signal.addEventListener('abort', () => reject(signal.reason));
          })
        : held;
    putAvi(folder, 'held.avi', 1);
    await slow.services.scanner.request();
    await vi.waitFor(async () => expect(await encodeJobs(slow)).toMatchObject([{ state: 'running' }]), patient);
    putAvi(folder, 'endless.avi', 2);
    await slow.services.scanner.request();
    const { number } = await videoNamed(slow, 'endless.avi');
    await slow.services.encodings.want(number);
    await vi.waitFor(
      async () => expect(await jobOf(slow, number)).toMatchObject({ state: 'queued', lane: 'encode' }),
      patient,
    );
    expect(slow.encoder.orders.length).toBe(2);
    resolve();
    await untilEncoded(slow);
    expect(await jobOf(slow, number)).toMatchObject({ state: 'done', lane: 'encode', attempts: 1 });
    expect((await rowsOf(slow, number)).length).toBe(2);
  });

  test('that cannot be encoded says so, and is not tried again until its file changes', async () => {
    encoder.before = () => Promise.reject(new FfmpegFailure('no_picture'));
    const { number } = await addAvi(server, 'silent.avi', 20);
    const found = database.reader.selectFrom('media_findings').select('failure').where('video_number', '=', number);
    expect(await found.execute()).toEqual([{ failure: 'This file contains no picture.' }]);
    expect(await encodings.want(number)).toBeNull();
    expect(await encodings.findProcessing([number])).toEqual(new Map([[number, { state: 'failed', progress: 0 }]]));
    await encodings.queueUnplayable();
    expect(await jobOf(server, number)).toMatchObject({ state: 'failed' });
    expect((await encodings.readOverview()).failed).toBe(1);

    encoder.before = () => {};
    utimesSync(join(library, 'silent.avi'), 5, 5);
    await encodeAll(server);
    expect((await videoNamed(server, 'silent.avi')).available).toBe(1);
  });

  test('is tried three times when encoding it takes too long, and again when an administrator says so', async () => {
    encoder.before = () => Promise.reject(new FfmpegFailure('time'));
    const ordered = encoder.orders.length;
    const { number } = await addAvi(server, 'long.avi', 21);
    expect(encoder.orders.length - ordered).toBe(3);
    const job = await jobOf(server, number);
    expect(job).toMatchObject({ state: 'failed', error: 'Converting this video took too long.' });
    encoder.before = () => {};
    expect((await server.call('POST', `/api/admin/jobs/${job?.id}/retry`)).statusCode).toBe(202);
    await untilEncoded(server);
    expect((await videoNamed(server, 'long.avi')).available).toBe(1);
    expect((await encodings.readOverview()).failed).toBe(0);
  });

  test('whose file changes while it is encoded keeps nothing of the old one', async () => {
    const files = derivedFiles(server).length;
    encoder.before = async () => {
      encoder.before = () => {};
      putAvi(library, 'changing.avi', 23, 700);
      await scanner.request();
    };
    await addAvi(server, 'changing.avi', 22);
    await encodeAll(server);
    const { number, size } = await videoNamed(server, 'changing.avi');
    expect((await rowsOf(server, number)).map((row) => row.size)).toEqual([size, size]);
    expect(derivedFiles(server).length - files).toBe(4);
  });

  test('takes all that was made of it along when it goes for good', async () => {
    const files = derivedFiles(server).length;
    const { number } = await addAvi(server, 'going.avi', 24);
    rmSync(join(library, 'going.avi'));
    await scanner.request();
    // The disk may come back.
    expect((await rowsOf(server, number)).length).toBe(2);
    await database.write((transaction) => transaction.deleteFrom('videos').where('number', '=', number).execute());
    clock.pass(3 * 3_600_000);
    await encodings.tick();
    await vi.waitFor(() => expect(derivedFiles(server).length).toBe(files), patient);
  });
});

test('whose subtitles somebody asks for is looked into, and not encoded for that', async () => {
  const { number } = await videoNamed(server, 'plain.mp4');
  expect(await encodings.inspect(number)).toEqual({ state: 'queued', progress: 0 });
  await vi.waitFor(async () => expect(await encodings.inspect(number)).toBeNull(), patient);
  const { reader } = database;
  const tracks = reader.selectFrom('subtitles').select('label').where('video_number', '=', number);
  expect([await tracks.execute(), await rowsOf(server, number)]).toEqual([[{ label: 'English' }], []]);
});

test('an encoding whose file is gone is forgotten, and made again when somebody waits', async () => {
  const { number } = await addAvi(server, 'lost.avi', 30);
  const [grid, hd] = await rowsOf(server, number);
  for (const row of [grid, hd]) await encodings.noteMissing(row?.content ?? '');
  expect((await videoNamed(server, 'lost.avi')).available).toBe(0);
  expect(await encodings.want(number)).toEqual({ state: 'queued', progress: 0 });
  await untilEncoded(server);
  expect((await videoNamed(server, 'lost.avi')).available).toBe(1);
});

test('a film for which there is no room in both sizes is encoded in the smaller one', async () => {
  const { number } = await addAvi(server, 'endless.avi', 31);
  for (const row of await rowsOf(server, number)) await encodings.noteMissing(row.content);
  const hours = { duration_ms: 17 * 3_600_000 };
  await database.write((transaction) =>
    transaction.updateTable('videos').set(hours).where('number', '=', number).execute(),
  );
  clock.pass(3_000);
  await encodings.want(number);
  await untilEncoded(server);
  expect((await rowsOf(server, number)).map(({ rendition }) => rendition)).toEqual(['grid']);
});

test('a full disk stops encoding and says so once; it goes on when there is room', async () => {
  server.disk.free = 0;
  putAvi(library, 'late.avi', 25);
  await scanner.request();
  await encodings.queueUnplayable();
  const { number } = await videoNamed(server, 'late.avi');
  await vi.waitFor(() => expect(server.logged()).toContain('The disk is full'), patient);
  await vi.waitFor(
    async () => expect(await jobOf(server, number)).toMatchObject({ state: 'queued', attempts: 0 }),
    patient,
  );
  server.disk.free = 1e12;
  // Room on the disk, but a write that finds none.
  encoder.before = () => {
    encoder.before = () => {};
    throw Object.assign(new Error('planned'), { code: 'ENOSPC' });
  };
  for (const minutes of [2, 5]) {
    clock.pass(minutes * 60_000);
    server.services.jobs.wake();
    await vi.waitFor(async () => {
      const job = await jobOf(server, number);
      expect(job?.state === 'done' || (job?.run_at ?? 0) > clock.now()).toBe(true);
    }, patient);
  }
  expect(await jobOf(server, number)).toMatchObject({ state: 'done', error: null });
  expect(server.logged().split('The disk is full').length).toBe(2);
  expect((await videoNamed(server, 'late.avi')).available).toBe(1);
});

test('with DERIVED_GB=0 nothing is queued, nobody is told to wait, and the log says so', async () => {
  const folder = temporaryFolder();
  putAvi(folder, 'film.avi');
  const off = await startServer({ library: [folder], env: { DERIVED_GB: '0' } });
  await off.services.encodings.open();
  await off.services.encodings.queueUnplayable();
  const { number } = await videoNamed(off, 'film.avi');
  expect([await off.services.encodings.want(number), await encodeJobs(off)]).toEqual([null, []]);
  expect(off.logged()).toContain('DERIVED_GB is 0: nothing is encoded');
});

test('a heavy source that browsers play is encoded when somebody keeps it, and only then', async () => {
  const ask = async (duration_ms: number, keeps: boolean) => {
    await database.write((transaction) =>
      transaction.updateTable('videos').set({ duration_ms }).where('path', '=', 'plain.mp4').execute(),
    );
    const payload = { path: 'plain.mp4', quadrant: 'top-left', quality: 'grid', keeps };
    return (await server.call('POST', '/api/optimization/video-url', { payload })).json();
  };
  const { number, size } = await videoNamed(server, 'plain.mp4');
  const limitMs = (size * 8) / limits.savedHeavyKbps;
  const [heavyMs, lightMs] = [Math.floor(limitMs), Math.ceil(limitMs)];
  for (const [durationMs, keeps] of [
    [heavyMs, false],
    [lightMs, true],
  ] as const)
    expect(await ask(durationMs, keeps)).toMatchObject({ rendition: 'source', processing: null });
  expect((await encodeJobs(server)).filter((job) => job.video_number === number)).toEqual([]);
  const asked = await ask(heavyMs, true);
  expect(asked).toMatchObject({ rendition: 'source', processing: { state: 'queued', progress: 0 } });
  expect(await encodeJobs(server)).toContainEqual(
    expect.objectContaining({ video_number: number, priority: encodePriority.waiting }),
  );
  await untilEncoded(server);
  expect(await ask(heavyMs, true)).toMatchObject({ rendition: 'grid', processing: null });
});

test('videos that are to be kept take a share of the places, and one that somebody waits for goes on', async () => {
  const names = Array.from({ length: 21 }, (_, at) => `kept-${at}.mp4`);
  const folder = temporaryFolder();
  putVideos(folder, ...names);
  const crowded = await startEncoding(folder);
  const { promise: held, resolve } = Promise.withResolvers<void>();
  crowded.encoder.before = () => held;
  await crowded.services.database.write((transaction) =>
    transaction.updateTable('videos').set({ duration_ms: 1 }).execute(),
  );
  const ask = (path: string) =>
    crowded.call('POST', '/api/optimization/video-url', { payload: { path, quadrant: 'top-left', keeps: true } });
  for (const name of names)
    expect((await ask(name)).json().processing).toMatchObject({ state: expect.stringMatching(/queued|running/) });
  expect((await encodeJobs(crowded)).length).toBe(20);
  const { number } = await videoNamed(crowded, 'kept-20.mp4');
  crowded.clock.pass(3_000);
  await crowded.services.encodings.want(number);
  expect((await encodeJobs(crowded)).length).toBe(21);
  resolve();
});
