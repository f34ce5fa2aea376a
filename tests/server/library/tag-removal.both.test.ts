import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import type { DatabaseAddress } from '#server/database/connection.ts';
import { SweepTime } from '#server/database/sweep-time.ts';
import { createTagRemoval } from '#server/features/tags/tag-removal.ts';
import { createIds } from '#server/ids.ts';
import { JobQueue } from '#server/jobs/job-queue.ts';
import { jobRepository } from '#server/jobs/job-repository.ts';
import { Runner } from '#server/jobs/runner.ts';
import { createLog } from '#server/log.ts';
import { migratedDatabase } from '#tests/support/database/test-database.ts';
import {
  addRoot,
  addTag,
  addVideos,
  differences,
  readTruth,
  startNode,
  tagVideos,
} from '../id-sets/id-sets-library.ts';

const patient = { interval: 10 };

async function openNode(address: DatabaseAddress) {
  const node = await startNode(address);
  const { database, sets: idSets } = node;
  const ids = createIds(systemClock);
  const queue = new JobQueue({ database, clock: systemClock, ids });
  const removal = createTagRemoval({ idSets, queue, clock: systemClock });
  removal.open();
  const runner = new Runner({
    queue,
    database,
    clock: systemClock,
    sweepTime: new SweepTime({ database, clock: systemClock }),
    ids,
    log: createLog('silent'),
    places: { media: 1, encode: 1, between: 1, light: 2 },
    times: { poll: 20 },
  });
  let closing: Promise<void> | null = null;
  const close = () => {
    closing ??= runner.stop().then(() => node.close());
    return closing;
  };
  onTestFinished(close);
  return { ...node, removal, runner, close };
}

/** A tag on all of some videos, and a blocked one on a third of them. */
async function openLibrary() {
  const address = await migratedDatabase();
  const node = await openNode(address);
  const made = await node.sets.write(async (transaction, changes) => {
    await addRoot(transaction);
    const [going, blocked] = [await addTag(transaction), await addTag(transaction)];
    const numbers: number[] = [];
    for (let round = 0; round < 4; round += 1) {
      const some = await addVideos(transaction, changes, 400);
      await tagVideos(transaction, changes, node.sets, going, some);
      await tagVideos(
        transaction,
        changes,
        node.sets,
        blocked,
        some.filter((_, index) => index % 3 === 0),
      );
      numbers.push(...some);
    }
    return { going, blocked, numbers };
  });
  const { id } = await node.database.reader
    .selectFrom('tags')
    .select('id')
    .where('number', '=', made.going)
    .executeTakeFirstOrThrow();
  return { node, address, id, ...made };
}

const tagRow = (node: Awaited<ReturnType<typeof openNode>>, number: number) =>
  node.database.reader.selectFrom('tags').select('active').where('number', '=', number).executeTakeFirst();

async function expectGone(node: Awaited<ReturnType<typeof openNode>>, number: number): Promise<void> {
  await vi.waitFor(async () => expect(await tagRow(node, number)).toBeUndefined(), patient);
  expect(
    await node.database.reader.selectFrom('video_tags').selectAll().where('tag_number', '=', number).execute(),
  ).toEqual([]);
  await node.sets.catchUp();
  expect(differences(node.sets, await readTruth(node.database))).toEqual([]);
}

describe('a tag that is removed for good', () => {
  test('is gone for everybody at once, and its links, its row and the job go in the background', async () => {
    const { node, id, going } = await openLibrary();
    expect(await node.removal.remove(id, null)).toBe(true);
    expect(node.sets.count({ tags: [going], mode: 'OR', blocked: [] })).toBe(0);
    expect(await tagRow(node, going)).toEqual({ active: 0 });
    node.runner.start();
    await expectGone(node, going);
    await vi.waitFor(
      async () =>
        expect(
          (await jobRepository.list(node.database.reader, { state: 'done' }, { limit: 9, offset: 0 })).length,
        ).toBe(1),
      patient,
    );
    expect(await node.removal.remove(id, null)).toBe(false);
  });

  test('lets no blocked video through while its links go, and none is lost', async () => {
    const { node, id, going, blocked, numbers } = await openLibrary();
    const hidden = new Set(numbers.filter((_, index) => (index % 400) % 3 === 0));
    const selection = { tags: [], mode: 'OR' as const, blocked: [blocked] };
    node.runner.start();
    await node.removal.remove(id, null);
    let picks = 0;
    for (let isGone = false; !isGone; picks += 1) {
      const pick = node.sets.pick(selection, { exclude: [] });
      expect(hidden.has(pick?.number ?? 0)).toBe(false);
      expect(pick?.matching).toBe(numbers.length - hidden.size);
      isGone = (await tagRow(node, going)) === undefined;
      await turn();
    }
    expect(picks).toBeGreaterThan(1);
    await expectGone(node, going);
  });

  test('is removed by the next process when this one ends in between', async () => {
    const { node, address, id, going } = await openLibrary();
    await node.removal.remove(id, null);
    await node.close();
    const next = await openNode(address);
    expect(next.sets.count({ tags: [going], mode: 'OR', blocked: [] })).toBe(0);
    next.runner.start();
    await expectGone(next, going);
  });
});
