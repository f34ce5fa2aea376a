import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import type { TagAudience } from '#contract/rules/tag.ts';
import { audienceRanks } from '#contract/rules/tag.ts';
import type { Tier } from '#contract/rules/tiers.ts';
import { noteNewVideos } from '#server/features/library/folder-channels/link-differences.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { writeLargeVideo } from '#tests/support/media/large-video.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

interface Site {
  folder: string;
  server: ServerUnderTest;
  boss: Person;
}

async function openSite(atEnd: AtEnd, videos: string[]): Promise<Site> {
  const folder = temporaryFolder(atEnd);
  putVideos(folder, ...videos);
  const server = await startServer({ library: [folder] }, atEnd);
  return { folder, server, boss: await putPerson(server, 'boss', 'admin') };
}

async function createTag({ server, boss }: Site, name: string): Promise<string> {
  const reply = await server.call('POST', '/api/tags', { headers: boss.headers, payload: { name } });
  return reply.json().tag.id;
}

const restrict = ({ server, boss }: Site, tag: string, audience: TagAudience) =>
  server.call('PUT', `/api/tags/${tag}`, { headers: boss.headers, payload: { audience } });
const put = ({ server, boss }: Site, path: string, ...tag_ids: string[]) =>
  server.call('POST', `/api/videos/${path}/tags`, { headers: boss.headers, payload: { tag_ids } });
const giveTier = ({ server, boss }: Site, person: Person, tier: Tier) =>
  server.call('PUT', `/users/admin/${person.id}/subscription`, {
    headers: boss.headers,
    payload: { tier, expires_at: null },
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
  const site = await openSite(afterFile, ['calm.mp4', 'wild.mp4']);
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
