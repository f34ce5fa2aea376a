import { copyFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { describe, expect, test, vi } from 'vitest';
import { debugSchema } from '#contract/entities/site.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import {
  admin,
  hastyClock,
  jobTimes,
  listJobs,
  oneVideo,
  patient,
  pick,
  posterFiles,
  posterJobs,
  rescan,
  startAtWork,
  untilIdle,
  withoutEncodings,
  workFiles,
} from '#tests/support/media/poster-server.ts';
import { smallVideo } from '#tests/support/media/videos.ts';
import { processesWith } from '#tests/support/processes/processes.ts';
import { environmentWith, runServer } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

/** At work on one video, whose poster is there before and after each test that asks for it. */
const shared = await startAtWork(oneVideo('a.mp4', afterFile), {}, afterFile);

describe('a poster', () => {
  test('is made of each new video, shown with it, and kept by browsers for ever', async () => {
    const { poster_url, id } = await pick(shared);
    expect(poster_url).toMatch(new RegExp(`^/api/videos/${id}/poster\\?version=[0-9a-f]{40}$`));
    const reply = await shared.get(poster_url);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const { format, width = 0, height = 0 } = await sharp(reply.rawPayload).metadata();
    expect([format, Math.max(width, height) <= 640]).toEqual(['webp', true]);
    expect((await shared.get(poster_url, { 'if-none-match': String(reply.headers.etag) })).statusCode).toBe(304);
    expect((await shared.get(`/api/videos/${id}/poster`)).headers['cache-control']).toBe('private, no-cache');
    expect(workFiles(shared.services.env.dataFolder)).toEqual([]);
  });

  test('whose file is lost is made again when somebody asks for it', async () => {
    const { poster_url } = await pick(shared);
    rmSync(shared.services.folders.posters, { recursive: true });
    expect((await shared.get(poster_url)).json()).toMatchObject({ error: 'not_found' });
    await untilIdle(shared);
    expect((await shared.get(poster_url)).statusCode).toBe(200);
  });

  test('is gone when all are cleared, and comes back with the next look', async () => {
    await shared.services.posters.clear();
    expect([posterFiles(shared), (await pick(shared)).poster_url]).toEqual([[], null]);
    await rescan(shared);
    expect((await pick(shared)).poster_url).not.toBeNull();
  });

  test('goes with the cache, and is made again by itself', async () => {
    const before = (await posterJobs(shared)).length;
    const bytes = debugSchema.parse((await shared.get('/api/debug')).json()).cache_bytes;
    expect(bytes).toBeGreaterThan(100);
    expect((await shared.call('POST', '/api/clear-cache')).json()).toEqual({ success: true, freed_bytes: bytes });
    await vi.waitFor(
      async () =>
        expect((await posterJobs(shared)).map((job) => job.state)).toEqual(
          Array.from({ length: before + 1 }, () => 'done'),
        ),
      patient,
    );
    expect((await shared.get((await pick(shared)).poster_url)).statusCode).toBe(200);
  });

  test('that could not be made is made when all that failed are retried', async () => {
    const [newest] = await posterJobs(shared);
    // As it would stand here had ffmpeg died of it.
    await shared.services.idSets.write(async (transaction, changes) => {
      const without = transaction.updateTable('posters').set({ content: null, reason: 'It went wrong.' });
      for (const { video_number } of await without.returning('video_number').execute()) changes.touch(video_number);
      await transaction
        .updateTable('jobs')
        .set({ state: 'failed', error: 'It went wrong.' })
        .where('id', '=', newest?.id ?? '')
        .execute();
    });
    expect((await pick(shared)).poster_url).toBeNull();
    const retried = await shared.call('POST', '/api/admin/jobs/retry', { payload: { kind: 'poster' } });
    expect(retried.json()).toEqual({ success: true, jobs: 1 });
    await untilIdle(shared);
    expect((await posterJobs(shared)).find(({ id }) => id === newest?.id)).toMatchObject({
      state: 'done',
      error: null,
    });
    expect((await shared.get((await pick(shared)).poster_url)).statusCode).toBe(200);
  });

  test('is no longer shown once its video has changed; the new one takes its place, and its file goes', async () => {
    const folder = oneVideo();
    const server = await startAtWork(folder);
    const before = await pick(server);
    copyFileSync(smallVideo(8), join(folder, 'a.mp4'));
    utimesSync(join(folder, 'a.mp4'), 5, 5);
    await server.services.scanner.request();
    expect((await pick(server)).poster_url).not.toBe(before.poster_url);
    expect((await server.get(before.poster_url)).statusCode).toBe(404);
    await rescan(server);
    const after = await pick(server);
    expect([after.poster_url === null, after.poster_url === before.poster_url]).toEqual([false, false]);
    expect((await server.get(after.poster_url)).statusCode).toBe(200);
    expect(posterFiles(server).length).toBe(1);

    // Of equal videos it is one file.
    copyFileSync(join(folder, 'a.mp4'), join(folder, 'b.mp4'));
    await rescan(server);
    expect((await posterJobs(server)).map((job) => job.state)).toEqual(['done', 'done', 'done']);
    expect(posterFiles(server).length).toBe(1);
  });

  test('is not there for a video that does not exist', async () => {
    for (const id of ['none', '..', '%2e%2e'])
      expect((await shared.get(`/api/videos/${id}/poster`)).statusCode).toBe(404);
  });
});

describe('an admin', () => {
  test('sees the jobs, cancels one that hangs, whose processes die, and retries it', async () => {
    const tools = temporaryFolder();
    const folder = oneVideo();
    const env = { ...withoutEncodings, FFMPEG_PATH: fakeTool(tools, 'exec sleep 600') };
    const server = await startServer({
      library: [folder],
      env,
      overrides: { jobTimes, identifyCaller: async () => admin },
    });
    await server.services.startWork();
    await vi.waitFor(async () => expect((await listJobs(server, '?state=running')).total).toBe(1), patient);
    const { id = '' } = (await posterJobs(server))[0] ?? {};
    await vi.waitFor(() => expect(workFiles(server.services.env.dataFolder).length).toBe(1), patient);
    expect((await server.call('DELETE', `/api/admin/jobs/${id}`)).statusCode).toBe(204);
    await vi.waitFor(() => expect(workFiles(server.services.env.dataFolder)).toEqual([]), patient);
    expect((await posterJobs(server))[0]).toMatchObject({ id, state: 'cancelled' });
    const retried = await server.call('POST', `/api/admin/jobs/${id}/retry`);
    expect([retried.statusCode, retried.json()]).toEqual([202, { success: true }]);
    await vi.waitFor(async () => expect((await listJobs(server, '?state=running')).total).toBe(1), patient);
  });

  test('is told when a job is unknown or has ended', async () => {
    const { id } = (await posterJobs(shared))[0] ?? {};
    expect((await shared.call('DELETE', `/api/admin/jobs/${id}`)).json()).toMatchObject({ error: 'conflict' });
    expect((await shared.call('POST', `/api/admin/jobs/${id}/retry`)).json()).toMatchObject({ error: 'conflict' });
    expect((await shared.call('DELETE', '/api/admin/jobs/none')).statusCode).toBe(404);
    expect((await shared.call('GET', '/api/admin/jobs?state=odd')).statusCode).toBe(400);
    expect((await listJobs(shared, '?page=9')).jobs).toEqual([]);
  });
});

test('nobody else sees or touches jobs', async () => {
  const server = await startServer();
  for (const [method, url] of [
    ['GET', '/api/admin/jobs'],
    ['DELETE', '/api/admin/jobs/x'],
    ['POST', '/api/admin/jobs/x/retry'],
  ] as const) {
    expect((await server.call(method, url)).statusCode).toBe(401);
  }
});

describe('a server that is killed in the middle of a poster', () => {
  test('has taken ffmpeg with it; started again it sweeps up, makes the poster, and the video plays all the time', async () => {
    const data = temporaryFolder();
    const tools = temporaryFolder();
    // A length that nobody else sleeps.
    const nap = `600.${process.pid}`;
    const hanging = fakeTool(tools, `exec sleep ${nap}`);
    const library = oneVideo();
    const env = await environmentWith(library, { ...withoutEncodings, DATA_DIR: data });
    const first = runServer({ ...env, FFMPEG_PATH: hanging });
    await vi.waitFor(() => expect(processesWith(nap).length).toBeGreaterThan(0), patient);
    expect(workFiles(data).length).toBe(1);
    first.kill('SIGKILL');
    await first.ended();
    await vi.waitFor(() => expect(processesWith(nap)).toEqual([]), patient);
    expect(workFiles(data).length).toBe(1);

    const { DATABASE_URL } = env;
    const server = await startServer({
      library: [library],
      env: { ...withoutEncodings, DATA_DIR: data, ...(DATABASE_URL === undefined ? {} : { DATABASE_URL }) },
      overrides: { clock: hastyClock, jobTimes, identifyCaller: async () => admin },
    });
    expect((await server.get((await pick(server)).url)).statusCode).toBe(200);
    await server.services.startWork();
    expect((await posterJobs(server)).map((job) => job.state)).toEqual(['running']);
    expect(workFiles(data)).toEqual([]);
    // The lease of the dead process runs out.
    await server.services.database.write((transaction) =>
      transaction.updateTable('jobs').set({ lease_until: 1 }).execute(),
    );
    await untilIdle(server);
    expect(await posterJobs(server)).toMatchObject([{ state: 'done', attempts: 2 }]);
    expect((await server.get((await pick(server)).poster_url)).statusCode).toBe(200);
  });
});
