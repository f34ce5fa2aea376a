import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { join } from 'node:path';
import { afterAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TagAudience } from '#contract/rules/tag.ts';
import { audienceRanks, tagAudiences } from '#contract/rules/tag.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { noteNewVideos } from '#server/features/library/folder-channels/link-differences.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { storeStoryboard } from '#tests/support/media/stored-encodings.ts';
import { storeNotes, storeSubtitles } from '#tests/support/media/stored-subtitles.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { SettableClock } from '#tests/support/settable-clock.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { seededRandom } from '../../unit/server/id-sets/list-set.ts';

const names = ['amber.mp4', 'birch.mp4', 'cedar.mp4', 'dune.mp4'];

interface Site {
  folder: string;
  server: ServerUnderTest;
  clock: SettableClock;
  boss: Person;
  /** Id by name. */
  ids: ReadonlyMap<string, string>;
}

/** A library whose videos have a poster, a storyboard and subtitles. */
async function openSite(atEnd: AtEnd, videos = names): Promise<Site> {
  const folder = temporaryFolder(atEnd);
  putVideos(folder, ...videos);
  const clock = settableClock();
  const server = await startServer({ library: [folder], overrides: { clock } }, atEnd);
  const boss = await putPerson(server, 'boss', 'admin');
  const { database } = server.services;
  const rows = await database.reader.selectFrom('videos').selectAll().execute();
  for (const [at, { path, id, number, size, modified_us }] of rows.entries()) {
    const content = at.toString(16).repeat(40);
    putFile(server.services.folders.posters, `${content.slice(0, 2)}/${content}.webp`, 'RIFF');
    const poster = { video_number: number, size, modified_us, content, reason: null, made_at: 1 };
    await database.write((transaction) =>
      transaction
        .insertInto('posters')
        .values(poster)
        .onConflict((conflict) => conflict.column('video_number').doUpdateSet(poster))
        .execute(),
    );
    await storeStoryboard(server, path, Buffer.from(`sheet of ${path}`));
    await storeSubtitles(server.services, id, [{ language: 'en', label: 'English', text: path }]);
    await storeNotes(server.services, id, []);
  }
  return { folder, server, clock, boss, ids: new Map(rows.map(({ path, id }) => [path, id])) };
}

async function createTag({ server, boss }: Site, name: string): Promise<string> {
  const reply = await server.call('POST', '/api/tags', { headers: boss.headers, payload: { name } });
  return reply.json().tag.id;
}

const restrict = ({ server, boss }: Site, tag: string, audience: TagAudience) =>
  server.call('PUT', `/api/tags/${tag}`, { headers: boss.headers, payload: { audience } });
const put = ({ server, boss }: Site, path: string, ...tag_ids: string[]) =>
  server.call('POST', `/api/videos/${path}/tags`, { headers: boss.headers, payload: { tag_ids } });
const take = ({ server, boss }: Site, path: string, tag: string) =>
  server.call('DELETE', `/api/videos/${path}/tags/${tag}`, { headers: boss.headers });
const giveTier = ({ server, boss }: Site, person: Person, tier: Tier, expires_at: string | null = null) =>
  server.call('PUT', `/users/admin/${person.id}/subscription`, {
    headers: boss.headers,
    payload: { tier, expires_at },
  });

interface ModelTag {
  id: string;
  name: string;
  audience: TagAudience;
  videos: Set<string>;
}

interface Viewer {
  /** Null: nobody is signed in. */
  person: Person | null;
  rank: number;
  headers: Record<string, string>;
}

/** Whether a viewer sees a video: it is in no channel, or in one that they see. */
function sees({ rank }: Viewer, tags: readonly ModelTag[], path: string): boolean {
  const own = tags.filter(({ videos }) => videos.has(path));
  return own.length === 0 || own.some(({ audience }) => audienceRanks[audience] <= rank);
}

/** Asks every call that could give a video away, and expects what the viewer sees and no more. */
async function expectOnlySeen(
  site: Site,
  viewer: Viewer,
  tags: readonly ModelTag[],
  urls: ReadonlyMap<string, string>,
) {
  const { server, ids } = site;
  const paths = [...ids.keys()];
  const seen = paths.filter((path) => sees(viewer, tags, path)).sort();
  const hidden = paths.filter((path) => !seen.includes(path)).sort();
  const channels = tags.filter(({ audience }) => audienceRanks[audience] <= viewer.rank);
  const get = (url: string) => server.get(url, viewer.headers);
  const listed = async (url: string) => {
    const { videos, total } = (await get(url)).json();
    const found = videos.map((row: { path?: string; video?: { path: string } }) => row.video?.path ?? row.path).sort();
    expect(total).toBe(found.length);
    return found;
  };

  for (const query of ['&sort_by=name', '&search=mp4', '&sort_by=longest', '&sort_by=played'])
    expect(await listed(`/api/videos/by-tags?limit=50${query}`)).toEqual(seen);
  for (const { id, name, audience, videos } of tags) {
    const isSeen = audienceRanks[audience] <= viewer.rank;
    expect((await get(`/api/tags/${id}`)).statusCode).toBe(isSeen ? 200 : 404);
    expect(await listed(`/api/videos/by-tags?tag_ids=${id}`)).toEqual(isSeen ? [...videos].sort() : []);
    if (!isSeen) expect(await listed(`/api/videos/by-tags?search=${name}`)).toEqual([]);
    if (!isSeen) expect((await get(`/api/video/top-left?tag_ids=${id}`)).statusCode).toBe(404);
  }
  const tagList = (await get('/api/tags')).json().tags;
  const toCount = ({ name, videos }: ModelTag) => [name, videos.size];
  expect(tagList.map((tag: { name: string; video_count: number }) => [tag.name, tag.video_count])).toEqual(
    channels.map(toCount).sort(),
  );
  for (let time = 0; time < 2; time += 1) {
    const pick = (await get(`/api/video/top-left?exclude=${seen.map((path) => ids.get(path)).join()}`)).json();
    if (seen.length === 0) expect(pick.error).toBe('no_videos_available');
    else expect(seen).toContain(pick.path);
    for (const { name } of pick.tags ?? []) expect(channels.map((tag) => tag.name)).toContain(name);
  }
  if (viewer.person === null) {
    const first = Object.values((await get('/api/video/first')).json()) as { path: string }[];
    if (seen.length > 0) for (const { path } of first) expect(seen).toContain(path);
  } else {
    expect(await listed('/api/videos/tagging?limit=50')).toEqual(seen);
    expect((await get('/api/videos/tagging')).json().counts.total).toBe(seen.length);
    expect(await listed('/api/videos/tagging/all')).toEqual(seen);
    // What was seen once may be a favourite still.
    const [path] = seen;
    if (path !== undefined) await server.call('PUT', `/api/favourites/${ids.get(path)}`, { headers: viewer.headers });
    const favourites = await listed('/api/videos/by-tags?tag_ids=is:favourite');
    expect([favourites.includes(path ?? ''), favourites.filter((one: string) => !seen.includes(one))]).toEqual([
      path !== undefined,
      [],
    ]);
  }
  expect((await get('/api/status')).json().available_videos).toBe(seen.length);

  const all = paths.map((path) => ids.get(path) ?? '');
  const gone = (await get(`/api/videos/hidden?ids=${all.join()}`)).json().hidden;
  expect(gone.sort()).toEqual(hidden.map((path) => ids.get(path)).sort());
  const kept = all.map((id) => ({ id, rendition: 'source' }));
  const check = await server.call('POST', '/api/videos/check', { headers: viewer.headers, payload: { videos: kept } });
  expect(check.json().videos.map(({ state }: { state: string }) => state)).toEqual(
    paths.map((path) => (hidden.includes(path) ? 'gone' : 'fine')),
  );

  for (const path of paths) {
    const id = ids.get(path);
    const asked = [
      `/api/videos/${id}`,
      `/api/videos/${id}/details`,
      `/api/videos/${id}/poster`,
      `/api/videos/${id}/storyboard`,
      `/api/videos/${id}/subtitles`,
      `/api/videos/${id}/subtitles/0`,
      `/api/videos/${path}/tags`,
      `/api/video/stream?path=${path}`,
      urls.get(path) ?? '',
    ];
    const statuses: [string, number][] = [];
    // What is to be seen needs fewer questions than what is not.
    const some = seen.includes(path) ? asked.filter((_, at) => at % 3 === 0) : asked;
    for (const url of some) statuses.push([url, (await get(url)).statusCode]);
    const address = { path, quadrant: 'top-left' };
    const signed = await server.call('POST', '/api/optimization/video-url', {
      headers: viewer.headers,
      payload: address,
    });
    statuses.push(['video-url', signed.statusCode]);
    expect(statuses).toEqual(statuses.map(([url]) => [url, seen.includes(path) ? 200 : 404]));
    if (!seen.includes(path)) continue;
    const told = (await get(`/api/videos/${path}/tags`)).json().tags ?? [];
    for (const { name } of told) expect(channels.map((tag) => tag.name)).toContain(name);
  }
  const [unseen] = hidden;
  if (unseen === undefined || viewer.person === null) return;
  const writes = [
    ['POST', `/api/videos/${unseen}/tags`, { tag_ids: [channels[0]?.id ?? 'none'] }],
    ['PUT', `/api/videos/${ids.get(unseen)}/details`, { title: 'Open' }],
    ['PUT', `/api/favourites/${ids.get(unseen)}`, undefined],
  ] as const;
  for (const [method, url, payload] of writes)
    expect((await server.call(method, url, { headers: viewer.headers, payload })).statusCode).toBe(404);
}

describe('a video that is only in channels for some', async () => {
  const site = await openSite(afterAll);
  const { server, clock, ids } = site;

  test('is given away by no call, whatever happens to channels, their videos and plans', {
    timeout: 120_000,
  }, async () => {
    const seed = Date.now() % 1_000_000;
    const random = seededRandom(seed);
    const choose = <T>(from: readonly T[]): T => from[random(from.length)] as T;
    let tags: ModelTag[] = [];
    for (const name of ['Ash', 'Bay', 'Cove'])
      tags.push({ id: await createTag(site, name), name, audience: 'anyone', videos: new Set() });
    const viewers: Viewer[] = [{ person: null, rank: 0, headers: {} }];
    for (const tier of ['basic', 'pro', 'lifetime', 'admin'] as const) {
      const person = await putPerson(server, `a-${tier}`, tier);
      viewers.push({ person, rank: viewers.length, headers: person.headers });
    }
    const urls = new Map<string, string>();
    for (const path of ids.keys()) urls.set(path, (await server.get(`/api/videos/${ids.get(path)}`)).json().video.url);

    const acts: Record<string, () => Promise<unknown>> = {
      async restrict() {
        const [tag, audience] = [choose(tags), choose(tagAudiences)];
        tag.audience = audience;
        return restrict(site, tag.id, audience);
      },
      async put() {
        const [tag, path] = [choose(tags), choose(names)];
        tag.videos.add(path);
        return put(site, path, tag.id);
      },
      async take() {
        const tag = choose(tags);
        const [path] = tag.videos;
        if (path === undefined) return;
        tag.videos.delete(path);
        return take(site, path, tag.id);
      },
      async plan() {
        const [viewer, tier] = [choose(viewers.slice(1, 4)), choose(['basic', 'pro', 'lifetime'] as const)];
        viewer.rank = audienceRanks[tier === 'basic' ? 'user' : tier];
        return viewer.person && giveTier(site, viewer.person, tier);
      },
      async planThatEnds() {
        const viewer = choose(viewers.slice(1, 4));
        viewer.rank = audienceRanks.user;
        if (viewer.person) await giveTier(site, viewer.person, 'pro', new Date(clock.now() + 1_000).toISOString());
        clock.pass(1_001);
      },
      async remove() {
        const tag = choose(tags);
        const name = `${tag.name}-`;
        await server.call('DELETE', `/api/tags/${tag.id}`, { headers: site.boss.headers });
        const made: ModelTag = { id: await createTag(site, name), name, audience: 'anyone', videos: new Set() };
        tags = tags.map((one) => (one === tag ? made : one));
      },
    };
    const history: string[] = [];
    try {
      for (const [at, path] of names.entries()) {
        const tag = tags[at % tags.length] as ModelTag;
        tag.videos.add(path);
        await put(site, path, tag.id);
        tag.audience = choose(tagAudiences.slice(1));
        await restrict(site, tag.id, tag.audience);
      }
      for (let step = 0; step < 4; step += 1) {
        for (let time = 0; time < 3; time += 1) {
          const name = choose([...Object.keys(acts), 'restrict', 'put', 'put']);
          history.push(name);
          await acts[name]?.();
        }
        clock.pass(4_000);
        await expectOnlySeen(site, choose(viewers), tags, urls);
      }
      for (const viewer of viewers) await expectOnlySeen(site, viewer, tags, urls);
    } catch (error) {
      throw new Error(`seed ${seed}: ${history.join(', ')}: ${String(error)}`, { cause: error });
    }
  });
});

test('bytes that are on their way to a viewer end when the viewer loses the plan', async () => {
  const site = await openSite(onTestFinished, []);
  const { server } = site;
  await writeLargeVideo(join(site.folder, 'long.mp4'), 64 * 1024 * 1024);
  await server.services.scanner.request();
  const pro = await putPerson(server, 'pro', 'pro');
  const tag = await createTag(site, 'Long');
  await put(site, 'long.mp4', tag);
  await restrict(site, tag, 'pro');
  const { port } = new URL(await server.app.listen({ port: 0, host: '127.0.0.1' }));
  onTestFinished(() => server.app.server.closeAllConnections());
  const response = await new Promise<IncomingMessage>((resolve) =>
    get({ port, path: '/api/video/stream?path=long.mp4', headers: pro.headers }, resolve),
  );
  expect(server.services.streams.size).toBe(1);
  expect([response.statusCode, response.headers['cache-control']]).toEqual([200, 'private, no-cache']);
  await giveTier(site, pro, 'basic');
  // Nothing is read meanwhile, so that the answer cannot end by itself.
  await vi.waitFor(() => expect(server.services.streams.size).toBe(0), { timeout: 20_000 });
  response.destroy();
});

test('a new video in the folder of a restricted channel is withheld from the moment it is there', async () => {
  const site = await openSite(onTestFinished, ['Private/first.mp4']);
  const { server } = site;
  const { idSets, restrictedTags } = server.services;
  const { tags } = (await server.get('/api/tags', site.boss.headers)).json();
  expect(tags.map(({ name }: { name: string }) => name)).toEqual(['Private']);
  await restrict(site, tags[0].id, 'admin');
  const number = await idSets.write(async (transaction, changes) => {
    const [id = ''] = await storeVideos(transaction, changes, 1, { path: 'Private/second.mp4' });
    const [added] = await transaction.selectFrom('videos').select('number').where('id', '=', id).execute();
    await noteNewVideos(transaction, changes, added === undefined ? [] : [added]);
    return added?.number ?? 0;
  });
  expect(await restrictedTags.isWithheld(audienceRanks.lifetime, number)).toBe(true);
  expect(await restrictedTags.isWithheld(audienceRanks.admin, number)).toBe(false);
});

test('what is withheld is not drawn from memory while the database does not answer', async () => {
  const site = await openSite(onTestFinished, ['calm.mp4', 'wild.mp4']);
  const pick = async () => (await site.server.get('/api/video/top-left')).json().path;
  const tag = await createTag(site, 'Wild');
  await put(site, 'wild.mp4', tag);
  const drawn = new Set<string>();
  while (drawn.size < 2) drawn.add(await pick());
  await restrict(site, tag, 'user');
  expect(await pick()).toBe('calm.mp4');
  const stop = watchStatements(() => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  });
  try {
    for (let time = 0; time < 20; time += 1) expect(await pick()).toBe('calm.mp4');
  } finally {
    stop();
  }
});

describe('somebody who is no administrator', async () => {
  const site = await openSite(afterAll, ['calm.mp4', 'wild.mp4']);
  const { server } = site;
  const pro = await putPerson(server, 'pro', 'pro');
  const basic = await putPerson(server, 'basic', 'basic');
  const tag = await createTag(site, 'Wild');
  const open = await createTag(site, 'Calm');
  await put(site, 'wild.mp4', tag);
  await server.call('PUT', `/api/tags/${tag}/aliases`, { headers: site.boss.headers, payload: { aliases: ['Feral'] } });
  await restrict(site, tag, 'pro');
  const statusOf = async (person: Person, method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
    (await server.call(method, url, { headers: person.headers, ...(payload && { payload }) })).statusCode;

  test.each([
    ['sets for whom a channel is', 'PUT', `/api/tags/${open}`, { audience: 'pro' }, [403, 403]],
    ['changes a restricted channel', 'PUT', `/api/tags/${tag}`, { name: 'Open' }, [403, 404]],
    ['removes a restricted channel', 'DELETE', `/api/tags/${tag}`, undefined, [403, 404]],
    ['puts a video into a restricted channel', 'POST', '/api/videos/calm.mp4/tags', { tag_ids: [tag] }, [403, 404]],
    ['opens a restricted video', 'POST', '/api/videos/wild.mp4/tags', { tag_ids: [open] }, [403, 404]],
    ['takes a video out of its only channel', 'DELETE', `/api/videos/wild.mp4/tags/${tag}`, undefined, [403, 404]],
  ] as const)('%s never', async (_, method, url, payload, statuses) => {
    const given = [await statusOf(pro, method, url, payload), await statusOf(basic, method, url, payload)];
    expect(given).toEqual(statuses);
  });

  test('learns of no other name of a channel that they do not see', async () => {
    const reply = await server.call('POST', '/api/tags', { headers: basic.headers, payload: { name: 'Feral' } });
    expect([reply.statusCode, reply.json().message]).toEqual([409, 'There is one called Feral already.']);
  });
});
