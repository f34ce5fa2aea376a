import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { mediaNeeds, toNeedBits, usualClass } from '#contract/rules/media-needs.ts';
import type { DatabaseAddress } from '#server/database/connection.ts';
import { availabilityRepository } from '#server/features/library/availability-repository.ts';
import { formKeys, needSets } from '#server/id-sets/set-changes.ts';
import type { TagSelection } from '#server/id-sets/tag-selection.ts';
import { migratedDatabase } from '../../support/database/test-database.ts';
import { chiSquareDeviation, seededRandom } from '../../unit/server/id-sets/list-set.ts';
import type { Node, NodeOptions } from './id-sets-library.ts';
import {
  addRoot,
  addTag,
  addVideos,
  differences,
  disturb,
  matchingOf,
  readTruth,
  setAvailable,
  setEncoded,
  startNode,
  switchTag,
  tagVideos,
} from './id-sets-library.ts';

const everything: TagSelection = { tags: [], mode: 'OR', blocked: [] };
const hevc = toNeedBits(['hevc']);

async function openNode(address: DatabaseAddress, options?: NodeOptions): Promise<Node> {
  const node = await startNode(address, options);
  onTestFinished(() => node.close());
  return node;
}

/** A library of its own with a root and some tags. */
async function openLibrary(
  tagCount: number,
  options?: NodeOptions,
): Promise<Node & { address: DatabaseAddress; tags: number[] }> {
  const address = await migratedDatabase();
  const node = await openNode(address, options);
  const tags = await node.sets.write(async (transaction) => {
    await addRoot(transaction);
    const numbers: number[] = [];
    while (numbers.length < tagCount) numbers.push(await addTag(transaction));
    return numbers;
  });
  return { ...node, address, tags };
}

async function expectAgreement(node: Node): Promise<void> {
  expect(differences(node.sets, await readTruth(node.database))).toEqual([]);
}

describe('a pick', () => {
  test('is one of the matching videos, never blocked, and excluded only when nothing else is left', async () => {
    const { sets, database, tags } = await openLibrary(4);
    const random = seededRandom(11);
    for (let step = 0; step < 40; step += 1) await disturb({ database, sets }, random);
    const truth = await readTruth(database);
    const someTags = fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 });
    const favourites = fc
      .uniqueArray(fc.integer({ min: 1, max: 400 }), { maxLength: 60 })
      .map((numbers) => Uint32Array.from(numbers.sort((a, b) => a - b)));
    const selections = fc.record({
      tags: someTags,
      mode: fc.constantFrom('OR' as const, 'AND' as const),
      blocked: someTags,
      missingNeeds: fc.subarray(needSets.map(({ index }) => index)),
      forms: fc.subarray([...formKeys], { maxLength: 2 }),
      among: fc.option(favourites, { nil: undefined }),
    });
    fc.assert(
      fc.property(
        selections,
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { maxLength: 40 }),
        ({ among, ...rest }, exclude) => {
          const selection = among === undefined ? rest : { ...rest, among };
          const matching = matchingOf(truth, selection);
          const left = matching.filter((number) => !exclude.includes(number));
          const pick = sets.pick(selection, { exclude });
          expect(pick?.matching ?? 0).toBe(matching.length);
          if (pick !== null) expect(left.length > 0 ? left : matching).toContain(pick.number);
          expect(exclude.filter((number) => sets.matches(selection, number))).toEqual(
            exclude.filter((number) => matching.includes(number)),
          );
        },
      ),
      { numRuns: 300 },
    );
  });

  test.each([1, 2, 3])('finds every video that is left equally likely, in every mode (seed %i)', async (seed) => {
    const { sets, tags } = await openLibrary(3, { randomBelow: seededRandom(seed) });
    const [first, second, third] = tags as [number, number, number];
    const numbers = await sets.write(async (transaction, changes) => addVideos(transaction, changes, 300));
    await sets.write(async (transaction, changes) => {
      await tagVideos(transaction, changes, sets, first, numbers.slice(0, 200));
      await tagVideos(transaction, changes, sets, second, numbers.slice(100, 290));
      await tagVideos(transaction, changes, sets, third, numbers.slice(150, 160));
      await tagVideos(transaction, changes, sets, second, await addVideos(transaction, changes, 100, 1, hevc));
    });
    const missingNeeds = sets.listLacking(usualClass);
    const exclude = numbers.slice(120, 130);
    for (const selection of [
      everything,
      { ...everything, blocked: [third] },
      { ...everything, tags: [first, second], blocked: [third] },
      { tags: [first, second], mode: 'AND', blocked: [third] },
      { ...everything, missingNeeds },
      { ...everything, tags: [first, second], blocked: [third], missingNeeds },
      { ...everything, tags: [first, second], blocked: [third], forms: ['is:short'] },
      { ...everything, forms: ['is:medium', 'is:wide'], missingNeeds },
      { ...everything, tags: [first], among: Uint32Array.from(numbers.filter((number) => number % 3 > 0)) },
      { ...everything, forms: ['is:upright'], among: Uint32Array.from(numbers) },
    ] as const) {
      const left = sets.page(selection, 0, 400).numbers.filter((number) => !exclude.includes(number));
      const counts = new Map(left.map((number) => [number, 0]));
      for (let draw = 0; draw < left.length * 60; draw += 1) {
        const { number } = sets.pick(selection, { exclude })!;
        counts.set(number, counts.get(number)! + 1);
      }
      expect([...counts.keys()]).toHaveLength(left.length);
      expect(Math.abs(chiSquareDeviation([...counts.values()]))).toBeLessThan(3.3);
    }
  });

  test('a library without videos has none', async () => {
    const { sets } = await openLibrary(1);
    expect(sets.pick(everything, { exclude: [] })).toBeNull();
  });
});

describe('what a device lacks', () => {
  test('is nothing in a library that plays everywhere, so that all devices share one selection', async () => {
    const { sets } = await openLibrary(0);
    await sets.write((transaction, changes) => addVideos(transaction, changes, 5));
    await sets.write((transaction, changes) => addVideos(transaction, changes, 5, 1, toNeedBits(['quicktime', 'ac3'])));
    expect(sets.listLacking(usualClass)).toEqual([]);
    expect(sets.listLacking(0)).toEqual([mediaNeeds.indexOf('quicktime')]);
  });

  test('leaves out what needs it until that has an encoding', async () => {
    const { sets } = await openLibrary(0);
    const [plain] = await sets.write((transaction, changes) => addVideos(transaction, changes, 1));
    const [modern] = await sets.write((transaction, changes) => addVideos(transaction, changes, 1, 1, hevc));
    const shown = () => sets.page({ ...everything, missingNeeds: sets.listLacking(usualClass) }, 0, 5).numbers;
    expect(shown()).toEqual([plain]);
    await sets.write((transaction, changes) => setEncoded(transaction, changes, modern!, true));
    expect(shown()).toEqual([modern, plain]);
    await sets.write((transaction, changes) => setEncoded(transaction, changes, modern!, false));
    expect(shown()).toEqual([plain]);
    expect(sets.page({ ...everything, missingNeeds: sets.listLacking(usualClass | hevc) }, 0, 5).total).toBe(2);
  });

  test('is listed by what needs any of it, without what has an encoding or is not there', async () => {
    const { sets } = await openLibrary(0);
    const mov = toNeedBits(['quicktime']);
    const add = (available: 0 | 1, needs: number) =>
      sets.write((transaction, changes) => addVideos(transaction, changes, 2, available, needs));
    const [movs, modern] = [await add(1, mov), await add(1, hevc)];
    for (const needs of [0, hevc]) await add(needs === 0 ? 1 : 0, needs);
    await sets.write((transaction, changes) => setEncoded(transaction, changes, modern[0]!, true));
    const places = (bits: number) => mediaNeeds.flatMap((_, place) => ((bits & (1 << place)) === 0 ? [] : [place]));
    expect(sets.pageNeeding(places(hevc), 0, 5)).toEqual([modern[1]]);
    expect(sets.pageNeeding(places(mov | hevc), 0, 2)).toEqual([modern[1], movs[1]]);
    expect(sets.pageNeeding(places(mov | hevc), 2, 2)).toEqual([movs[0]]);
    expect(sets.pageNeeding([], 0, 5)).toEqual([]);
  });
});

describe('pages', () => {
  test('go from the newest video to the oldest, and beyond the end there is nothing', async () => {
    const { sets } = await openLibrary(0);
    const numbers = await sets.write((transaction, changes) => addVideos(transaction, changes, 45));
    const newestFirst = numbers.toReversed();
    expect(sets.page(everything, 0, 20)).toEqual({ numbers: newestFirst.slice(0, 20), total: 45 });
    expect(sets.page(everything, 40, 20)).toEqual({ numbers: newestFirst.slice(40), total: 45 });
    expect(sets.page(everything, 60, 20)).toEqual({ numbers: [], total: 45 });
  });
});

describe('the sets', () => {
  test.each([1, 2, 3])(
    'agree with the tables after any changes, also for a node that starts later (seed %i)',
    async (seed) => {
      const node = await openLibrary(3);
      const random = seededRandom(seed);
      for (let step = 0; step < 60; step += 1) {
        await disturb(node, random);
        if (step % 20 === 19) await expectAgreement(node);
      }
      await expectAgreement(await openNode(node.address));
      await node.sets.stop();
      await expectAgreement(await openNode(node.address));
    },
  );

  test('of needs need not be built for a library that is older than they are: nothing is known to need anything', async () => {
    const { address, database, sets } = await openLibrary(0);
    const numbers = await sets.write((transaction, changes) => addVideos(transaction, changes, 20));
    await sets.stop();
    // As it was before there were any.
    await database.write((transaction) => transaction.deleteFrom('id_sets').where('key', 'like', 'need:%').execute());
    const node = await openNode(address);
    await expectAgreement(node);
    await node.sets.write(async (transaction, changes) => {
      await transaction.updateTable('videos').set({ needs: hevc }).where('number', '=', numbers[0]!).execute();
      await availabilityRepository.alignEncoded(transaction, changes, numbers[0]!);
    });
    await expectAgreement(node);
    await node.sets.stop();
    await expectAgreement(await openNode(address));
  });

  test('of lengths and shapes are built at the start of a library that is older than they are', async () => {
    const { address, database, sets } = await openLibrary(0);
    await sets.write((transaction, changes) => addVideos(transaction, changes, 40));
    await sets.stop();
    await database.write((transaction) => transaction.deleteFrom('id_sets').where('key', 'like', 'is:%').execute());
    await expectAgreement(await openNode(address));
  });

  test('of lengths and shapes are found again where nobody recorded a change', async () => {
    const node = await openLibrary(0, { keepEveryMs: 20 });
    await node.sets.write((transaction, changes) => addVideos(transaction, changes, 40));
    await node.database.write((transaction) =>
      transaction.updateTable('videos').set({ duration_ms: 5, width: 1, height: 2 }).execute(),
    );
    await vi.waitFor(async () => expect(differences(node.sets, await readTruth(node.database))).toEqual([]));
  });

  test('are built from the tables of a library that is older than they are', async () => {
    const { address, database, tags, sets } = await openLibrary(2);
    const numbers = await sets.write((transaction, changes) => addVideos(transaction, changes, 700));
    await sets.write((transaction, changes) => addVideos(transaction, changes, 30, 1, hevc));
    await sets.write((transaction, changes) => tagVideos(transaction, changes, sets, tags[0]!, numbers.slice(0, 600)));
    await database.write(async (transaction) => {
      await transaction.deleteFrom('id_sets').execute();
      await transaction.deleteFrom('set_changes').execute();
      await transaction.updateTable('set_counter').set({ seq: 0, kept_seq: 0, built: 0 }).execute();
    });
    await expectAgreement(await openNode(address));
  });

  test('a change that is rolled back is nobody’s', async () => {
    const node = await openLibrary(0);
    const refused = node.sets.write(async (transaction, changes) => {
      await addVideos(transaction, changes, 3);
      throw new Error('no');
    });
    await expect(refused).rejects.toThrow('no');
    await node.sets.catchUp();
    await expectAgreement(node);
    expect(node.sets.count(everything)).toBe(0);
  });

  test('the log is trimmed once its changes are stored, and a node that slept meanwhile catches up', async () => {
    const node = await openLibrary(2);
    const sleeper = await openNode(node.address);
    const numbers = await node.sets.write((transaction, changes) => addVideos(transaction, changes, 50));
    await node.sets.write((transaction, changes) =>
      tagVideos(transaction, changes, node.sets, node.tags[0]!, numbers.slice(0, 20)),
    );
    await node.sets.stop();
    const left = await node.database.reader.selectFrom('set_changes').selectAll().execute();
    expect(left).toEqual([]);
    await sleeper.sets.catchUp();
    await expectAgreement(sleeper);
    await node.sets.write((transaction, changes) => setAvailable(transaction, changes, numbers.slice(0, 5), 0));
    await sleeper.sets.catchUp();
    await expectAgreement(sleeper);
  });

  test('a tag that goes for good has an empty set at once, and its videos become untagged', async () => {
    const node = await openLibrary(2);
    const [gone, stays] = node.tags as [number, number];
    const numbers = await node.sets.write((transaction, changes) => addVideos(transaction, changes, 30));
    await node.sets.write(async (transaction, changes) => {
      await tagVideos(transaction, changes, node.sets, gone, numbers);
      await tagVideos(transaction, changes, node.sets, stays, numbers.slice(0, 10));
    });
    await node.sets.removeTagLinks(gone);
    expect(node.sets.count({ ...everything, tags: [gone] })).toBe(0);
    expect(node.sets.count({ ...everything, isUntagged: true })).toBe(20);
    await expectAgreement(node);
  });

  test('videos whose only tag is switched off are untagged until it is back', async () => {
    const node = await openLibrary(1);
    const numbers = await node.sets.write((transaction, changes) => addVideos(transaction, changes, 4));
    await node.sets.write((transaction, changes) => tagVideos(transaction, changes, node.sets, node.tags[0]!, numbers));
    await switchTag(node, node.tags[0]!, 0);
    expect(node.sets.count({ ...everything, isUntagged: true })).toBe(4);
    await switchTag(node, node.tags[0]!, 1);
    expect(node.sets.count({ ...everything, isUntagged: true })).toBe(0);
  });

  test('a set that differs from its table is found in quiet times, logged and made again', async () => {
    const node = await openLibrary(1, { keepEveryMs: 20 });
    const numbers = await node.sets.write((transaction, changes) => addVideos(transaction, changes, 10));
    // Somebody forgot to record.
    await node.database.write(async (transaction) => {
      await transaction
        .updateTable('videos')
        .set({ available: 0 })
        .where('number', 'in', numbers.slice(0, 4))
        .execute();
    });
    await vi.waitFor(() => expect(node.sets.count(everything)).toBe(6));
    await expectAgreement(node);
    expect(node.logged.join('')).toContain('differs from the library');
  });

  test('what a device lacks is found again where nobody recorded that a video needs it', async () => {
    const node = await openLibrary(1, { keepEveryMs: 20 });
    const numbers = await node.sets.write((transaction, changes) => addVideos(transaction, changes, 10));
    await node.database.write(async (transaction) => {
      await transaction.updateTable('videos').set({ needs: hevc }).where('number', '=', numbers[3]!).execute();
    });
    await vi.waitFor(() => expect(node.sets.listLacking(usualClass)).toEqual([mediaNeeds.indexOf('hevc')]));
    await expectAgreement(node);
  });

  test('a set of the right size that holds the wrong video is found too, wherever that stands', async () => {
    const node = await openLibrary(1, { keepEveryMs: 20 });
    const numbers = await node.sets.write((transaction, changes) => addVideos(transaction, changes, 3_000));
    await node.sets.write((transaction, changes) => setAvailable(transaction, changes, numbers.slice(2_990), 0));
    await node.database.write(async (transaction) => {
      await transaction.updateTable('videos').set({ available: 0 }).where('number', '=', numbers[2_500]!).execute();
      await transaction.updateTable('videos').set({ available: 1 }).where('number', '=', numbers[2_995]!).execute();
    });
    await vi.waitFor(async () => expect(differences(node.sets, await readTruth(node.database))).toEqual([]), {
      interval: 100,
    });
    expect(node.logged.join('')).toContain('differs from the library');
  });

  test('a stored set whose bytes are broken is made again at the start', async () => {
    const node = await openLibrary(1);
    await node.sets.write((transaction, changes) => addVideos(transaction, changes, 10));
    await node.sets.stop();
    await node.database.write(async (transaction) => {
      await transaction
        .updateTable('id_sets')
        .set({ bits: Buffer.from('broken') })
        .where('key', '=', 'available')
        .execute();
    });
    const next = await openNode(node.address);
    await expectAgreement(next);
    expect(next.logged.join('')).toContain('could not be read');
  });
});

describe('several writers', () => {
  test('that write at the same time lose nothing', async () => {
    const first = await openLibrary(4);
    const second = await openNode(first.address);
    await first.sets.write((transaction, changes) => addVideos(transaction, changes, 60));
    await Promise.all(
      Array.from({ length: 12 }, async (_, writer) => {
        const random = seededRandom(100 + writer);
        for (let step = 0; step < 10; step += 1) await disturb(writer % 2 === 0 ? first : second, random, true);
      }),
    );
    await Promise.all([first.sets.catchUp(), second.sets.catchUp()]);
    await expectAgreement(first);
    await expectAgreement(second);
  });

  test('tell of a video that only looks different, without its name', async () => {
    const first = await openLibrary(1);
    const second = await openNode(first.address);
    const [shown = 0, renamed = 0] = await first.sets.write((transaction, changes) =>
      addVideos(transaction, changes, 2),
    );
    await second.sets.catchUp();
    const [videos, names]: [number[], number[]] = [[], []];
    second.sets.onVideos((changed) => videos.push(...(changed ?? [])));
    second.sets.onNames((changed) => names.push(...(changed ?? [])));
    await first.sets.write(async (_, changes) => {
      changes.touch(shown);
      changes.put('names', [renamed], true);
      // That it has a new name says enough.
      changes.touch(renamed);
    });
    await second.sets.catchUp();
    expect({ videos: videos.sort(), names }).toEqual({ videos: [shown, renamed], names: [renamed] });
  });

  test('in another process are followed within two seconds', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const node = await openLibrary(3, { followEveryMs: 1_000 });
    const writer = startWriter(node.address, 5);
    await untilSaid(writer, 5);
    writer.kill('SIGSTOP');
    const truth = await readTruth(node.database);
    vi.advanceTimersByTime(2_000);
    await expect.poll(() => differences(node.sets, truth)).toEqual([]);
  });
});

function startWriter(address: DatabaseAddress, seed: number) {
  const file = fileURLToPath(new URL('id-sets-writer.ts', import.meta.url));
  const writer = spawn(process.execPath, [file, JSON.stringify(address), String(seed)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  onTestFinished(() => void writer.kill('SIGKILL'));
  return writer;
}

async function untilSaid(writer: ReturnType<typeof startWriter>, dots: number): Promise<void> {
  let said = 0;
  for await (const text of writer.stdout.iterator({ destroyOnReturn: false })) {
    said += String(text).length;
    if (said >= dots) return;
  }
  throw new Error('the writer ended');
}
