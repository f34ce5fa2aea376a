import { copyFileSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { sql } from 'kysely';
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { hiddenIdsSchema } from '#contract/entities/feed.ts';
import { hiddenListSchema } from '#contract/entities/library.ts';
import { quadrants } from '#contract/quadrants.ts';
import { withheldVideos } from '#server/features/library/withheld-videos.ts';
import type { IdSets } from '#server/id-sets/id-sets.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import { putFile, putVideos, smallVideo } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson, signIn } from '#tests/support/people.ts';
import type { ServerOptions, ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { differences, readTruth } from '../id-sets/id-sets-library.ts';

interface Scene {
  folder: string;
  server: ServerUnderTest;
  ada: Person;
  ids: Record<string, string>;
}

const everything = { tags: [], mode: 'OR', blocked: [] } as const;

async function startWith(names: string[], options: ServerOptions = {}, atEnd?: AtEnd): Promise<Scene> {
  const folder = temporaryFolder(atEnd);
  putVideos(folder, ...names);
  const server = await startServer({ library: [folder], ...options }, atEnd);
  const ada = await putPerson(server, 'ada', 'admin');
  return { folder, server, ada, ids: await idsByPath(server) };
}

async function videosOf({ services }: ServerUnderTest) {
  return services.database.reader.selectFrom('videos').selectAll().orderBy('number').execute();
}

async function idsByPath(server: ServerUnderTest): Promise<Record<string, string>> {
  return Object.fromEntries((await videosOf(server)).map(({ path, id }) => [path, id]));
}

async function shown(server: ServerUnderTest): Promise<string[]> {
  const available = (await videosOf(server)).filter((video) => video.available === 1);
  return available.map(({ path }) => path).sort();
}

const address = (id: string | undefined) => `/api/admin/videos/${id}/hidden`;
const hide = ({ server, ada }: Pick<Scene, 'server' | 'ada'>, id: string | undefined) =>
  server.call('PUT', address(id), { headers: ada.headers });
const bringBack = ({ server, ada }: Pick<Scene, 'server' | 'ada'>, id: string | undefined) =>
  server.call('DELETE', address(id), { headers: ada.headers });
const scan = ({ services }: ServerUnderTest) => services.scanner.request();

async function listHidden({ server, ada }: Scene, query = '') {
  return hiddenListSchema.parse((await server.get(`/api/admin/videos/hidden${query}`, { ...ada.headers })).json());
}

/** What thirty picks give. */
async function picked(server: ServerUnderTest, query = ''): Promise<Set<string>> {
  const given = new Set<string>();
  for (let time = 0; time < 30; time += 1)
    given.add((await server.get(`/api/video/top-left${query}`)).json().path ?? 'none');
  return given;
}

async function expectSetsAgree({ services }: ServerUnderTest): Promise<void> {
  expect(differences(services.idSets, await readTruth(services.database))).toEqual([]);
}

/** Resolves when a write waits for another one's lock. */
async function someoneWaits({ reader, load, dialect }: ServerUnderTest['services']['database']): Promise<void> {
  const isWaiting = async () => {
    if (dialect.kind === 'sqlite') return load().waiting > 0;
    const { rows } = await sql`
      select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`.execute(reader);
    return rows.length > 0;
  };
  while (!(await isWaiting())) await nextTurn();
}

describe('a video that an administrator hides', async () => {
  const scene = await startWith(['a.mp4', 'b.mp4', 'c.mp4'], {}, afterFile);
  const { server, ada, ids } = scene;
  afterEach(async () => {
    for (const id of Object.values(ids)) await bringBack(scene, id);
  });

  test('is drawn, counted and listed for nobody from then on, until it is brought back', async () => {
    const { idSets } = server.services;
    await idSets.write((transaction, changes) =>
      storeTag(transaction, changes, 'sea', [ids['a.mp4'] ?? '', ids['b.mp4'] ?? '']),
    );
    const [{ number = 0 } = {}] = await server.services.database.reader.selectFrom('tags').select('number').execute();
    await picked(server);
    expect((await hide(scene, ids['a.mp4'])).statusCode).toBe(204);
    expect(await picked(server)).toEqual(new Set(['b.mp4', 'c.mp4']));
    expect(await picked(server, '?tag_ids=tag-sea')).toEqual(new Set(['b.mp4']));
    expect([idSets.count({ ...everything, tags: [number] }), idSets.page(everything, 0, 9).total]).toEqual([1, 2]);
    for (let time = 0; time < 10; time += 1) {
      const picks = (await server.get('/api/video/first')).json();
      expect(quadrants.map((quadrant) => picks[quadrant].id)).not.toContain(ids['a.mp4']);
    }
    expect((await server.get('/api/status')).json()).toMatchObject({ total_videos: 2, available_videos: 2 });

    expect((await bringBack(scene, ids['a.mp4'])).statusCode).toBe(204);
    expect(await picked(server)).toEqual(new Set(['a.mp4', 'b.mp4', 'c.mp4']));
    expect(idSets.count({ ...everything, tags: [number] })).toBe(2);
  });

  test('is no reason to say that a video is not available', async () => {
    for (const id of Object.values(ids)) await hide(scene, id);
    const reply = await server.get('/api/video/top-left');
    expect([reply.statusCode, reply.json().error]).toEqual([404, 'no_videos_available']);
  });

  test('is streamed by no address any more, also by one that was given before and is in use', async () => {
    const first = await server.get('/api/video/top-left');
    const cookie = String(first.headers['set-cookie']).split(';')[0] ?? '';
    const { url, id, path } = first.json();
    const ask = async () => (await server.get(url, { cookie, range: 'bytes=0-9' })).statusCode;
    expect([await ask(), await ask()]).toEqual([206, 206]);
    await hide(scene, id);
    expect([await ask(), (await server.get(`/api/video/stream?path=${path}`)).statusCode]).toEqual([404, 404]);
    await bringBack(scene, id);
    expect(await ask()).toBe(206);
  });

  test('is not among those that are drawn from memory while the database does not answer', async () => {
    expect(await picked(server)).toEqual(new Set(['a.mp4', 'b.mp4', 'c.mp4']));
    await hide(scene, ids['a.mp4']);
    const stop = watchStatements(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    try {
      expect(await picked(server)).toEqual(new Set(['b.mp4', 'c.mp4']));
    } finally {
      stop();
    }
    // Reads are tried again after a second.
    await vi.waitFor(async () => expect((await bringBack(scene, ids['a.mp4'])).statusCode).toBe(204));
  });

  test('shows its poster to administrators alone, also where a picture carries only the cookie', async () => {
    await putPoster(server, 'a.mp4');
    const [cookie, other] = [await sessionCookie(server, 'ada'), await putPerson(server, 'bob')];
    const url = `/api/videos/${ids['a.mp4']}/poster`;
    const statuses = async () => {
      const asked: Record<string, string>[] = [{}, { ...other.headers }, { ...ada.headers }, { cookie }];
      return Promise.all(asked.map(async (headers) => (await server.get(url, headers)).statusCode));
    };
    expect(await statuses()).toEqual([200, 200, 200, 200]);
    await hide(scene, ids['a.mp4']);
    expect(await statuses()).toEqual([404, 404, 200, 200]);
    expect((await listHidden(scene)).videos[0]?.poster_url).toContain(url);
  });

  test('stays hidden with the first date when it is hidden again, and is brought back once or twice', async () => {
    await server.services.database.write((transaction) => transaction.deleteFrom('activities').execute());
    await hide(scene, ids['a.mp4']);
    const [before] = (await listHidden(scene)).videos;
    expect((await hide(scene, ids['a.mp4'])).statusCode).toBe(204);
    expect((await listHidden(scene)).videos).toEqual([before]);
    for (let time = 0; time < 2; time += 1) expect((await bringBack(scene, ids['a.mp4'])).statusCode).toBe(204);
    expect((await listHidden(scene)).videos).toEqual([]);
    expect(await server.services.database.reader.selectFrom('activities').selectAll().execute()).toMatchObject([
      { actor: 'ada', kind: 'video_hidden', subject: 'a.mp4' },
      { actor: 'ada', kind: 'video_shown', subject: 'a.mp4' },
    ]);
  });

  test('that does not exist is 404, and nothing is written', async () => {
    const before = await revision(server);
    for (const act of [hide, bringBack])
      for (const id of ['none', '%2e%2e', 'a.mp4']) expect((await act(scene, id)).statusCode).toBe(404);
    expect(await revision(server)).toBe(before);
    expect((await listHidden(scene)).total).toBe(0);
  });

  test('makes every client read again what it shows and lists', async () => {
    const before = (await revision(server)).split('.').map(Number);
    await hide(scene, ids['a.mp4']);
    const after = (await revision(server)).split('.').map(Number);
    expect(after.map((counter, at) => counter - (before[at] ?? 0))).toEqual([0, 1, 1]);
  });

  test('is told by its id to whoever shows it, and to administrators in pages, the latest first', async () => {
    for (const path of ['b.mp4', 'a.mp4']) await hide(scene, ids[path]);
    const asked = `${ids['a.mp4']},${ids['c.mp4']},none`;
    const { hidden } = hiddenIdsSchema.parse((await server.get(`/api/videos/hidden?ids=${asked}`)).json());
    // What is not there at all was removed.
    expect(hidden).toEqual([ids['a.mp4'], 'none']);
    expect((await server.get('/api/videos/hidden')).json()).toEqual({ hidden: [] });
    const tooMany = Array.from({ length: 17 }, (_, index) => `id-${index}`).join(',');
    expect((await server.get(`/api/videos/hidden?ids=${tooMany}`)).statusCode).toBe(400);
    const list = await listHidden(scene, '?limit=1&page=2');
    expect(list).toMatchObject({ total: 2, total_pages: 2, videos: [{ path: 'b.mp4', hidden_by: 'ada' }] });
    const eve = await putPerson(server, 'eve', 'admin');
    await hide({ server, ada: eve }, ids['c.mp4']);
    expect((await server.call('DELETE', `/users/admin/${eve.id}`, { headers: ada.headers })).statusCode).toBe(204);
    expect((await listHidden(scene)).videos).toMatchObject([
      { path: 'c.mp4', hidden_by: null },
      { path: 'a.mp4', hidden_by: 'ada' },
      { path: 'b.mp4', hidden_by: 'ada' },
    ]);
  });

  test('is hidden, brought back and listed by nobody else', async () => {
    const { headers } = await putPerson(server, 'cleo', 'lifetime');
    for (const [given, status] of [
      [{}, 401],
      [headers, 403],
    ] as const) {
      for (const method of ['PUT', 'DELETE'] as const)
        expect((await server.call(method, address(ids['a.mp4']), { headers: given })).statusCode).toBe(status);
      expect((await server.get('/api/admin/videos/hidden', { ...given })).statusCode).toBe(status);
    }
    expect(await shown(server)).toEqual(['a.mp4', 'b.mp4', 'c.mp4']);
  });
});

describe('a hidden video stays hidden', () => {
  test('whatever becomes of its file: gone and back, moved, replaced, broken and mended', async () => {
    const scene = await startWith(['a.mp4', 'b.mp4']);
    const { folder, server, ids } = scene;
    const file = join(folder, 'a.mp4');
    await hide(scene, ids['a.mp4']);
    const steps: (() => void)[] = [
      () => {},
      () => renameSync(file, join(folder, 'a.gone')),
      () => renameSync(join(folder, 'a.gone'), file),
      () => moveTo(file, join(folder, 'deep/moved.mp4')),
      () => moveTo(join(folder, 'deep/moved.mp4'), file),
      () => copyFileSync(smallVideo(7), file),
      () => void putFile(folder, 'a.mp4', 'no video'),
      () => copyFileSync(smallVideo(8), file),
    ];
    for (const step of steps) {
      step();
      await scan(server);
      expect([(await shown(server)).sort(), (await listHidden(scene)).videos.map(({ id }) => id)]).toEqual([
        ['b.mp4'],
        [ids['a.mp4']],
      ]);
    }
    await expectSetsAgree(server);
    expect(await bringBack(scene, ids['a.mp4'])).toMatchObject({ statusCode: 204 });
    expect(await shown(server)).toEqual(['a.mp4', 'b.mp4']);
  });

  test('when a scan stores its file at the same moment', async () => {
    const names = Array.from({ length: 60 }, (_, index) => `${index}.mp4`);
    const scene = await startWith(names);
    const { folder, server, ids } = scene;
    for (const [which, name] of names.entries()) copyFileSync(smallVideo(which + 1), join(folder, name));
    const hidden = names.slice(0, 20);
    await Promise.all([scan(server), ...hidden.map((name) => hide(scene, ids[name]))]);
    await scan(server);
    const rows = await videosOf(server);
    expect(rows.filter((row) => row.hidden_at !== null).map((row) => row.available)).toEqual(hidden.map(() => 0));
    expect(rows.filter((row) => row.available === 1)).toHaveLength(40);
    await expectSetsAgree(server);
  });

  test('when its folder is away and comes back; shown meanwhile, it comes back with it', async () => {
    const scene = await startWith(['a.mp4', 'b.mp4', 'c.mp4']);
    const { folder, server, ids } = scene;
    await hide(scene, ids['a.mp4']);
    await hide(scene, ids['b.mp4']);
    renameSync(folder, `${folder}-away`);
    onTestFinished(() => rmSync(`${folder}-away`, { recursive: true, force: true }));
    await scan(server);
    await bringBack(scene, ids['b.mp4']);
    expect(await shown(server)).toEqual([]);
    renameSync(`${folder}-away`, folder);
    await scan(server);
    expect(await shown(server)).toEqual(['b.mp4', 'c.mp4']);
    await expectSetsAgree(server);
  });

  test('shown while its file is gone or cannot be played, it is not available before that has changed', async () => {
    const scene = await startWith(['a.mp4', 'b.mp4']);
    const { folder, server, ids } = scene;
    for (const path of ['a.mp4', 'b.mp4']) await hide(scene, ids[path]);
    rmSync(join(folder, 'a.mp4'));
    putFile(folder, 'b.mp4', 'no video');
    await scan(server);
    for (const path of ['a.mp4', 'b.mp4']) await bringBack(scene, ids[path]);
    expect(await shown(server)).toEqual([]);
    putVideos(folder, 'a.mp4', 'b.mp4');
    await scan(server);
    expect(await shown(server)).toEqual(['a.mp4', 'b.mp4']);
  });
});

test('what one server hides, another one on the same database no longer gives, and neither does the next start', async () => {
  const env = { ...(await migratedSite()), FFMPEG_PATH: '/none' };
  const scene = await startWith(['a.mp4', 'b.mp4'], { env });
  const start = () => startServer({ library: [scene.folder], env });
  const other = await start();
  await picked(other);
  const cookie = String((await other.get('/api/config')).headers['set-cookie']).split(';')[0] ?? '';
  const path = '/api/video/stream?path=a.mp4';
  expect((await other.get(path, { cookie, range: 'bytes=0-9' })).statusCode).toBe(206);
  await hide(scene, scene.ids['a.mp4']);
  await vi.waitFor(
    async () => {
      expect((await other.get(path, { cookie, range: 'bytes=0-9' })).statusCode).toBe(404);
      expect(other.services.idSets.count(everything)).toBe(1);
    },
    { interval: 20 },
  );
  expect(await picked(other)).toEqual(new Set(['b.mp4']));
  await vi.waitFor(async () => expect(await revision(other)).toBe(await revision(scene.server)));
  const next = await start();
  expect([await picked(next), await shown(next)]).toEqual([new Set(['b.mp4']), ['b.mp4']]);
});

/** The counters that clients compare. */
async function revision(server: ServerUnderTest): Promise<string> {
  return String((await server.get('/api/config')).headers['x-revision']);
}

function moveTo(from: string, to: string): void {
  mkdirSync(dirname(to), { recursive: true });
  renameSync(from, to);
}

async function sessionCookie(server: ServerUnderTest, name: string): Promise<string> {
  const cookies = [(await signIn(server, name)).headers['set-cookie'] ?? []].flat();
  return cookies.map((cookie) => String(cookie).split(';')[0]).join('; ');
}

/** As a job would have made it. */
async function putPoster(server: ServerUnderTest, path: string): Promise<void> {
  const video = (await videosOf(server)).find((row) => row.path === path);
  const content = 'ab'.repeat(20);
  putFile(server.services.folders.posters, `ab/${content}.webp`, 'RIFF');
  const { number = 0, size = 0, modified_us = 0 } = video ?? {};
  await server.services.database.write((transaction) =>
    transaction
      .insertInto('posters')
      .values({ video_number: number, size, modified_us, content, reason: null, made_at: 1 })
      .execute(),
  );
}

test('hiding a video and a tag edit that meet wait for each other in one order: neither is rolled back', async () => {
  const { server, ada, ids } = await startWith(['a.mp4', 'b.mp4']);
  const { services } = server;
  const { database, idSets, writeTags } = services;
  const edit = Promise.withResolvers<void>();
  const runs = { hiding: 0, edit: 0 };
  let editing: Promise<void> | undefined;
  const write: IdSets['write'] = (work) =>
    idSets.write(async (transaction, changes) => {
      const value = await work(transaction, changes);
      runs.hiding += 1;
      // All its rows are written: from now on the edit is in its transaction as well, or waits for this one.
      editing ??= writeTags(async () => {
        runs.edit += 1;
        edit.resolve();
      });
      await Promise.race([edit.promise, someoneWaits(database)]);
      return value;
    });
  await withheldVideos.hide({ ...services, idSets: { write } }, ids['a.mp4'] ?? '', ada.id);
  await editing;
  expect(runs).toEqual({ hiding: 1, edit: 1 });
});
