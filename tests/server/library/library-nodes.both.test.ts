import { copyFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JobRun } from '#server/jobs/job.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { putVideos, smallVideo } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

const many = 300;

interface Nodes {
  folder: string;
  nodes: [ServerUnderTest, ServerUnderTest];
  /** Both at once; what each found. */
  scan(): Promise<unknown[]>;
}

/** Two nodes of one installation that start, and scan for the first time, at the same moment. */
async function startNodes(put: (folder: string) => void): Promise<Nodes> {
  const folder = temporaryFolder();
  put(folder);
  const env = { ...(await migratedSite()), FFMPEG_PATH: '/none' };
  const start = () => startServer({ library: [folder], env });
  const nodes = await Promise.all([start(), start()]);
  return { folder, nodes, scan: () => Promise.all(nodes.map(({ services }) => services.scanner.request())) };
}

function copies(folder: string, count: number, prefix: string): void {
  for (let index = 0; index < count; index += 1)
    copyFileSync(smallVideo(index), join(folder, `${prefix}-${index}.mp4`));
}

async function expectOneRowEach({ nodes }: Nodes, files: number): Promise<void> {
  const [{ services }] = nodes;
  const rows = await services.database.reader
    .selectFrom('videos')
    .select(['path', 'available'])
    .where('missing_since', 'is', null)
    .execute();
  expect([
    rows.length,
    new Set(rows.map(({ path }) => path)).size,
    rows.every(({ available }) => available === 1),
  ]).toEqual([files, files, true]);
  for (const node of nodes) {
    await node.services.idSets.catchUp();
    expect(differences(node.services.idSets, await readTruth(services.database))).toEqual([]);
  }
}

test('two nodes that scan the same new files at once store each of them once, and both know it', async () => {
  const both = await startNodes((folder) => copies(folder, many, 'first'));
  await expectOneRowEach(both, many);
  copies(both.folder, many, 'second');
  await both.scan();
  await expectOneRowEach(both, 2 * many);
  // One of them scans for both.
  expect((await both.scan()).filter((outcome) => outcome !== null)).toMatchObject([{ read: 0 }]);
});

test('two nodes that see files move, change and vanish at once keep the rows that there were', async () => {
  const both = await startNodes((folder) => putVideos(folder, 'stays.mp4', 'moves.mp4', 'changes.mp4', 'goes.mp4'));
  const idOf = async (path: string) =>
    (
      await both.nodes[0].services.database.reader
        .selectFrom('videos')
        .select('id')
        .where('path', '=', path)
        .executeTakeFirst()
    )?.id;
  const moved = await idOf('moves.mp4');
  renameSync(join(both.folder, 'moves.mp4'), join(both.folder, 'moved.mp4'));
  copyFileSync(smallVideo(7), join(both.folder, 'changes.mp4'));
  rmSync(join(both.folder, 'goes.mp4'));
  await both.scan();
  await expectOneRowEach(both, 3);
  expect(await idOf('moved.mp4')).toBe(moved);
});

test('two nodes that look for missing posters at once queue one job for each video', async () => {
  const { nodes } = await startNodes((folder) => copies(folder, 20, 'video'));
  // Made by nobody before both have looked.
  const run = ({ signal }: JobRun) =>
    new Promise<void>((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
  for (const { services } of nodes) services.jobs.register({ kind: 'poster', lane: 'media', attemptsMax: 3, run });
  await Promise.all(nodes.map(({ services }) => services.posters.queueMissing()));
  const jobs = await nodes[0].services.database.reader
    .selectFrom('jobs')
    .select('subject')
    .where('kind', '=', 'poster')
    .execute();
  expect([jobs.length, new Set(jobs.map(({ subject }) => subject)).size]).toEqual([20, 20]);
});
