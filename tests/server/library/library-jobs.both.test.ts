import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { jobRepository } from '#server/jobs/job-repository.ts';
import { putVideos, smallVideo } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const patient = { interval: 2 };

const jobsOf = async ({ services }: ServerUnderTest) =>
  jobRepository.list(services.database.reader, {}, { limit: 50, offset: 0 });
const countVideos = async ({ services }: ServerUnderTest) =>
  (await services.database.reader.selectFrom('videos').select('id').execute()).length;

/** @returns the id of its job */
async function untilSecondRuns(server: ServerUnderTest): Promise<string> {
  return vi.waitFor(async () => {
    const [second, ...first] = await jobsOf(server);
    expect([second?.state, first.length]).toEqual(['running', 1]);
    return second?.id ?? '';
  }, patient);
}

async function startWith(count: number) {
  const folder = temporaryFolder();
  putVideos(folder, 'first.mp4');
  const server = await startServer({ library: [folder] });
  for (let index = 0; index < count; index += 1) copyFileSync(smallVideo(), join(folder, `video-${index}.mp4`));
  return { folder, server };
}

test('a scan is a job that admins see, done when the scan is', async () => {
  const { server } = await startWith(0);
  await vi.waitFor(
    async () => expect(await jobsOf(server)).toMatchObject([{ kind: 'scan', state: 'done', progress: 100 }]),
    patient,
  );
});

test('a scan that is cancelled ends, keeps what it has stored, and the next one goes on', async () => {
  const { server } = await startWith(600);
  const scan = server.services.scanner.request();
  expect(await server.services.jobs.cancel(await untilSecondRuns(server))).toBe('done');
  await scan;
  expect(await server.services.scanner.request()).toMatchObject({ found: 601, playable: 601 });
  expect(await countVideos(server)).toBe(601);
});

test('a scan that is cancelled before it begins is not made, and the next request is', async () => {
  const { server } = await startWith(2);
  const { jobs, runner, scanner } = server.services;
  await runner.stop();
  const scan = scanner.request();
  await vi.waitFor(async () => expect(await jobs.cancelWaiting('scan')).toBe(1), patient);
  expect([await scan, scanner.facts().isRunning, (await jobsOf(server))[0]?.state]).toEqual([null, false, 'cancelled']);
  void scanner.request();
  await vi.waitFor(async () => expect((await jobsOf(server))[0]?.state).toBe('queued'), patient);
});

test('a scan that a process has left in the queue is made by the next one', async () => {
  const { server } = await startWith(2);
  await server.services.jobs.add([{ kind: 'scan', subject: 'of another process' }]);
  const left = (await jobsOf(server)).find((job) => job.subject === 'of another process');
  await vi.waitFor(
    async () =>
      expect(await jobRepository.find(server.services.database.reader, left?.id ?? '')).toMatchObject({
        state: 'done',
      }),
    patient,
  );
  expect(await countVideos(server)).toBe(3);
});

test('a scan that is stopped with its server answers nothing, and is there for the next start', async () => {
  const { server } = await startWith(600);
  const scan = server.services.scanner.request();
  await untilSecondRuns(server);
  await server.services.runner.stop();
  const answer = await scan;
  const states = (await jobsOf(server)).map(({ state }) => state);
  // It may have come to its end just before. A server that waits for it no longer leaves it to the end of its lease.
  expect([answer === null, ...states]).toBeOneOf([
    [true, 'queued', 'done'],
    [true, 'running', 'done'],
    [false, 'done', 'done'],
  ]);
});
