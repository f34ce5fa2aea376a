import { afterEach, describe, expect, test } from 'vitest';
import type { Rendition } from '#contract/rules/rendition.ts';
import { Budget } from '#server/features/encodings/budget.ts';
import { cleanUpJobs } from '#server/features/encodings/encoded-files.ts';
import { Room, Uses } from '#server/features/encodings/room.ts';
import { availabilityRepository } from '#server/features/library/availability-repository.ts';
import type { StoredJob } from '#server/jobs/job.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const hour = 3_600_000;
const server = await startServer({}, afterFile);
const { database, idSets } = server.services;
const ids = await idSets.write((transaction, changes) => storeVideos(transaction, changes, 8));
await idSets.write((transaction, changes) =>
  storeVideos(transaction, changes, 8, { reason: 'container_avi', available: 0 }),
);
const videos = await database.reader
  .selectFrom('videos')
  .select(['number', 'id', 'reason'])
  .orderBy('number')
  .execute();
const plain = videos.filter(({ id }) => ids.includes(id));
const odd = videos.filter(({ id }) => !ids.includes(id));

afterEach(() =>
  database.write(async (transaction) => {
    for (const table of ['encodings', 'storyboards', 'subtitles', 'media_findings'] as const)
      await transaction.deleteFrom(table).execute();
  }),
);

function openRoom(bytes: number) {
  const clock = settableClock();
  const uses = new Uses(database, clock);
  const diskSpace = { read: async () => ({ free: 1e12, total: 1e12 }) };
  const removed: string[] = [];
  const files = { remove: async (content: string) => void removed.push(content) };
  const budget = new Budget({ configuredBytes: bytes, diskSpace, folder: '/' });
  const room = new Room({
    database,
    idSets,
    clock,
    files,
    uses,
    budget,
    alignEncoded: availabilityRepository.alignEncoded,
  });
  return { room, uses, clock, removed };
}

const contentOf = (number: number, rendition: Rendition) => `${rendition}-${number}`;

async function putRow(
  number: number,
  rendition: Rendition,
  bytes: number,
  now: number,
  content = contentOf(number, rendition),
) {
  const facts = { size: 1, modified_us: 1, content, bytes, width: 1, height: 1, made_at: now, used_at: now };
  await idSets.write(async (transaction, changes) => {
    await transaction
      .insertInto('encodings')
      .values({ video_number: number, rendition, ...facts })
      .execute();
    await availabilityRepository.alignEncoded(transaction, changes, number);
  });
}

const contents = async () =>
  (await database.reader.selectFrom('encodings').select('content').execute()).map(({ content }) => content);

describe('the room of encodings', () => {
  test('is made by what was used least recently, and the video that lost its only encoding is not available', async () => {
    const { room, clock, removed } = openRoom(300);
    const [one, two, three] = [odd[0]?.number ?? 0, plain[0]?.number ?? 0, plain[1]?.number ?? 0];
    for (const number of [one, two, three]) {
      await putRow(number, 'grid', 100, clock.now());
      clock.pass(26 * hour);
    }
    const isAvailable = async () =>
      (await database.reader.selectFrom('videos').select('available').where('number', '=', one).executeTakeFirst())
        ?.available;
    expect([await room.make(150, 'waiting'), await contents(), await isAvailable()]).toEqual([
      true,
      [contentOf(one, 'grid')],
      1,
    ]);
    expect(await room.make(150, 'popular')).toBe(true);
    expect([await room.make(250, 'popular'), await room.make(400, 'waiting'), await contents()]).toEqual([
      false,
      false,
      [contentOf(one, 'grid')],
    ]);
    expect([await room.make(250, 'unplayable'), await contents(), await isAvailable()]).toEqual([true, [], 0]);
    expect(removed).toEqual([two, three, one].map((number) => contentOf(number, 'grid')));
  });

  test('counts equal content once, and removes it with the last video that has it', async () => {
    const { room, clock, removed } = openRoom(100);
    for (const { number } of plain.slice(0, 2)) await putRow(number, 'grid', 100, clock.now(), 'equal');
    expect(await room.usedBytes()).toBe(100);
    clock.pass(hour);
    expect([await room.make(50, 'waiting'), await contents(), removed]).toEqual([true, [], ['equal']]);
  });

  test('gets back within a budget that has become smaller, but for what plays', async () => {
    const { room, clock, uses } = openRoom(100);
    const [one, two] = [plain[0]?.number ?? 0, plain[1]?.number ?? 0];
    for (const number of [one, two]) await putRow(number, 'grid', 100, clock.now());
    clock.pass(hour);
    uses.note(contentOf(one, 'grid'));
    await room.trim();
    expect(await contents()).toEqual([contentOf(one, 'grid')]);
  });

  test('is all free after it was cleared, but for what plays, also on another node', async () => {
    const { room, clock, uses } = openRoom(1_000);
    const numbers = [plain[0], plain[1], odd[0]].map((video) => video?.number ?? 0);
    for (const number of numbers) await putRow(number, 'grid', 100, clock.now());
    clock.pass(hour);
    const [here = 0, there = 0] = numbers;
    uses.note(contentOf(here, 'grid'));
    const elsewhere = new Uses(database, clock);
    elsewhere.note(contentOf(there, 'grid'));
    await elsewhere.write();
    await room.clear();
    expect((await contents()).sort()).toEqual([here, there].map((number) => contentOf(number, 'grid')).sort());
    clock.pass(hour);
    await room.clear();
    expect(await contents()).toEqual([]);
  });
});

/** Park and Miller: each seed is another history. */
function randomFrom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (state * 48_271) % 2_147_483_647;
    return state % below;
  };
}

test('what was made of an older version of a file goes, wherever in a large library its video is', async () => {
  const more = { reason: 'container_avi' as const, available: 0 as const };
  await idSets.write(async (transaction, changes) => {
    for (let part = 0; part < 3; part += 1)
      for (const [index, path] of [`clip-${part}.avi`, ...Array.from({ length: 300 }, () => '')].entries())
        await storeVideos(transaction, changes, 1, {
          ...more,
          id: `${part}-${index}`,
          path: path || `${part}-${index}`,
        });
  });
  const clips = await database.reader.selectFrom('videos').select('number').where('path', 'like', 'clip-%').execute();
  const numbers = [...clips.map(({ number }) => number), odd[0]?.number ?? 0];
  for (const number of numbers) await putRow(number, 'grid', 100, 1);
  const [kept = 0, ...changed] = numbers.toSorted((a, b) => a - b).toReversed();
  await idSets.write((transaction) =>
    transaction.updateTable('videos').set({ size: 2 }).where('number', 'in', changed).execute(),
  );
  const swept: number[] = [];
  const files = { sweep: async (before: number) => void swept.push(before) };
  const { alignEncoded } = availabilityRepository;
  const { run } = cleanUpJobs({ database, idSets, files, alignEncoded, sweepTime: server.services.sweepTime });
  const ended = { job: {} as StoredJob, signal: AbortSignal.abort(), report: () => {} };
  await expect(run(ended)).rejects.toThrow('aborted');
  expect([(await contents()).length, swept.length]).toEqual([numbers.length, 0]);
  await run({ ...ended, signal: new AbortController().signal });
  expect([await contents(), swept.length]).toEqual([[contentOf(kept, 'grid')], 1]);
  const available = await database.reader.selectFrom('videos').select('number').where('number', 'in', numbers);
  expect(await available.where('available', '=', 1).execute()).toEqual([{ number: kept }]);
});

test.each([1, 2, 3])(
  'however videos are wanted and played, the budget holds and nothing that plays goes (history %i)',
  async (seed) => {
    const random = randomFrom(seed * 7_919);
    const { room, clock, uses } = openRoom(1_000);
    const usedAt = new Map<string, number>();
    const reasons = ['waiting', 'unplayable', 'popular'] as const;
    for (let step = 0; step < 60; step += 1) {
      clock.pass(random(6 * hour));
      const before = await contents();
      for (const content of before)
        if (random(4) === 0) {
          uses.note(content);
          usedAt.set(content, clock.now());
        }
      if (random(3) === 0) await uses.write();
      const video = videos[random(videos.length)];
      const rendition = (['grid', 'hd'] as const)[random(2)] ?? 'grid';
      const reason = reasons[random(3)] ?? 'popular';
      const content = contentOf(video?.number ?? 0, rendition);
      if (before.includes(content)) continue;
      const bytes = 50 + random(400);
      const isRoom = await room.make(bytes, reason);
      const after = new Set(await contents());
      const gone = before.filter((known) => !after.has(known));
      expect(gone.filter((known) => clock.now() - (usedAt.get(known) ?? 0) < 600_000)).toEqual([]);
      if (reason === 'popular' || !isRoom) expect(gone).toEqual([]);
      if (!isRoom) continue;
      await putRow(video?.number ?? 0, rendition, bytes, clock.now());
      usedAt.set(content, clock.now());
      expect(await room.usedBytes()).toBeLessThanOrEqual(1_000);
    }
  },
);
