import { describe, expect, test } from 'vitest';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import type { Person } from '#tests/support/people.ts';
import { personOf, putPerson, signIn } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);
const [plain = '', blocked = ''] = await server.services.idSets.write(async (transaction, changes) => {
  const stored = await storeVideos(transaction, changes, 2);
  await storeTag(transaction, changes, 'loud', stored.slice(1));
  return stored;
});

let people = 0;
async function putBlocker(): Promise<Person> {
  people += 1;
  const person = await putPerson(server, `blocker-${people}`);
  await block(person, ['tag-loud']);
  return person;
}

function block({ headers }: Person, ids: string[]) {
  return server.call('PUT', '/users/blocklist', { headers, payload: { blocked_tag_ids: ids } });
}

async function pickedBy(headers: Record<string, string>): Promise<{ id: string; matching: number }> {
  return (await server.get(`/api/video/top-left?exclude=${plain}`, headers)).json();
}

async function listedFor(headers: Record<string, string>, query = ''): Promise<string[]> {
  const { videos } = (await server.get(`/api/videos/by-tags?${query}`, headers)).json();
  return videos.map(({ id }: { id: string }) => id);
}

async function profileRevisionOf({ headers }: Person): Promise<number> {
  return Number(String((await server.get('/users/blocklist', headers)).headers['x-revision']).split('.')[0]);
}

describe('a stored blocklist', () => {
  test('is obeyed by the picks and lists of its owner alone', async () => {
    const { headers } = await putBlocker();
    expect(await pickedBy(headers)).toMatchObject({ id: plain, matching: 1 });
    expect(await listedFor(headers)).toEqual([plain]);
    expect(await pickedBy({})).toMatchObject({ id: blocked, matching: 2 });
    expect(await listedFor({})).toEqual([blocked, plain]);
  });

  test('beats a channel that was chosen, and a search', async () => {
    const { headers } = await putBlocker();
    expect(await listedFor(headers, 'tag_ids=tag-loud')).toEqual([]);
    expect(await listedFor(headers, 'search=loud')).toEqual([]);
    expect((await server.get('/api/video/top-left?tag_ids=tag-loud', headers)).statusCode).toBe(404);
  });

  test('counts with the blocklist of the call', async () => {
    const { headers } = await putBlocker();
    expect(await listedFor(headers, 'blocked_tag_ids=none')).toEqual([plain]);
  });

  test('that is emptied brings everything back at once', async () => {
    const person = await putBlocker();
    await block(person, []);
    expect(await listedFor(person.headers)).toEqual([blocked, plain]);
    expect((await pickedBy(person.headers)).matching).toBe(2);
  });

  test('of a channel that is gone blocks nothing', async () => {
    const person = await putBlocker();
    await block(person, ['none']);
    expect((await listedFor(person.headers)).length).toBe(2);
  });

  test('is told to the other devices of the same person by the counter of the profile, and obeyed there', async () => {
    const first = await putBlocker();
    const second = personOf(await signIn(server, first.username));
    const before = await profileRevisionOf(second);
    await block(first, []);
    expect(await profileRevisionOf(second)).toBeGreaterThan(before);
    expect((await server.get('/users/blocklist', second.headers)).json()).toEqual({ blocked_tag_ids: [] });
    expect((await listedFor(second.headers)).length).toBe(2);
  });

  test('keeps what two devices that began with the same list change at once', async () => {
    const { headers } = await putBlocker();
    const send = (blocked_tag_ids: string[], known?: string[]) =>
      server.call('PUT', '/users/blocklist', { headers, payload: { blocked_tag_ids, known } });
    const known = ['tag-loud'];
    await Promise.all([send([...known, 'a'], known), send([...known, 'b'], known), send([], known)]);
    const { blocked_tag_ids } = (await server.get('/users/blocklist', headers)).json();
    expect(blocked_tag_ids.toSorted()).toEqual(['a', 'b']);
    expect((await send(['c'])).json()).toEqual({ blocked_tag_ids: ['c'] });
  });

  test('has at most 500 channels, those of another device among them', async () => {
    const person = await putBlocker();
    const many = Array.from({ length: 500 }, (_, at) => `tag-${at}`);
    await block(person, many);
    const reply = await server.call('PUT', '/users/blocklist', {
      headers: person.headers,
      payload: { blocked_tag_ids: ['a'], known: [] },
    });
    expect([reply.statusCode, reply.json().message]).toEqual([400, 'At most 500 channels can be blocked']);
  });

  test('is not evaded by the first videos: who is signed in gets none', async () => {
    const { headers } = await putBlocker();
    expect((await server.get('/api/video/first', headers)).statusCode).toBe(204);
  });
});
