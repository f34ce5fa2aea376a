import { createHash } from 'node:crypto';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { PickedVideo } from '#contract/entities/feed.ts';
import { pickReplySchema } from '#contract/entities/feed.ts';
import { watchedListSchema } from '#contract/entities/video.ts';
import { limits } from '#contract/limits.ts';
import { videoRepository } from '#server/features/videos/video-repository.ts';
import { Rounds } from '#server/features/watched/rounds.ts';
import type { Owner } from '#server/features/watched/watched-owner.ts';
import { watchedRepository } from '#server/features/watched/watched-repository.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { SettableClock } from '#tests/support/settable-clock.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

type Headers = Record<string, string>;

const browser = (name: string, more: Headers = {}): Headers => ({ cookie: `viewer=${name.padEnd(16, 'x')}`, ...more });

async function startSite(
  videos: number,
  env: Record<string, string> = {},
): Promise<{ server: ServerUnderTest; ids: string[]; clock: SettableClock }> {
  const clock = settableClock();
  const server = await startServer({ env, overrides: { clock } });
  const ids = await server.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, videos));
  return { server, ids, clock };
}

async function pick(server: ServerUnderTest, headers: Headers, query = ''): Promise<PickedVideo> {
  const reply = pickReplySchema.parse((await server.get(`/api/video/top-left${query}`, headers)).json());
  if (!reply.available) throw new Error(reply.message);
  return reply;
}

const report = (server: ServerUnderTest, headers: Headers, ids: readonly string[]) =>
  server.call('POST', '/api/watched', { headers, payload: { ids } });

/** Each report begins with the eight videos before. */
const lastOf = (shown: readonly string[]) => shown.slice(-1 - limits.watchedReportedAgain);

/** Draws videos and shows each of them. */
async function watch(server: ServerUnderTest, headers: Headers, times: number, query = ''): Promise<string[]> {
  const shown: string[] = [];
  for (let time = 0; time < times; time += 1) {
    const { id } = await pick(server, headers, query);
    shown.push(id);
    expect((await report(server, headers, lastOf(shown))).statusCode).toBe(204);
  }
  return shown;
}

async function listWatched(server: ServerUnderTest, headers: Headers, query = '') {
  return watchedListSchema.parse((await server.get(`/api/watched${query}`, headers)).json());
}

describe('a round', () => {
  test('shows each video once before any comes again, and tells how many are left', async () => {
    const { server, ids } = await startSite(20);
    const viewer = browser('ann');
    const shown: string[] = [];
    const counts: (number | undefined)[] = [];
    for (let time = 0; time < 60; time += 1) {
      const { id, matching, unseen } = await pick(server, viewer);
      expect(matching).toBe(20);
      counts.push(unseen);
      shown.push(id);
      await report(server, viewer, lastOf(shown));
    }
    for (const round of [0, 20, 40]) expect(shown.slice(round, round + 20).toSorted()).toEqual(ids.toSorted());
    expect(counts).toEqual([0, 1, 2].flatMap(() => Array.from({ length: 20 }, (_, at) => 20 - at)));
  });

  test('is shared by all filters, and one of a filter begins again by itself', async () => {
    const { server, ids } = await startSite(12);
    await server.services.idSets.write((transaction, changes) =>
      storeTag(transaction, changes, 'cats', ids.slice(0, 4)),
    );
    const viewer = browser('bea');
    const cats = await watch(server, viewer, 4, '?tag_ids=tag-cats');
    expect(cats.toSorted()).toEqual(ids.slice(0, 4).toSorted());
    expect((await pick(server, viewer)).unseen).toBe(8);
    expect((await pick(server, viewer, '?tag_ids=tag-cats')).unseen).toBe(4);
    expect((await watch(server, viewer, 8)).toSorted()).toEqual(ids.slice(4).toSorted());
  });

  test('of a filter that is new begins where that of all videos began', async () => {
    const { server, ids } = await startSite(10);
    const tag = (transaction: Parameters<typeof storeTag>[0], changes: Parameters<typeof storeTag>[1]) =>
      storeTag(transaction, changes, 'cats', ids.slice(0, 5));
    await server.services.idSets.write(tag);
    const viewer = browser('cat');
    const before = new Set(await watch(server, viewer, 13));
    expect(before.size).toBe(10);
    const now = (await listWatched(server, viewer, '?limit=3')).watched.map(({ video }) => video.id);
    const left = ids.slice(0, 5).filter((id) => !now.includes(id));
    const { id, unseen } = await pick(server, viewer, '?tag_ids=tag-cats');
    expect(unseen).toBe(left.length);
    expect(left).toContain(id);
  });

  test('leaves no quadrant without a video when the others hold all that are left', async () => {
    const { server, ids } = await startSite(4);
    const viewer = browser('dan');
    await report(server, viewer, ids.slice(0, 3));
    expect((await pick(server, viewer, `?exclude=${ids.slice(0, 3).join()}`)).id).toBe(ids[3]);
    expect((await pick(server, viewer, `?exclude=${ids.slice(1).join()}`)).id).toBe(ids[0]);
    expect(ids).toContain((await pick(server, viewer, `?exclude=${ids.join()}`)).id);
  });

  test('of a video that joins gives it its chance, and one that goes takes nothing with it', async () => {
    const { server, ids } = await startSite(6);
    const viewer = browser('eva');
    await watch(server, viewer, 4);
    const joined = await server.services.idSets.write(async (transaction, changes) => [
      ...(await storeVideos(transaction, changes, 1, { id: 'new', path: 'new.mp4', filename: 'new.mp4' })),
      ...(await storeVideos(transaction, changes, 1, { id: 'newer', path: 'newer.mp4', filename: 'newer.mp4' })),
    ]);
    expect((await pick(server, viewer)).unseen).toBe(4);
    const rest = await watch(server, viewer, 4);
    expect(new Set(rest).size).toBe(4);
    expect(rest).toEqual(expect.arrayContaining(joined));
    expect(rest.filter((id) => ids.includes(id))).toHaveLength(2);
  });

  test('belongs to a person on all devices, and to a browser without an account alone', async () => {
    const { server } = await startSite(40);
    const person = await putPerson(server, 'ada');
    const [phone, desk] = [browser('phone', person.headers), browser('desk', person.headers)];
    const shown = [...(await watch(server, phone, 20)), ...(await watch(server, desk, 20))];
    expect(new Set(shown).size).toBe(40);
    expect((await pick(server, browser('phone'))).unseen).toBe(40);
  });

  test('is nobody’s without a cookie, when draws are purely random, and on a site that does not remember', async () => {
    const { server } = await startSite(5);
    const person = await putPerson(server, 'ada');
    expect((await pick(server, {})).unseen).toBeUndefined();
    const settings = { shuffle: 'random' };
    await server.call('PUT', '/users/profile', { headers: person.headers, payload: { settings } });
    expect((await pick(server, browser('fay', person.headers))).unseen).toBeUndefined();
    expect((await pick(server, browser('fay', { cookie: `viewer=${'f'.repeat(16)}; shuffle=random` }))).unseen).toBe(
      undefined,
    );
    expect((await pick(server, browser('fay'))).unseen).toBe(5);
    const { server: forgetful } = await startSite(5, { WATCHED: 'off' });
    const viewer = browser('gus');
    const { id, unseen } = await pick(forgetful, viewer);
    expect(unseen).toBeUndefined();
    await report(forgetful, viewer, [id]);
    expect((await listWatched(forgetful, viewer)).total).toBe(0);
    expect((await forgetful.get('/api/config')).json().features.watched).toBe(false);
  });
});

/** Starts one node after another of one installation. */
async function startNodes(clock?: SettableClock): Promise<() => Promise<ServerUnderTest>> {
  const env = { ...(await migratedSite()), LIBRARY_DIRS: temporaryFolder() };
  return () => startServer({ env, overrides: clock === undefined ? {} : { clock } });
}

describe('a round goes on', () => {
  test('on another device after the server was killed, when what it had not written is reported again', async () => {
    const start = await startNodes();
    let server = await start();
    await server.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, 500));
    const { headers } = await putPerson(server, 'ada');
    const shown: string[] = [];
    for (let time = 1; time <= 500; time += 1) {
      const device = browser(time <= 250 ? 'phone' : 'desk', headers);
      const { id } = await pick(server, device);
      shown.push(id);
      await report(server, device, lastOf(shown));
      if (time % 100 === 97) await server.services.rounds.write();
      // The server that was killed has never written its last three.
      if (time % 100 === 0) server = await start();
      if (time % 100 === 0) await report(server, headers, lastOf(shown));
    }
    expect(new Set(shown).size).toBe(500);
    const listed = await listWatched(server, headers, '?limit=100');
    expect(listed.total).toBe(500);
    expect(listed.watched.map(({ video }) => video.id)).toEqual(shown.slice(-100).reverse());
  });

  test('on another server of the site, and begins again on both', async () => {
    const clock = settableClock();
    const start = await startNodes(clock);
    const [one, other] = [await start(), await start()];
    const ids = await one.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, 40));
    await other.services.idSets.catchUp();
    const { headers } = await putPerson(one, 'ada');
    const shown = await watch(one, headers, 10);
    await one.services.rounds.write();
    shown.push(...(await watch(other, headers, 20)));
    await other.services.rounds.write();
    clock.pass(limits.watchedReadSeconds * 1_000);
    shown.push(...(await watch(one, headers, 10)));
    expect(shown.toSorted()).toEqual(ids.toSorted());
    expect((await pick(one, headers)).unseen).toBe(40);
    clock.pass(limits.watchedReadSeconds * 1_000);
    expect((await pick(other, headers)).unseen).toBe(40);
    expect((await listWatched(other, headers)).total).toBe(40);
    await one.call('DELETE', '/api/watched', { headers });
    await report(one, headers, ids.slice(0, 1));
    await one.services.rounds.write();
    clock.pass(limits.watchedReadSeconds * 1_000);
    expect((await pick(other, headers)).unseen).toBe(39);
    expect((await listWatched(other, headers)).total).toBe(1);
  });

  test('when the database answers again: until then draws go on without it, and reports are refused', async () => {
    const { server, ids, clock } = await startSite(12);
    const { headers } = await putPerson(server, 'ada');
    // Meanwhile videos are drawn whose rows are known.
    const known = new Set<string>();
    while (known.size < ids.length) known.add((await pick(server, {})).id);
    const shown = await watch(server, headers, 4);
    const stop = watchStatements(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    onTestFinished(stop);
    for (let time = 0; time < 40; time += 1) expect(await pick(server, headers)).not.toHaveProperty('unseen');
    const drawn = await pick(server, headers, `?exclude=${ids.slice(1).join()}`);
    expect(drawn.id).toBe(ids[0]);
    expect((await report(server, headers, [drawn.id])).statusCode).toBe(503);
    stop();
    clock.pass(60_000);
    expect((await pick(server, headers)).unseen).toBe(8);
    shown.push(...(await watch(server, headers, 8)));
    expect(shown.toSorted()).toEqual(ids.toSorted());
  });

  test('when it could not begin again, because the database did not answer', async () => {
    const { server, ids } = await startSite(4);
    const { headers } = await putPerson(server, 'ada');
    const shown = await watch(server, headers, 4);
    const away = Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    const writing = vi.spyOn(server.services.database, 'write').mockRejectedValue(away);
    for (let time = 0; time < 8; time += 1) expect(ids).toContain((await pick(server, headers)).id);
    expect(writing).toHaveBeenCalled();
    writing.mockRestore();
    expect((await pick(server, headers)).unseen).toBe(4);
    for (let time = 0; time < 4; time += 1) {
      shown.push((await pick(server, headers)).id);
      await report(server, headers, lastOf(shown));
    }
    for (const round of [0, 4]) expect(new Set(shown.slice(round, round + 4)).size).toBe(4);
  });

  test('with more of the log than is read at once, which is read while draws go on', async () => {
    const start = await startNodes();
    const before = await start();
    const { headers } = await putPerson(before, 'ada');
    const { database, idSets, rounds } = before.services;
    const ids = await idSets.write((transaction, changes) => storeVideos(transaction, changes, 300));
    await report(before, headers, ids.slice(0, 1));
    await rounds.write();
    const { owner } = await database.reader.selectFrom('watched_owners').select('owner').executeTakeFirstOrThrow();
    const states = await videoRepository.findStates(database.reader, ids.slice(1, 290));
    const shown = [...states.values()].map(({ number }) => number);
    const numbers = Uint32Array.from({ length: 20_000 }, (_, at) => shown[at % shown.length]!);
    await database.write((transaction) =>
      watchedRepository.append(transaction, owner, 1, { numbers, minutes: numbers }, { now: 1, most: 200_000 }),
    );
    const after = await start();
    expect((await pick(after, headers)).unseen).toBeUndefined();
    await expect.poll(() => pick(after, headers)).toMatchObject({ unseen: 10, matching: 300 });
  });

  test('after it has left memory, with what it had seen, however long the log is', async () => {
    const { server, ids } = await startSite(100);
    const { id: userId } = await putPerson(server, 'ada');
    const { database } = server.services;
    const states = await videoRepository.findStates(database.reader, ids.slice(0, 90));
    const shown = [...states.values()].map(({ number }) => number);
    const numbers = Uint32Array.from({ length: 9_000 }, (_, at) => shown[at % shown.length]!);
    const held = { key: userId, userId };
    await database.write(async (transaction) => {
      await watchedRepository.hold(transaction, held, 'log', 1);
      await watchedRepository.append(transaction, userId, 0, { numbers, minutes: numbers }, { now: 1, most: 200_000 });
    });
    const deps = { ...server.services, rateLimits: server.services.accounts.rateLimits };
    const rounds = new Rounds(deps, { rounds: 2, bytes: 1_000_000 });
    const draw = (owner: Owner) => rounds.pick(owner, { tags: [], mode: 'OR', blocked: [] }, []);
    await expect.poll(() => draw(held)).toMatchObject({ unseen: 10 });
    await rounds.write();
    for (const key of ['one', 'two', 'three']) await draw({ key, userId: null });
    expect(rounds.facts()).toMatchObject({ rounds: 2 });
    expect(rounds.facts().bytes).toBeLessThan(1_000);
    const isStored = () => database.reader.selectFrom('watched_rounds').select('seen').executeTakeFirst();
    await expect.poll(async () => (await isStored())?.seen ?? null).not.toBeNull();
    await database.write((transaction) => transaction.deleteFrom('watched_chunks').execute());
    await draw(held);
    await expect.poll(() => draw(held)).toMatchObject({ unseen: 10 });
  });
});

describe('the log of what was watched', () => {
  test('lists videos newest first, and none that is hidden, blocked or unknown', async () => {
    const { server, ids, clock } = await startSite(5);
    const admin = await putPerson(server, 'root', 'admin');
    const viewer = browser('hal');
    expect((await listWatched(server, viewer)).watched).toEqual([]);
    await report(server, viewer, [ids[0]!, 'unheard-of', ids[1]!]);
    clock.pass(120_000);
    await report(server, viewer, [ids[2]!]);
    const { watched, total } = await listWatched(server, viewer);
    expect(watched.map(({ video }) => video.id)).toEqual([ids[2], ids[1], ids[0]]);
    expect(total).toBe(3);
    const [last, first] = [watched[0]!, watched[2]!].map(({ watched_at: at }) => Date.parse(at));
    expect(last! - first!).toBe(120_000);
    await server.call('PUT', `/api/admin/videos/${ids[1]}/hidden`, { headers: admin.headers });
    await server.services.idSets.write((transaction, changes) => storeTag(transaction, changes, 'red', [ids[0]!]));
    expect((await listWatched(server, viewer)).total).toBe(2);
    await report(server, viewer, [ids[1]!]);
    expect((await listWatched(server, viewer, '?blocked_tag_ids=tag-red')).watched).toHaveLength(1);
    expect((await listWatched(server, viewer, '?page=2&limit=1')).watched[0]?.video.id).toBe(ids[0]);
    await server.call('DELETE', `/api/admin/videos/${ids[1]}/hidden`, { headers: admin.headers });
    expect((await listWatched(server, viewer)).total).toBe(3);
  });

  test('holds what is reported twice once, on each of two devices at a time', async () => {
    const { server, ids } = await startSite(8);
    const { headers } = await putPerson(server, 'ada');
    const [phone, desk] = [browser('phone', headers), browser('desk', headers)];
    const list = async () =>
      (await listWatched(server, headers)).watched.map(({ video }) => ids.indexOf(video.id)).reverse();
    const send = (device: Headers, ...numbers: number[]) =>
      report(
        server,
        device,
        numbers.map((number) => ids[number]!),
      );
    await send(phone, 0, 1);
    await send(phone, 0, 1);
    await send(desk, 2);
    await send(phone, 0, 1, 3);
    await send(desk, 2, 4);
    await send(desk, 2, 4);
    expect(await list()).toEqual([0, 1, 2, 3, 4]);
    // The same videos come again soon in a small library.
    await send(phone, 1, 3, 0);
    expect(await list()).toEqual([0, 1, 2, 3, 4, 0]);
  });

  test('is forgotten, and all videos count as new', async () => {
    const { server } = await startSite(6);
    const { headers } = await putPerson(server, 'ada');
    await watch(server, headers, 4);
    await server.services.rounds.write();
    await watch(server, headers, 1);
    expect((await server.call('DELETE', '/api/watched', { headers })).statusCode).toBe(204);
    expect((await pick(server, headers)).unseen).toBe(6);
    expect((await listWatched(server, headers)).total).toBe(0);
    expect(await countRows(server)).toEqual({ owners: 0, chunks: 0, rounds: 0 });
  });

  test('goes with its account, and is nobody else’s', async () => {
    const { server } = await startSite(6);
    const [ada, bob] = [await putPerson(server, 'ada'), await putPerson(server, 'bob')];
    const admin = await putPerson(server, 'root', 'admin');
    await watch(server, ada.headers, 3);
    await server.services.rounds.write();
    expect((await countRows(server)).owners).toBe(1);
    expect((await listWatched(server, bob.headers)).total).toBe(0);
    await server.call('DELETE', `/users/admin/${ada.id}`, { headers: admin.headers });
    expect(await countRows(server)).toEqual({ owners: 0, chunks: 0, rounds: 0 });
    await server.services.rounds.write();
    expect((await countRows(server)).owners).toBe(0);
  });

  test('of a browser is kept from its second report on, of few new ones from one address', async () => {
    const { server, ids, clock } = await startSite(5);
    await report(server, browser('one'), [ids[0]!]);
    await server.services.rounds.write();
    expect((await countRows(server)).owners).toBe(0);
    for (let index = 0; index < limits.watchedNewBrowsers + 5; index += 1)
      for (const id of ids.slice(0, 2)) expect((await report(server, browser(`${index}-`), [id])).statusCode).toBe(204);
    await server.services.rounds.write();
    expect(await countRows(server)).toMatchObject({ owners: limits.watchedNewBrowsers });
    clock.pass(3_600_001);
    await report(server, browser('one'), [ids[1]!]);
    await server.services.rounds.write();
    expect(await countRows(server)).toMatchObject({ owners: limits.watchedNewBrowsers + 1 });
  });

  test('is not kept of a browser too many, whose rounds go on all the same, and are kept once it may be', async () => {
    const { server, ids, clock } = await startSite(40);
    const store = (name: string, videoIds: readonly string[]) =>
      server.services.idSets.write((transaction, changes) => storeTag(transaction, changes, name, videoIds));
    await store('cats', ids.slice(0, 10));
    await store('dogs', ids.slice(5, 40));
    for (let index = 0; index < limits.watchedNewBrowsers; index += 1)
      for (const id of ids.slice(0, 2)) await report(server, browser(`${index}-`), [id]);
    const viewer = browser('late');
    const all: string[] = [];
    const show = async (times: number, query?: string) => {
      for (let time = 0; time < times; time += 1) {
        all.push((await pick(server, viewer, query)).id);
        await report(server, viewer, lastOf(all));
      }
    };
    // Both rounds begin again beyond what is remembered of a log that is not kept, at different times.
    await show(5, '?tag_ids=tag-cats');
    await show(35 + 40);
    const begun = all.length;
    await show(20);
    await show(12, '?tag_ids=tag-cats');
    const shown = all.slice(begun);
    const leftOf = (some: readonly string[]) => some.filter((id) => !shown.includes(id)).length;
    expect((await pick(server, viewer)).unseen).toBe(leftOf(ids));
    expect((await pick(server, viewer, '?tag_ids=tag-dogs')).unseen).toBe(leftOf(ids.slice(5)));
    clock.pass(3_600_001);
    await report(server, viewer, lastOf(all));
    await server.services.rounds.write();
    expect((await countRows(server)).owners).toBe(limits.watchedNewBrowsers + 1);
    const other = new Rounds({ ...server.services, rateLimits: server.services.accounts.rateLimits });
    const key = createHash('sha256').update('late'.padEnd(16, 'x')).digest('base64url');
    const again = await other.pick({ key, userId: null }, { tags: [], mode: 'OR', blocked: [] }, []);
    expect(again?.unseen).toBe(leftOf(ids));
  });

  test('holds its most entries, and the oldest chunk goes first', async () => {
    const { server, ids } = await startSite(3);
    const { headers } = await putPerson(server, 'ada');
    await report(server, headers, ids);
    await server.services.rounds.write();
    const { database } = server.services;
    const { owner } = await database.reader.selectFrom('watched_owners').select('owner').executeTakeFirstOrThrow();
    const many = new Uint32Array(5_000).fill(1);
    await database.write((transaction) =>
      watchedRepository.append(transaction, owner, 3, { numbers: many, minutes: many }, { now: 1, most: 2_000 }),
    );
    const [first] = await watchedRepository.readFrom(database.reader, owner, 0, 10);
    expect(first?.from).toBe(2_048);
    expect((await countRows(server)).chunks).toBe(3);
  });

  test('goes when nobody has used it for long, that of a browser sooner, and old chunks of an account before', async () => {
    const { server } = await startSite(1);
    const { id: userId } = await putPerson(server, 'ada');
    const { database } = server.services;
    const one = Uint32Array.from({ length: 1_025 }, () => 1);
    await database.write(async (transaction) => {
      for (const [key, now] of [
        ['old browser', 50],
        ['browser', 100],
      ] as const) {
        await watchedRepository.hold(transaction, { key, userId: null }, 'log', now);
        await watchedRepository.append(transaction, key, 0, { numbers: one, minutes: one }, { now, most: 9_000 });
      }
      await watchedRepository.hold(transaction, { key: userId, userId }, 'log', 40);
      for (const [end, now] of [
        [0, 20],
        [1_025, 40],
      ] as const)
        await watchedRepository.append(transaction, userId, end, { numbers: one, minutes: one }, { now, most: 9_000 });
    });
    const unused = { browser: 60, account: 30 };
    expect(await database.write((transaction) => watchedRepository.deleteUnusedSince(transaction, unused, 9))).toBe(1);
    expect(await database.write((transaction) => watchedRepository.deleteChunksBefore(transaction, 30, 9))).toBe(1);
    expect(await countRows(server)).toEqual({ owners: 2, chunks: 4, rounds: 0 });
    const later = { browser: 60, account: 50 };
    expect(await database.write((transaction) => watchedRepository.deleteUnusedSince(transaction, later, 9))).toBe(1);
    await database.write(async (transaction) => {
      await watchedRepository.hold(transaction, { key: 'newer', userId: null }, 'log', 200);
      await watchedRepository.keepBrowsers(transaction, 1);
    });
    const owners = await database.reader.selectFrom('watched_owners').select('owner').execute();
    expect(owners).toEqual([{ owner: 'newer' }]);
  });

  test('takes no report of nothing, of too much, or of something else', async () => {
    const { server } = await startSite(1);
    const tooMany = Array.from({ length: limits.watchedPerCall + 1 }, (_, index) => `id-${index}`);
    for (const ids of [[], tooMany, ['x'.repeat(65)], 'id', undefined]) {
      const reply = await server.call('POST', '/api/watched', { headers: browser('ida'), payload: { ids } });
      expect(reply.statusCode).toBe(400);
    }
  });
});

async function countRows({ services: { database } }: ServerUnderTest) {
  const count = async (table: 'watched_owners' | 'watched_chunks' | 'watched_rounds') =>
    (await database.reader.selectFrom(table).select('owner').execute()).length;
  return {
    owners: await count('watched_owners'),
    chunks: await count('watched_chunks'),
    rounds: await count('watched_rounds'),
  };
}
