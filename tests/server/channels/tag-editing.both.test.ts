import { describe, expect, test, vi } from 'vitest';
import { activityListSchema } from '#contract/entities/site.ts';
import { tagListSchema, tagReplySchema } from '#contract/entities/tag.ts';
import { storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);
const { idSets, database } = server.services;
const person = await putPerson(server, 'viewer');
const admin = await putPerson(server, 'keeper', 'admin');
await idSets.write((transaction, changes) => storeVideos(transaction, changes, 3));
const paths = [0, 1, 2].map((index) => `stored-fine-${index}.mp4`);

const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object, headers: object = person.headers) =>
  server.call(method, url, { headers: { ...headers }, ...(payload === undefined ? {} : { payload }) });

async function create(name: string): Promise<string> {
  const reply = await send('POST', '/api/tags', { name });
  expect(reply.statusCode).toBe(201);
  return tagReplySchema.parse(reply.json()).tag.id;
}

async function expectTaken(method: 'POST' | 'PUT', url: string, payload: object, message: string): Promise<void> {
  const reply = await send(method, url, payload, admin.headers);
  expect([reply.statusCode, reply.json().error, reply.json().message]).toEqual([409, 'conflict', message]);
}

async function names(search = ''): Promise<string[]> {
  const reply = await server.get(`/api/tags?search=${encodeURIComponent(search)}`);
  return tagListSchema.parse(reply.json()).tags.map((tag) => tag.name);
}

async function tagsRevision(): Promise<number> {
  const reply = await server.get('/api/tags?limit=1');
  return Number(String(reply.headers['x-revision']).split('.')[1]);
}

describe('a tag that somebody creates', () => {
  test('is answered whole, with 201, and listed at once', async () => {
    const reply = await send('POST', '/api/tags', { name: '  Coast  ', description: ' Sand ', color: '#aabbcc' });
    expect(reply.statusCode).toBe(201);
    const { tag } = tagReplySchema.parse(reply.json());
    expect(tag).toMatchObject({
      name: 'Coast',
      description: 'Sand',
      color: '#aabbcc',
      video_count: 0,
      active: true,
      aliases: [],
    });
    expect(tag.id).toMatch(/^[2-9b-z]{10}$/);
    expect(await names('coast')).toEqual(['Coast']);
  });

  test('has a name that no other has, whatever its case or form', async () => {
    await create('Caf\u00e9');
    for (const name of ['Caf\u00e9', 'CAF\u00c9', 'Cafe\u0301', ' caf\u00e9 '])
      await expectTaken('POST', '/api/tags', { name }, 'There is one called Caf\u00e9 already.');
  });

  test.each([
    [{ name: '   ' }],
    [{ name: 'x'.repeat(101) }],
    [{ name: 'x', color: 'red;background:url(//x)' }],
    [{ name: 'x', color: '#12345' }],
    [{ name: 'x', color: '#GGGGGG' }],
    [{ name: 'x', description: 'd'.repeat(501) }],
    [{}],
  ])('%j is refused', async (body) => {
    const reply = await send('POST', '/api/tags', body);
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'validation_failed']);
  });

  test('keeps a name with marks of HTML as text', async () => {
    const id = await create('<b onclick="x">&amp;');
    expect((await server.get(`/api/tags/${id}`)).json().tag.name).toBe('<b onclick="x">&amp;');
  });

  test('is created once for one key', async () => {
    const headers = { ...person.headers, 'idempotency-key': 'once' };
    const replies = [
      await send('POST', '/api/tags', { name: 'Once' }, headers),
      await send('POST', '/api/tags', { name: 'Once' }, headers),
    ];
    expect(replies.map((reply) => reply.statusCode)).toEqual([201, 201]);
    expect(replies[1]?.json()).toEqual(replies[0]?.json());
    expect(await names('once')).toEqual(['Once']);
  });

  test('is created once by many at once', async () => {
    const replies = await Promise.all(Array.from({ length: 8 }, () => send('POST', '/api/tags', { name: 'Rush' })));
    expect(replies.map((reply) => reply.statusCode).sort()).toEqual([201, ...Array(7).fill(409)]);
  });
});

describe('a tag that somebody edits', () => {
  test('keeps what is absent, and clients ask for the list again', async () => {
    const id = await create('Draft');
    const before = await tagsRevision();
    const reply = await send('PUT', `/api/tags/${id}`, { name: 'Final' });
    expect(tagReplySchema.parse(reply.json()).tag).toMatchObject({ id, name: 'Final', color: '#3B82F6' });
    expect(await tagsRevision()).toBeGreaterThan(before);
  });

  test('may be written in another case, and not like another', async () => {
    const id = await create('lower');
    expect((await send('PUT', `/api/tags/${id}`, { name: 'LOWER' })).json().tag.name).toBe('LOWER');
    await create('Neighbour');
    await expectTaken('PUT', `/api/tags/${id}`, { name: 'neighbour' }, 'There is one called Neighbour already.');
  });

  test('has to exist', async () => {
    expect((await send('PUT', '/api/tags/none', { name: 'x' })).statusCode).toBe(404);
  });
});

describe('a tag that somebody deletes', () => {
  test('is gone for viewers, and there for administrators', async () => {
    const id = await create('Fleeting');
    expect((await send('DELETE', `/api/tags/${id}`)).statusCode).toBe(204);
    expect((await server.get(`/api/tags/${id}`)).statusCode).toBe(404);
    expect((await server.get(`/api/tags/${id}`, admin.headers)).json().tag.active).toBe(false);
    for (const [method, body] of [['DELETE'], ['PUT', { name: 'x' }]] as const)
      expect((await send(method, `/api/tags/${id}`, body)).statusCode).toBe(404);
    await create('Fleeting');
  });

  test('leaves videos untagged that have no other, and says who did it', async () => {
    const id = await create('Lonely');
    await send('POST', `/api/videos/${paths[2]}/tags`, { tag_ids: [id] });
    const isUntagged = { tags: [], mode: 'OR', blocked: [], isUntagged: true } as const;
    const before = idSets.count(isUntagged);
    await send('DELETE', `/api/tags/${id}`);
    await vi.waitFor(() => expect(idSets.count(isUntagged)).toBe(before + 1));
    const { activities } = activityListSchema.parse((await server.get('/api/admin/activity', admin.headers)).json());
    expect(activities[0]).toMatchObject({ actor: 'viewer', kind: 'tag_removed', subject: 'Lonely' });
  });

  test('goes for good by an administrator alone', async () => {
    const id = await create('Doomed');
    const url = `/api/tags/${id}/hard-delete`;
    expect((await send('DELETE', url)).statusCode).toBe(403);
    expect((await send('DELETE', url, undefined, admin.headers)).statusCode).toBe(204);
    await vi.waitFor(async () =>
      expect(
        await database.reader.selectFrom('tags').select('number').where('id', '=', id).executeTakeFirst(),
      ).toBeUndefined(),
    );
    expect((await send('DELETE', url, undefined, admin.headers)).statusCode).toBe(404);
  });
});

describe('other names of a tag', () => {
  const rename = (id: string, aliases: string[]) => send('PUT', `/api/tags/${id}/aliases`, { aliases }, admin.headers);

  test('are answered by name, find it, and are no names of others', async () => {
    const id = await create('Ocean');
    const reply = await rename(id, ['Waters', 'Brine', 'brine ', 'OCEAN']);
    expect(tagReplySchema.parse(reply.json()).tag.aliases).toEqual(['brine', 'Waters']);
    expect(await names('waters')).toEqual(['Ocean']);
    expect((await server.get(`/api/tags/${id}`)).json().tag.aliases).toEqual(['brine', 'Waters']);
    const sentence = 'Waters is another name of Ocean.';
    await expectTaken('POST', '/api/tags', { name: 'WATERS' }, sentence);
    const other = await create('Lake');
    await expectTaken('PUT', `/api/tags/${other}`, { name: 'waters' }, sentence);
    await expectTaken('PUT', `/api/tags/${other}/aliases`, { aliases: ['Waters'] }, sentence);
    await expectTaken(
      'PUT',
      `/api/tags/${other}/aliases`,
      { aliases: ['Ocean'] },
      'There is one called Ocean already.',
    );
  });

  test('that two administrators add and remove at once are added and removed', async () => {
    const id = await create('Creek');
    await rename(id, ['Beck', 'Burn']);
    const known = ['Beck', 'Burn'];
    const change = (aliases: string[]) => send('PUT', `/api/tags/${id}/aliases`, { aliases, known }, admin.headers);
    await Promise.all([change(['Beck', 'Burn', 'Rill']), change(['Burn', 'Runnel'])]);
    expect((await server.get(`/api/tags/${id}`)).json().tag.aliases).toEqual(['Burn', 'Rill', 'Runnel']);
  });

  test('are at most 20, those that others have added among them', async () => {
    const id = await create('Delta');
    const many = Array.from({ length: 20 }, (_, at) => `Delta ${at}`);
    await rename(id, many);
    const body = { aliases: ['Mouth'], known: [] };
    const reply = await send('PUT', `/api/tags/${id}/aliases`, body, admin.headers);
    expect([reply.statusCode, reply.json().message]).toEqual([400, 'There can be at most 20 other names']);
  });

  test('are all that the last call named, and find videos', async () => {
    const id = await create('River');
    await rename(id, ['Stream', 'Brook']);
    expect((await rename(id, ['Brook'])).json().tag.aliases).toEqual(['Brook']);
    await create('Stream');
    await send('POST', `/api/videos/${paths[0]}/tags`, { tag_ids: [id] });
    const found = await server.get('/api/videos/by-tags?search=brook');
    expect(found.json().videos.map((video: { path: string }) => video.path)).toEqual([paths[0]]);
  });

  test('may become its name', async () => {
    const id = await create('Hill');
    await rename(id, ['Mount']);
    const reply = await send('PUT', `/api/tags/${id}`, { name: 'Mount' });
    expect(reply.json().tag).toMatchObject({ name: 'Mount', aliases: [] });
  });

  test('are free when it is deleted', async () => {
    const id = await create('Forest');
    await rename(id, ['Woods']);
    await send('DELETE', `/api/tags/${id}`);
    await create('Woods');
  });

  test('are twenty at most', async () => {
    const id = await create('Many');
    const reply = await rename(
      id,
      Array.from({ length: 21 }, (_, index) => `m${index}`),
    );
    expect([reply.statusCode, reply.json().message]).toEqual([400, 'There can be at most 20 other names']);
  });
});

test('a site whose tags are for administrators lets nobody else change them', async () => {
  const closed = await startServer({ env: { TAG_EDITING: 'admins' } });
  const { headers } = await putPerson(closed, 'viewer');
  const { headers: keeper } = await putPerson(closed, 'keeper', 'admin');
  await closed.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, 1));
  const created = await closed.call('POST', '/api/tags', { headers: keeper, payload: { name: 'Sea' } });
  const { id } = tagReplySchema.parse(created.json()).tag;
  const calls = [
    ['POST', '/api/tags', { name: 'Mine' }],
    ['PUT', `/api/tags/${id}`, { color: '#000000' }],
    ['POST', `/api/videos/${paths[0]}/tags`, { tag_ids: [id] }],
    ['DELETE', `/api/videos/${paths[0]}/tags/${id}`, {}],
    ['DELETE', `/api/tags/${id}`, {}],
  ] as const;
  for (const [method, url, payload] of calls) {
    const refused = await closed.call(method, url, { headers, payload });
    expect([method, url, refused.statusCode, refused.json().error]).toEqual([method, url, 403, 'forbidden']);
  }
  expect((await closed.get(`/api/videos/${paths[0]}/tags`, headers)).json()).toEqual({ tags: [] });
  for (const [method, url, payload] of calls)
    expect((await closed.call(method, url, { headers: keeper, payload })).statusCode).toBeLessThan(300);
});
