import { once } from 'node:events';
import { renameSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { join } from 'node:path';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { sql } from 'kysely';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { VideoList } from '#contract/entities/tagging.ts';
import { videoListSchema } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import { inListLength } from '#server/database/dialect.ts';
import { FreshNames } from '#server/features/search/fresh-names.ts';
import { readWords } from '#server/features/search/name-grams.ts';
import { nameIndexRepository } from '#server/features/search/name-index-repository.ts';
import { Unavailable } from '#server/http/pipeline/errors.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const shared = await startServer({}, afterFile);

/** Stores videos by these file names, oldest first. @returns their ids by name */
async function storeNamed(server: ServerUnderTest, names: readonly string[]): Promise<Map<string, string>> {
  return server.services.idSets.write(async (transaction, changes) => {
    const ids = new Map<string, string>();
    for (const filename of names) {
      const facts = { id: `id-${filename}`, path: filename, filename };
      const [id = ''] = await storeVideos(transaction, changes, 1, facts);
      ids.set(filename, id);
    }
    return ids;
  });
}

/** Stores videos as far apart as those of a large library are. */
async function storeNumbered({ services }: ServerUnderTest, numbers: readonly number[]): Promise<void> {
  const { idSets, database, nameIndex } = services;
  await idSets.write(async (transaction, changes) => {
    for (const number of numbers)
      await sql`insert into videos (number, id, root_number, path, filename, size, modified_us, available, created_at)
        ${database.dialect.withRowNumbers}
        values (${number}, ${`id-${number}`}, 1, ${`${number}.mp4`}, ${`avocet ${number}.mp4`}, 1, 1, 1, 1)`.execute(
        transaction,
      );
    changes.put('available', numbers, true);
    await nameIndexRepository.recordNames(
      transaction,
      changes,
      numbers.map((number) => ({ number })),
    );
  });
  await nameIndex.fill();
}

const ids = await storeNamed(shared, [
  'Harbour at Dawn.mp4',
  'harbour_night-2019.mkv',
  'ÉCLAIRS – Café.mp4',
  '100% it\'s "fine".mp4',
  'back\\slash_a*b?.mp4',
  '東京の夜.mp4',
  'Straße 7.mp4',
  'abcxbcd.mp4',
]);
await shared.services.idSets.write(async (transaction, changes) => {
  await storeTag(transaction, changes, 'Night Walks', [ids.get('東京の夜.mp4') ?? '']);
  await storeTag(transaction, changes, 'red', [ids.get('Harbour at Dawn.mp4') ?? '', ids.get('Straße 7.mp4') ?? '']);
  await bumpRevision(transaction, 'tags');
});
await shared.services.nameIndex.fill();

async function list(query: Record<string, string>, server = shared): Promise<VideoList> {
  const reply = await server.get(`/api/videos/by-tags?${new URLSearchParams(query)}`);
  expect(reply.statusCode).toBe(200);
  return videoListSchema.parse(reply.json());
}

async function find(search: string, more: Record<string, string> = {}, server = shared): Promise<string[]> {
  return (await list({ search, ...more }, server)).videos.map(({ filename }) => filename);
}

/** The videos whose names the index lacks. */
const unindexed = ({ services }: ServerUnderTest) =>
  services.database.reader.selectFrom('unindexed_names').selectAll().execute();

describe('a search over names', () => {
  test.each([
    ['harbour', ['harbour_night-2019.mkv', 'Harbour at Dawn.mp4']],
    ['HARB', ['harbour_night-2019.mkv', 'Harbour at Dawn.mp4']],
    ['bour', ['harbour_night-2019.mkv', 'Harbour at Dawn.mp4']],
    ['harbour 2019', ['harbour_night-2019.mkv']],
    ['  dawn   HARBOUR ', ['Harbour at Dawn.mp4']],
    ['éclair', ['ÉCLAIRS – Café.mp4']],
    ['ｈａｒｂｏｕｒ dawn', ['Harbour at Dawn.mp4']],
    ['straße', ['Straße 7.mp4']],
    ['nothing of the kind', []],
    ['abcd', []],
  ])('for %j finds %j, newest first', async (search, expected) => {
    expect(await find(search)).toEqual(expected);
  });

  test.each([
    ['100%', ['100% it\'s "fine".mp4']],
    ["it's", ['100% it\'s "fine".mp4']],
    ['"fine"', ['100% it\'s "fine".mp4']],
    ['a*b', ['back\\slash_a*b?.mp4']],
    ['k\\s', ['back\\slash_a*b?.mp4']],
    ['%', []],
    ['_', []],
    ['***', []],
    ["'; drop table videos; --", []],
    ['NEAR(a b) OR c*', []],
  ])('takes %j for nothing but characters', async (search, expected) => {
    expect(await find(search)).toEqual(expected);
  });

  test.each([
    ['da', ['Harbour at Dawn.mp4']],
    ['bo', []],
    ['d', ['Harbour at Dawn.mp4']],
    ['7', ['Straße 7.mp4']],
    ['夜', ['東京の夜.mp4']],
    ['京の', ['東京の夜.mp4']],
    ['- night', ['harbour_night-2019.mkv', '東京の夜.mp4']],
  ])('of a short word, %j, finds where a word begins with it', async (search, expected) => {
    expect((await find(search)).sort()).toEqual([...expected].sort());
  });

  test('finds the videos of a channel by the name of the channel', async () => {
    expect(await find('walks')).toEqual(['東京の夜.mp4']);
    expect(await find('night')).toEqual(['東京の夜.mp4', 'harbour_night-2019.mkv']);
  });

  test('of nothing but blanks lists every video', async () => {
    expect((await list({ search: '  ' })).total).toBe(ids.size);
  });

  test('stays within the channels, and obeys the blocklist', async () => {
    expect(await find('harbour', { tag_ids: 'tag-red' })).toEqual(['Harbour at Dawn.mp4']);
    expect(await find('harbour', { blocked_tag_ids: 'tag-red' })).toEqual(['harbour_night-2019.mkv']);
    expect(await find('walks', { blocked_tag_ids: 'tag-Night Walks' })).toEqual([]);
  });

  test('comes in pages', async () => {
    expect(await list({ search: 'mp4', limit: '3', page: '2' })).toMatchObject({ total: 7, total_pages: 3, page: 2 });
  });

  test('goes through a library of many thousands from its newest video to its oldest', async () => {
    const server = await startServer();
    const numbers = [9, 70_000, 70_001, 200_000, 700_000];
    await storeNumbered(server, numbers);
    const found = numbers.toReversed().map((number) => `avocet ${number}.mp4`);
    expect(await find('avocet', {}, server)).toEqual(found);
    expect(await find('avocet 70', {}, server)).toEqual(found.filter((name) => name.includes('70')));
    expect(await find('avocet 9', {}, server)).toEqual(['avocet 9.mp4']);
  });

  test('that is too long is refused', async () => {
    const reply = await shared.get(`/api/videos/by-tags?search=${'a'.repeat(limits.searchCharacters + 1)}`);
    expect([reply.statusCode, reply.json().details]).toMatchObject([400, [{ field: 'search' }]]);
    expect((await shared.get(`/api/videos/by-tags?search=${'ab '.repeat(66)}`)).statusCode).toBe(200);
  });

  test('with a character that no database stores is refused', async () => {
    expect((await shared.get('/api/videos/by-tags?search=abc%00def')).statusCode).toBe(400);
  });
});

describe('searches that wait for others', () => {
  test('are answered in turn, those beyond are refused for a moment, and nothing else waits for them', async () => {
    const server = await startServer();
    await storeNamed(server, ['grebe.mp4']);
    await server.services.nameIndex.fill();
    const { promise, resolve } = Promise.withResolvers<void>();
    const longest = server.services.searches.run(() => promise);
    const refused: unknown[] = [];
    const totals = Array.from({ length: 70 }, async (_, index) => {
      const reply = await server.get(`/api/videos/by-tags?search=grebe${index % 2 === 0 ? '' : '&sort_by=name'}`);
      if (reply.statusCode === 503) refused.push(reply.headers['retry-after']);
      return reply.json().total;
    });
    await vi.waitFor(() => expect(refused).toEqual(Array(6).fill('5')), { interval: 5 });
    expect((await list({}, server)).total).toBe(1);
    expect((await list({ sort_by: 'name' }, server)).total).toBe(1);
    expect((await server.get('/api/video/top-left')).statusCode).toBe(200);
    resolve();
    await longest;
    expect((await Promise.all(totals)).filter((total) => total === 1)).toHaveLength(64);
  });
});

test('a search waits for names that are still being read when no others are left to be read', async () => {
  const server = await startServer();
  const names = Array.from({ length: inListLength + 1 }, (_, index) => `dunlin ${index}.mp4`);
  const pages: (() => void)[] = [];
  let isSlow = false;
  const reader = server.services.database.reader.withPlugin({
    transformQuery: ({ node }) => node,
    transformResult: async ({ result }) => {
      if (isSlow) await new Promise<void>((resolve) => pages.push(resolve));
      return result;
    },
  });
  let tell = (_numbers: readonly number[] | null) => {};
  const fresh = new FreshNames(reader, {
    onNames: (listener) => {
      tell = listener;
    },
  });
  await fresh.catchUp();
  await storeNamed(server, names);
  const rows = await reader.selectFrom('videos').select('number').execute();
  isSlow = true;
  tell(rows.map(({ number }) => number));
  const found = fresh.catchUp().then(() => fresh.find(readWords('dunlin')).length);
  for (const page of [0, 1]) {
    await vi.waitFor(() => expect(pages.length).toBe(page + 1), { interval: 1 });
    await letOthersRun();
    pages[page]?.();
  }
  expect(await found).toBe(names.length);
});

describe('searches of somebody who has gone', async () => {
  const { app, services } = shared;
  const address = await app.listen({ port: 0, host: '127.0.0.1' });

  /** Asks, and goes at once when told to. @returns resolves when the server knows that nobody waits any more */
  async function ask(path: string): Promise<() => Promise<unknown>> {
    const connected = once(app.server, 'connection');
    const asked = get(`${address}${path}`, { agent: false }).on('error', () => {});
    const [socket] = await connected;
    return async () => {
      const closed = once(socket, 'close');
      asked.destroy();
      await closed;
    };
  }

  test('are not begun when they still wait, and end between two queries when they are under way', async () => {
    const run = vi.spyOn(services.searches, 'run');
    const catchUp = vi.spyOn(services.freshNames, 'catchUp');
    onTestFinished(() => void vi.restoreAllMocks());
    const gate = Promise.withResolvers<void>();
    catchUp.mockImplementationOnce(() => gate.promise);
    const leaveFirst = await ask('/api/videos/by-tags?search=harbour');
    await vi.waitFor(() => expect(catchUp).toHaveBeenCalledOnce(), { interval: 5 });
    const leaveSecond = await ask('/api/videos/by-tags?search=harbour&sort_by=name');
    await vi.waitFor(() => expect(run).toHaveBeenCalledTimes(2), { interval: 5 });
    const [first, second] = run.mock.results.map(({ value }) => value);
    await leaveSecond();
    await expect(second).rejects.toThrow(Unavailable);
    await leaveFirst();
    gate.resolve();
    await expect(first).rejects.toThrow(Unavailable);
    expect(catchUp).toHaveBeenCalledOnce();
  });
});

describe('the order of a list', () => {
  test('is by name when asked for, with and without a search or a channel', async () => {
    expect(await find('harbour', { sort_by: 'name' })).toEqual(['Harbour at Dawn.mp4', 'harbour_night-2019.mkv']);
    const { videos, total } = await list({ sort_by: 'name' });
    expect([videos.map(({ filename }) => filename), total]).toEqual([[...ids.keys()].sort(byKey), ids.size]);
    expect((await list({ sort_by: 'name', tag_ids: 'tag-red' })).videos.map(({ filename }) => filename)).toEqual([
      'Harbour at Dawn.mp4',
      'Straße 7.mp4',
    ]);
  });

  test('that is unknown is refused', async () => {
    expect((await shared.get('/api/videos/by-tags?sort_by=size')).statusCode).toBe(400);
  });
});

describe('the index of names', () => {
  test('follows files that come, are renamed and go', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'pelican.mp4', 'shows/heron.mp4');
    const server = await startServer({ library: [folder] });
    const { nameIndex, scanner } = server.services;
    await nameIndex.fill();
    expect(await find('pelican', {}, server)).toEqual(['pelican.mp4']);
    renameSync(join(folder, 'pelican.mp4'), join(folder, 'shows', 'cormorant.mp4'));
    rmSync(join(folder, 'shows/heron.mp4'));
    await scanner.request();
    for (const fill of [async () => {}, () => nameIndex.fill()]) {
      await fill();
      expect(await find('pelican', {}, server)).toEqual([]);
      expect(await find('cormorant', {}, server)).toEqual(['cormorant.mp4']);
      expect(await find('heron', {}, server)).toEqual([]);
    }
  });

  test('has a new name within a minute of its scan, whenever that ended', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const server = await startServer();
    const { nameIndex } = server.services;
    await nameIndex.start();
    onTestFinished(() => nameIndex.stop());
    await storeNamed(server, ['dunlin.mp4']);
    vi.advanceTimersByTime(25_000);
    await storeNamed(server, ['knot.mp4']);
    vi.advanceTimersByTime(25_000);
    expect(await unindexed(server)).toHaveLength(2);
    // The last of its sixty seconds pass while it is looked for.
    let left = 35;
    await vi.waitFor(
      async () => {
        if (left > 0) vi.advanceTimersByTime(1_000);
        left -= 1;
        expect(await unindexed(server)).toEqual([]);
      },
      { interval: 50 },
    );
    expect([await find('dunlin', {}, server), await find('knot', {}, server)]).toEqual([['dunlin.mp4'], ['knot.mp4']]);
  });

  test('that was cut short is made whole by the next time', async () => {
    const server = await startServer();
    await storeNamed(server, ['first.mp4', 'second.mp4']);
    const { nameIndex, database } = server.services;
    const ending = new AbortController();
    const filling = nameIndex.fill(ending.signal);
    ending.abort(new Error('the server stops'));
    await expect(filling).rejects.toThrow('the server stops');
    await nameIndex.fill();
    expect(await find('second', {}, server)).toEqual(['second.mp4']);
    expect(await database.reader.selectFrom('unindexed_names').selectAll().execute()).toEqual([]);
  });

  test('that was lost with its marks, as by a backup without both, is made again', async () => {
    const server = await startServer();
    await storeNamed(server, ['redshank.mp4']);
    const { nameIndex, database } = server.services;
    await database.write((transaction) => transaction.deleteFrom('unindexed_names').execute());
    await nameIndex.start();
    onTestFinished(() => nameIndex.stop());
    await nameIndex.fill();
    expect(await nameIndexRepository.hasGrams(database.reader)).toBe(true);
    expect(await find('redshank', {}, server)).toEqual(['redshank.mp4']);
  });

  test('takes in more names beside those it has', async () => {
    const server = await startServer();
    for (const name of ['plover one.mp4', 'plover two.mp4', 'plover three.mp4']) {
      await storeNamed(server, [name]);
      await server.services.nameIndex.fill();
    }
    expect((await find('plover', {}, server)).length).toBe(3);
  });

  test('of two nodes that fill it at once has every name', async () => {
    const env = await migratedSite();
    const [server, other] = [await startServer({ env }), await startServer({ env })];
    await storeNamed(
      server,
      Array.from({ length: 300 }, (_, index) => `curlew ${index}.mp4`),
    );
    await Promise.all([server, other].map(({ services }) => services.nameIndex.fill()));
    expect(await unindexed(server)).toEqual([]);
    expect((await list({ search: 'curlew' }, server)).total).toBe(300);
  });
});

function byKey(a: string, b: string): number {
  const [first, second] = [a.toLowerCase(), b.toLowerCase()];
  return first < second ? -1 : Number(first > second);
}
