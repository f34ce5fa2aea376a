import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { encodeJobs, putAvi, untilEncoded, videoNamed } from '#tests/support/media/encoding-server.ts';
import { fakeTool } from '#tests/support/media/fake-tool.ts';
import { ffmpegs, makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { admin, jobTimes, pick, posterJobs, workFiles } from '#tests/support/media/poster-server.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const [real = ''] = ffmpegs;

/** By the width of the film: how encoding it ends, and what is said of that. */
const faults = [
  ['exits 1', 64, 'exit 1', 'This file is damaged and cannot be read.'],
  ['dies by SIGSEGV', 80, 'kill -SEGV $$', 'This video cannot be converted: ffmpeg crashes on it.'],
  ['eats memory', 96, 'ulimit -v 200000; exec tail /dev/zero', 'Converting this video took too much memory.'],
  [
    'writes without end',
    112,
    'exec cat /dev/zero',
    'This video gives far more than its length explains, and cannot be converted.',
  ],
] as const;

function startAtWork(folder: string, program: string) {
  const diskSpace = { read: async () => ({ free: 1e12, total: 2e12 }) };
  // A sandbox would not show the script the real one.
  const overrides = {
    jobTimes,
    confinements: [],
    identifyCaller: async () => admin,
    encodings: { tools: { diskSpace } },
  };
  return startServer({ library: [folder], env: { FFMPEG_PATH: program }, overrides }, afterFile);
}

describe('when encoding fails', async () => {
  const folder = temporaryFolder(afterFile);
  for (const width of [...faults.map(([, wide]) => wide), 128])
    makeWithFfmpeg(join(folder, `${width}.avi`), '-f', 'lavfi', '-i', `color=red:s=${width}x48:d=1:r=2`);
  const cases = faults.map(([, width, script]) => `*-progress*w=${width}:h=48*) ${script} ;;`);
  const script = `case "$*" in\n${cases.join('\n')}\nesac\nexec "${real}" "$@"`;
  const server = await startAtWork(folder, fakeTool(temporaryFolder(afterFile), script));
  await server.services.startWork();
  await untilEncoded(server);
  const jobs = await encodeJobs(server);

  test.each(faults)(
    'because ffmpeg %s, the job is tried twice more and given up with a short reason',
    async (_, width, __, reason) => {
      const { number } = await videoNamed(server, `${width}.avi`);
      const own = jobs.filter(({ video_number }) => video_number === number);
      expect(own).toMatchObject([{ state: 'failed', attempts: 3, error: reason }]);
      expect(await server.services.encodings.want(number)).toBeNull();
    },
  );

  test('the others are encoded, posters are made of all, and nothing is left behind', async () => {
    expect((await videoNamed(server, '128.avi')).available).toBe(1);
    expect((await posterJobs(server)).map(({ state }) => state)).toEqual(Array(5).fill('done'));
    expect(workFiles(server.services.env.dataFolder)).toEqual([]);
  });
});

test('without ffmpeg nobody is told to wait for what nothing plays, and the reply says why it does not', async () => {
  const folder = temporaryFolder();
  putAvi(folder, 'film.avi');
  const server = await startAtWork(folder, '/nowhere/ffmpeg');
  await server.services.startWork();
  const { number } = await videoNamed(server, 'film.avi');
  expect([await server.services.encodings.want(number), await encodeJobs(server)]).toEqual([null, []]);
  const nothing = await pick(server);
  expect(nothing).toMatchObject({ available: false, processing: null });
  expect(nothing.message).toContain('AVI');
});
