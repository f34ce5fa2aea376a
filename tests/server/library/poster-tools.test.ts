import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { debugSchema, healthSchema } from '#contract/entities/site.ts';
import { confinements } from '#tests/support/confinements.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import {
  admin,
  jobTimes,
  oneVideo,
  pick,
  posterFiles,
  posterJobs,
  rescan,
  startAtWork,
  untilIdle,
  workFiles,
} from '#tests/support/media/poster-server.ts';
import { putFile, putVideos, smallVideo } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

describe('a poster', () => {
  test('is made whatever the video is called', async () => {
    const folder = temporaryFolder();
    const names = [
      '-vf.mp4',
      'a:b.mp4',
      '%03d.mp4',
      'CON.mp4',
      '%2e#t=10.mp4',
      'new\nline "quoted".mp4',
      '🎬 \u202egpj.mp4',
      'e\u0301.mp4',
      `${'x'.repeat(251)}.mp4`,
    ];
    putVideos(folder, ...names);
    copyFileSync(smallVideo(), Buffer.concat([Buffer.from(`${folder}/bad`), Buffer.of(0xff), Buffer.from('.mp4')]));
    const server = await startAtWork(folder);
    expect((await posterJobs(server)).map((job) => job.state)).toEqual(
      Array.from({ length: names.length + 1 }, () => 'done'),
    );
    expect(readdirSync(folder, 'latin1').length).toBe(names.length + 1);
  });

  test('is made of what only browsers cannot play, and of nothing that is no video', async () => {
    const folder = temporaryFolder();
    makeWithFfmpeg(join(folder, 'a.avi'), '-f', 'lavfi', '-i', 'color=red:s=64x64:d=1', '-c:v', 'mpeg4');
    putFile(folder, 'list.mp4', '#EXTM3U\nhttp://127.0.0.1/secret');
    putFile(folder, 'half.mp4', readFileSync(smallVideo()).subarray(0, 2_000));
    const server = await startAtWork(folder);
    expect((await posterJobs(server)).map((job) => job.state)).toEqual(['done']);
    expect(posterFiles(server).length).toBe(1);
  });
});

describe('without ffmpeg', () => {
  test('videos play without posters, and the server says that it is degraded', async () => {
    const server = await startAtWork(oneVideo(), { FFMPEG_PATH: '/nowhere/ffmpeg' });
    const { poster_url, url } = await pick(server);
    expect(poster_url).toBeNull();
    expect((await server.get(url)).statusCode).toBe(200);
    const ready = await server.get('/readyz');
    expect([ready.statusCode, healthSchema.parse(ready.json())]).toEqual([
      200,
      { status: 'degraded', missing: ['ffmpeg'] },
    ]);
    expect(debugSchema.parse((await server.get('/api/debug')).json()).ffmpeg).toBeNull();
    expect(server.logged()).toContain('no ffmpeg');
    expect(await posterJobs(server)).toEqual([]);
  });
});

describe('on a machine that refuses every sandbox', () => {
  test('posters are made all the same, and the terminal, the health and the facts for admins say that it is degraded', async () => {
    const overrides = { jobTimes, identifyCaller: async () => admin, confinements: [] };
    const server = await startServer({ library: [oneVideo()], overrides });
    await server.services.startWork();
    await untilIdle(server);
    expect((await pick(server)).poster_url).not.toBeNull();
    const ready = await server.get('/readyz');
    expect([ready.statusCode, healthSchema.parse(ready.json())]).toEqual([
      200,
      { status: 'degraded', missing: ['sandbox'] },
    ]);
    expect((await server.get('/healthz')).json()).toEqual({ status: 'ok' });
    expect(debugSchema.parse((await server.get('/api/debug')).json()).sandbox).toBeNull();
    expect(server.logged()).toContain('ffmpeg runs without a sandbox');
  });
});

test.each(confinements)('an admin reads that ffmpeg runs in the sandbox of $kind', async (confinement) => {
  const overrides = { jobTimes, identifyCaller: async () => admin, confinements: [confinement] };
  const server = await startServer({ library: [oneVideo()], overrides });
  await server.services.startWork();
  await untilIdle(server);
  expect((await pick(server)).poster_url).not.toBeNull();
  expect(debugSchema.parse((await server.get('/api/debug')).json()).sandbox).toBe(confinement.kind);
  expect((await server.get('/readyz')).json()).toEqual({ status: 'ok' });
});

describe('when ffmpeg fails', () => {
  test.each([
    ['exits 1', 'exit 1', 'No picture could be read from this video.'],
    ['dies by SIGSEGV', 'kill -SEGV $$', 'Reading the video made ffmpeg crash.'],
    ['writes without end', 'exec cat /dev/zero', 'Reading the video gave far too much.'],
  ])('because it %s, the job is tried twice more and given up with a short reason', async (_, script, reason) => {
    const server = await startAtWork(oneVideo(), { FFMPEG_PATH: fakeTool(temporaryFolder(), script) });
    const [job] = await posterJobs(server);
    expect(job).toMatchObject({ state: 'failed', error: reason, attempts: 3 });
    expect(job?.video_id).toBe((await pick(server)).id);
    expect((await pick(server)).poster_url).toBeNull();
    expect(workFiles(server.services.env.dataFolder)).toEqual([]);
    // What has failed for good is not tried again with every scan.
    await rescan(server);
    expect((await posterJobs(server)).length).toBe(1);
  });
});
