import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, rmSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { debugSchema } from '#contract/entities/site/site.ts';
import { freshDatabaseUrl } from '#tests/support/database/test-database.ts';
import { findFreePort } from '#tests/support/free-port.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import {
  admin,
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
  workFiles,
} from '#tests/support/media/poster-server.ts';
import { smallVideo } from '#tests/support/media/videos.ts';
import { processesWith } from '#tests/support/processes/processes.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

describe('a poster', () => {
  test('is made of each new video, shown with it, and kept by browsers for ever', async () => {
    const server = await startAtWork(oneVideo());
    const { poster_url, id } = await pick(server);
    expect(poster_url).toMatch(new RegExp(`^/api/videos/${id}/poster\\?version=[0-9a-f]{40}$`));
    const reply = await server.get(poster_url);
    expect(reply.statusCode).toBe(200);
    expect(reply.headers).toMatchObject({
      'content-type': 'image/webp',
      'cache-control': 'private, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
    });
    const { format, width = 0, height = 0 } = await sharp(reply.rawPayload).metadata();
    expect([format, Math.max(width, height) <= 640]).toEqual(['webp', true]);
    expect((await server.get(poster_url, { 'if-none-match': String(reply.headers.etag) })).statusCode).toBe(304);
    expect((await server.get(`/api/videos/${id}/poster`)).headers['cache-control']).toBe('private, no-cache');
    expect(workFiles(server.services.env.dataFolder)).toEqual([]);
  });

  test('of equal videos is one file', async () => {
    const folder = temporaryFolder();
    for (const name of ['a.mp4', 'b.mp4']) copyFileSync(smallVideo(), join(folder, name));
    const server = await startAtWork(folder);
    expect((await posterJobs(server)).length).toBe(2);
    expect(posterFiles(server).length).toBe(1);
  });

  test('is no longer shown once its video has changed', async () => {
    const folder = oneVideo();
    const server = await startAtWork(folder);
    const before = await pick(server);
    copyFileSync(smallVideo(8), join(folder, 'a.mp4'));
    utimesSync(join(folder, 'a.mp4'), 5, 5);
    await server.services.scanner.request();
    expect((await pick(server)).poster_url).not.toBe(before.poster_url);
    expect((await server.get(before.poster_url)).statusCode).toBe(404);
  });

  test('of a changed video takes the place of the old one, whose file goes', async () => {
    const folder = oneVideo();
    const server = await startAtWork(folder);
    const before = await pick(server);
    copyFileSync(smallVideo(8), join(folder, 'a.mp4'));
    utimesSync(join(folder, 'a.mp4'), 5, 5);
    await rescan(server);
    const after = await pick(server);
    expect(after.poster_url).not.toBe(before.poster_url);
    expect((await server.get(after.poster_url)).statusCode).toBe(200);
    expect(posterFiles(server).length).toBe(1);
  });

  test('whose file is lost is made again when somebody asks for it', async () => {
    const server = await startAtWork(oneVideo());
    const { poster_url } = await pick(server);
    rmSync(server.services.folders.posters, { recursive: true });
    expect((await server.get(poster_url)).json()).toMatchObject({ error: 'not_found' });
    await untilIdle(server);
    expect((await server.get(poster_url)).statusCode).toBe(200);
  });

  test('is gone when all are cleared, and comes back with the next look', async () => {
    const server = await startAtWork(oneVideo());
    await server.services.posters.clear();
    expect([posterFiles(server), (await pick(server)).poster_url]).toEqual([[], null]);
    await rescan(server);
    expect((await pick(server)).poster_url).not.toBeNull();
  });

  test('goes with the cache, and is made again by itself', async () => {
    const server = await startAtWork(oneVideo());
    const bytes = debugSchema.parse((await server.get('/api/debug')).json()).cache_bytes;
    expect(bytes).toBeGreaterThan(100);
    expect((await server.call('POST', '/api/clear-cache')).json()).toEqual({ success: true, freed_bytes: bytes });
    await vi.waitFor(
      async () => expect((await posterJobs(server)).map((job) => job.state)).toEqual(['done', 'done']),
      patient,
    );
    expect((await server.get((await pick(server)).poster_url)).statusCode).toBe(200);
  });

  test('that could not be made is made when all that failed are retried', async () => {
    const server = await startAtWork(oneVideo());
    const { database } = server.services;
    // As it would stand here had ffmpeg died of it.
    await database.write(async (transaction) => {
      await transaction.updateTable('posters').set({ content: null, reason: 'It went wrong.' }).execute();
      await transaction
        .updateTable('jobs')
        .set({ state: 'failed', error: 'It went wrong.' })
        .where('kind', '=', 'poster')
        .execute();
    });
    expect((await pick(server)).poster_url).toBeNull();
    const retried = await server.call('POST', '/api/admin/jobs/retry', { payload: { kind: 'poster' } });
    expect(retried.json()).toEqual({ success: true, jobs: 1 });
    await untilIdle(server);
    expect(await posterJobs(server)).toMatchObject([{ state: 'done', error: null }]);
    expect((await server.get((await pick(server)).poster_url)).statusCode).toBe(200);
  });

  test('is not there for a video that does not exist', async () => {
    const server = await startServer();
    for (const id of ['none', '..', '%2e%2e'])
      expect((await server.get(`/api/videos/${id}/poster`)).statusCode).toBe(404);
  });
});

describe('an admin', () => {
  test('sees the jobs, cancels one that hangs, whose processes die, and retries it', async () => {
    const tools = temporaryFolder();
    const folder = oneVideo();
    const env = { FFMPEG_PATH: fakeTool(tools, 'exec sleep 600') };
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
    const server = await startAtWork(oneVideo());
    const { id } = (await posterJobs(server))[0] ?? {};
    expect((await server.call('DELETE', `/api/admin/jobs/${id}`)).json()).toMatchObject({ error: 'conflict' });
    expect((await server.call('POST', `/api/admin/jobs/${id}/retry`)).json()).toMatchObject({ error: 'conflict' });
    expect((await server.call('DELETE', '/api/admin/jobs/none')).statusCode).toBe(404);
    expect((await server.call('GET', '/api/admin/jobs?state=odd')).statusCode).toBe(400);
    expect((await listJobs(server, '?page=9')).jobs).toEqual([]);
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
  const entry = fileURLToPath(new URL('../../../src/server/main.ts', import.meta.url));

  async function startProcess(
    env: Record<string, string | undefined>,
  ): Promise<{ child: ChildProcess; address: string }> {
    const port = await findFreePort();
    const child = spawn(process.execPath, [entry], {
      stdio: 'ignore',
      env: { ...env, PATH: process.env.PATH, HOST: '127.0.0.1', PORT: String(port) },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const address = `http://127.0.0.1:${port}`;
    await vi.waitFor(async () => expect((await fetch(`${address}/readyz`)).status).toBe(200), patient);
    return { child, address };
  }

  test('has taken ffmpeg with it; started again it sweeps up, makes the poster, and the video plays all the time', async () => {
    const data = temporaryFolder();
    const tools = temporaryFolder();
    // A length that nobody else sleeps.
    const nap = `600.${process.pid}`;
    const hanging = fakeTool(tools, `exec sleep ${nap}`);
    const shared = { DATA_DIR: data, DATABASE_URL: await freshDatabaseUrl(), LIBRARY_DIRS: oneVideo() };
    const first = await startProcess({ ...shared, FFMPEG_PATH: hanging });
    await vi.waitFor(() => expect(processesWith(nap).length).toBeGreaterThan(0), patient);
    expect(workFiles(data).length).toBe(1);
    const ended = once(first.child, 'exit');
    first.child.kill('SIGKILL');
    await ended;
    await vi.waitFor(() => expect(processesWith(nap)).toEqual([]), patient);
    expect(workFiles(data).length).toBe(1);

    const env = {
      library: [shared.LIBRARY_DIRS],
      env: { DATA_DIR: data, ...(shared.DATABASE_URL === undefined ? {} : { DATABASE_URL: shared.DATABASE_URL }) },
    };
    const server = await startServer({ ...env, overrides: { jobTimes, identifyCaller: async () => admin } });
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
