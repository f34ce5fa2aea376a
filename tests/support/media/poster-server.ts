import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import { jobListSchema } from '#contract/entities/library.ts';
import type { Clock } from '#server/clock.ts';
import { systemClock } from '#server/clock.ts';
import { callerFor } from '#server/http/pipeline/guards.ts';
import { jobRepository } from '#server/jobs/job-repository.ts';
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

let passedMs = 0;

/** Picks show a poster two seconds after it was made, which nobody here waits for. */
export const hastyClock: Clock = { now: systemClock.now, elapsed: () => systemClock.elapsed() + passedMs };

/** A server at work, with all its jobs done. */
export async function startAtWork(
  folder: string,
  env: Record<string, string> = {},
  atEnd?: AtEnd,
): Promise<ServerUnderTest> {
  const overrides = { clock: hastyClock, jobTimes, identifyCaller: async () => admin };
  const server = await startServer({ library: [folder], env: { ...withoutEncodings, ...env }, overrides }, atEnd);
  await server.services.startWork();
  await untilIdle(server);
  return server;
}

export async function listJobs(server: ServerUnderTest, query = '') {
  const reply = await server.get(`/api/admin/jobs${query}`);
  expect([reply.statusCode, reply.json().error]).toEqual([200, undefined]);
  return jobListSchema.parse(reply.json());
}

export const posterJobs = async (server: ServerUnderTest) =>
  (await listJobs(server, '?limit=100')).jobs.filter((job) => job.kind === 'poster');

/** Asks the database: a machine that is slow asks often, and calls of administrators have a budget. */
export async function untilIdle({ services }: ServerUnderTest): Promise<void> {
  await vi.waitFor(async () => {
    const counts = await jobRepository.countByState(services.database.reader);
    expect([counts.get('queued') ?? 0, counts.get('running') ?? 0]).toEqual([0, 0]);
  }, patient);
}

export async function rescan(server: ServerUnderTest): Promise<void> {
  await server.services.scanner.request();
  await server.services.posters.queueMissing();
  await untilIdle(server);
}

export async function pick(server: ServerUnderTest) {
  passedMs += 2_000;
  return (await server.get('/api/video/top-left')).json();
}

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
