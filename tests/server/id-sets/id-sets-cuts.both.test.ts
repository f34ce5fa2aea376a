import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, existsSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { DatabaseAddress } from '#server/database/connection.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { freshDatabase } from '#tests/support/database/test-database.ts';
import { soakCases, tryFaultPoints } from '#tests/support/soak.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import type { Node } from './id-sets-library.ts';
import {
  addRoot,
  addTag,
  addVideos,
  differences,
  readTruth,
  setAvailable,
  startNode,
  switchTag,
  tagVideos,
  untagVideos,
} from './id-sets-library.ts';

interface Library {
  address: DatabaseAddress;
  tags: [number, number];
  numbers: number[];
}

/** Videos with two tags, some in snapshots and some in the log alone. */
async function makeLibrary(): Promise<Library> {
  const address = await freshDatabase();
  const first = await startNode(address);
  const made = await first.sets.write(async (transaction, changes) => {
    await addRoot(transaction);
    const tags: Library['tags'] = [await addTag(transaction), await addTag(transaction)];
    const numbers = await addVideos(transaction, changes, 24);
    await tagVideos(transaction, changes, first.sets, tags[0], numbers.slice(0, 12));
    return { tags, numbers };
  });
  await first.close();
  const second = await startNode(address);
  await second.sets.write((transaction, changes) =>
    tagVideos(transaction, changes, second.sets, made.tags[1], made.numbers.slice(6, 18)),
  );
  await second.database.close();
  return { address, ...made };
}

type Change = (node: Node, library: Library) => Promise<unknown>;

/** One transaction each. */
const single: Record<string, Change> = {
  'adds videos, makes others unavailable, takes a tag off some and puts one on others': ({ sets }, { tags, numbers }) =>
    sets.write(async (transaction, changes) => {
      const isAvailable = sets.count({ tags: [], mode: 'OR', blocked: [] }) >= 24;
      await addVideos(transaction, changes, 3);
      await setAvailable(transaction, changes, numbers.slice(3, 9), isAvailable ? 0 : 1);
      await untagVideos(transaction, changes, sets, tags[0], numbers.slice(0, 8));
      await tagVideos(transaction, changes, sets, tags[1], numbers.slice(14, 20));
    }),
  'stores the sets and trims the log': async ({ sets }, { numbers }) => {
    await sets.write((transaction, changes) => setAvailable(transaction, changes, numbers.slice(0, 2), 0));
    await sets.stop();
  },
};

interface Work {
  change: Change;
  /** What whoever comes next does about it. */
  takeOver?: Change;
  /** So that there is something to do the next time. */
  prepareNext?: Change;
}

/** These are several transactions. */
const several: Record<string, Work> = {
  'switches a tag on or off': {
    async change(node, { tags }) {
      const { active } = await node.database.reader
        .selectFrom('tags')
        .select('active')
        .where('number', '=', tags[0])
        .executeTakeFirstOrThrow();
      await switchTag(node, tags[0], active === 1 ? 0 : 1);
    },
    takeOver: ({ sets }, { tags }) => sets.alignUntagged(tags[0]),
  },
  'takes all links of a tag out': {
    change: ({ sets }, { tags }) => sets.removeTagLinks(tags[1]),
    takeOver: ({ sets }, { tags }) => sets.removeTagLinks(tags[1]),
    prepareNext: ({ sets }, { tags, numbers }) =>
      sets.write((transaction, changes) => tagVideos(transaction, changes, sets, tags[1], numbers.slice(6, 18))),
  },
};

/**
 * Makes a change until just before one of its statements, where everything ends as by SIGKILL. @returns what is left;
 * null when there is no such statement
 */
async function cutAt(library: Library, change: Change, statement: number): Promise<Library | null> {
  let left: Library | null = null;
  const node = await startNode(library.address);
  const stopCounting = watchStatements((sent, client) => {
    if (sent < statement) return;
    left ??= { ...library, address: client === null ? copyOf(library.address) : library.address };
    (client as { connection?: { stream: { destroy(): void } } } | null)?.connection?.stream.destroy();
    throw new Error('killed');
  });
  await change(node, library).catch(() => {});
  stopCounting();
  await node.database.close().catch(() => {});
  return left;
}

/** What stands in the files at this moment is what a killed process leaves. */
function copyOf(address: DatabaseAddress): DatabaseAddress {
  if (address.kind !== 'sqlite') return address;
  const file = join(temporaryFolder(), 'left.sqlite');
  for (const end of ['', '-wal', '-begun'])
    if (existsSync(`${address.file}${end}`)) copyFileSync(`${address.file}${end}`, `${file}${end}`);
  return { kind: 'sqlite', file };
}

/** What a new process finds wrong. */
async function wrongAfter(library: Library, { takeOver, prepareNext }: Partial<Work> = {}): Promise<string[]> {
  const node = await startNode(library.address);
  await takeOver?.(node, library);
  const wrong = differences(node.sets, await readTruth(node.database));
  await prepareNext?.(node, library);
  await node.database.close();
  return wrong;
}

/**
 * Each cut goes on from what the one before has left, until there is no statement to cut. @returns how many there were
 */
async function cutEverywhere(work: Work): Promise<number> {
  let library = await makeLibrary();
  return tryFaultPoints(8, async (statement) => {
    const left = await cutAt(library, work.change, statement);
    if (left === null) return false;
    library = left;
    expect(await wrongAfter(library, work)).toEqual([]);
    return true;
  });
}

describe('the sets agree with the tables in the next process, before whichever statement a change is cut off that', () => {
  test.each(Object.entries(single))('%s', async (_, change) => {
    expect(await cutEverywhere({ change })).toBeGreaterThan(5);
  });

  test.each(Object.entries(several))('%s, once somebody has taken over', async (_, work) => {
    expect(await cutEverywhere(work)).toBeGreaterThan(9);
  });
});

test.each(soakCases([9, 31], 2))(
  'a process that is killed before statement %i of what it does leaves sets that agree with the tables',
  async (statement) => {
    const library = await makeLibrary();
    const file = fileURLToPath(new URL('id-sets-writer.ts', import.meta.url));
    const writer = spawn(process.execPath, [file, JSON.stringify(library.address), '7', String(statement)], {
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    expect(await once(writer, 'exit')).toEqual([null, 'SIGKILL']);
    expect(await wrongAfter(library)).toEqual([]);
  },
);
