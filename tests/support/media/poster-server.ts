import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { jobListSchema } from '#contract/entities/site/job.ts';
import { debugSchema } from '#contract/entities/site/site.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** Real programs on a busy machine. */
export const patient = { interval: 50 };
export const jobTimes = { poll: 50, heartbeat: 50, retryDelay: () => 0 };
export const admin = callerFor({ userId: 'u', tier: 'admin' });

/** Posters are all that ffmpeg is asked for. */
export const withoutEncodings = { DERIVED_GB: '0' };

/** A server at work, with all its jobs done. */
export async function startAtWork(
  folder: string,
  env: Record<string, string> = {},
  atEnd?: AtEnd,
): Promise<ServerUnderTest> {
  const overrides = { jobTimes, identifyCaller: async () => admin };
  const server = await startServer({ library: [folder], env: { ...withoutEncodings, ...env }, overrides }, atEnd);
  await server.services.startWork();
  await untilIdle(server);
  return server;
}

export async function listJobs(server: ServerUnderTest, query = '') {
  return jobListSchema.parse((await server.get(`/api/admin/jobs${query}`)).json());
}

export const posterJobs = async (server: ServerUnderTest) =>
  (await listJobs(server, '?limit=100')).jobs.filter((job) => job.kind === 'poster');

export async function untilIdle(server: ServerUnderTest): Promise<void> {
  await vi.waitFor(async () => {
    const { queues } = debugSchema.parse((await server.get('/api/debug')).json());
    expect(queues).toMatchObject({ jobs_queued: 0, jobs_running: 0 });
  }, patient);
}

export async function rescan(server: ServerUnderTest): Promise<void> {
  await server.services.scanner.request();
  await server.services.posters.queueMissing();
  await untilIdle(server);
}

export const pick = async (server: ServerUnderTest) => (await server.get('/api/video/top-left')).json();
export const posterFiles = (server: ServerUnderTest) =>
  existsSync(server.services.folders.posters)
    ? readdirSync(server.services.folders.posters, { recursive: true, withFileTypes: true }).filter((entry) =>
        entry.isFile(),
      )
    : [];
export const workFiles = (folder: string) =>
  existsSync(join(folder, 'work')) ? readdirSync(join(folder, 'work')) : [];

export function oneVideo(name = 'a.mp4', atEnd?: AtEnd): string {
  const folder = temporaryFolder(atEnd);
  putVideos(folder, name);
  return folder;
}
