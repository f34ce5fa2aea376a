import { describe, expect, test } from 'vitest';
import { tagListSchema, tagReplySchema } from '#contract/entities/tag.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);
const { idSets, database } = server.services;
const person = await putPerson(server, 'viewer');
const admin = await putPerson(server, 'keeper', 'admin');

/** On 3, 1, 2 and 0 videos; one of the three cannot be played. */
const videos = await idSets.write(async (transaction, changes) => {
  const stored = await storeVideos(transaction, changes, 3);
  const [broken] = await storeVideos(transaction, changes, 1, { available: 0, reason: 'truncated' });
  await storeTag(transaction, changes, 'Sea', [...stored, broken ?? '']);
  await storeTag(transaction, changes, 'Alps', stored.slice(0, 1));
  await storeTag(transaction, changes, 'Éclair', stored.slice(0, 2));
  await storeTag(transaction, changes, '100%', []);
  await storeTag(transaction, changes, 'Gone', stored, 0);
  await transaction.updateTable('tags').set({ description: 'Waves, "quoted"' }).where('name', '=', 'Sea').execute();
  await transaction.updateTable('tags').set({ created_at: 5 }).where('name', '=', 'Alps').execute();
  await bumpRevision(transaction, 'tags');
  return stored;
});

async function names(query = ''): Promise<string[]> {
  const reply = await server.get(`/api/tags${query}`);
  return tagListSchema.parse(reply.json()).tags.map((tag) => tag.name);
}

describe('the list of tags', () => {
  test('is sorted by name, and has the active ones in the shape of the contract', async () => {
    const body = tagListSchema.parse((await server.get('/api/tags')).json());
    expect(body).toMatchObject({ total: 4, total_pages: 1, page: 1, limit: 100 });
    expect(body.tags.map((tag) => tag.name)).toEqual(['100%', 'Alps', 'Sea', 'Éclair']);
    expect(body.tags[1]).toEqual({
      id: 'tag-Alps',
      name: 'Alps',
      description: '',
      color: '#3B82F6',
      video_count: 1,
      created_at: new Date(5).toISOString(),
      active: true,
      aliases: [],
    });
  });

  test('counts available videos alone', async () => {
    const { tags } = tagListSchema.parse((await server.get('/api/tags')).json());
    expect(tags.map((tag) => tag.video_count)).toEqual([0, 1, 3, 2]);
  });

  test.each([
    ['?sort_by=video_count', ['100%', 'Alps', 'Éclair', 'Sea']],
    ['?sort_by=video_count&sort_order=desc', ['Sea', 'Éclair', 'Alps', '100%']],
    ['?sort_by=created_at&sort_order=desc', ['Alps', '100%', 'Sea', 'Éclair']],
    ['?sort_order=desc', ['Éclair', 'Sea', 'Alps', '100%']],
    ['?limit=2&page=2', ['Sea', 'Éclair']],
    ['?limit=2&page=9', []],
    ['?search=wave', ['Sea']],
    ['?search=%C3%89CL', ['Éclair']],
    ['?search=%25', ['100%']],
    ['?search=_', []],
    ["?search=%22quoted'", []],
    ['?search=%22quoted%22', ['Sea']],
  ])('%s answers %j', async (query, expected) => {
    expect(await names(query)).toEqual(expected);
  });

  test.each(['sEA', 'the sea'])('has the tag called %s first among those that contain it', async (name) => {
    const { headers } = admin;
    const send = (method: 'POST' | 'PUT' | 'DELETE', url: string, payload?: object) =>
      server.call(method, url, { headers, ...(payload && { payload }) });
    const created: string[] = [];
    for (const other of ['A sea', 'Black Sea at the sea'])
      created.push((await send('POST', '/api/tags', { name: other })).json().tag.id);
    await send('PUT', '/api/tags/tag-Sea/aliases', { aliases: ['The Sea'] });
    expect(await names(`?search=${encodeURIComponent(name)}&limit=1`)).toEqual(['Sea']);
    expect(await names('?search=sea')).toEqual(['Sea', 'A sea', 'Black Sea at the sea']);
    expect(await names('?search=sea&limit=1&page=2')).toEqual(['A sea']);
    for (const id of created) await send('DELETE', `/api/tags/${id}/hard-delete`);
    await send('PUT', '/api/tags/tag-Sea/aliases', { aliases: [] });
  });

  test('by an order that is unknown is refused', async () => {
    for (const query of ['?sort_by=color', '?sort_order=up'])
      expect((await server.get(`/api/tags${query}`)).statusCode).toBe(400);
  });

  test('counts anew when a video leaves', async () => {
    const [first = ''] = videos;
    const setAvailable = (available: 0 | 1) =>
      idSets.write(async (transaction, changes) => {
        const { number } = await transaction
          .updateTable('videos')
          .set({ available })
          .where('id', '=', first)
          .returning('number')
          .executeTakeFirstOrThrow();
        changes.put('available', [number], available === 1);
      });
    const countOf = async () => tagReplySchema.parse((await server.get('/api/tags/tag-Alps')).json()).tag.video_count;
    expect(await countOf()).toBe(1);
    await setAvailable(0);
    expect(await countOf()).toBe(0);
    await setAvailable(1);
    expect(await countOf()).toBe(1);
  });

  test('has an ETag, and a caller that knows it is sent nothing again until a tag changes', async () => {
    const first = await server.get('/api/tags');
    expect(first.headers['cache-control']).toBe('no-cache');
    const again = { 'if-none-match': String(first.headers.etag) };
    expect((await server.get('/api/tags', again)).statusCode).toBe(304);
    await rename('Alps', 'Andes');
    expect((await server.get('/api/tags', again)).statusCode).toBe(200);
    await rename('Andes', 'Alps');
  });
});

describe('deleted tags', () => {
  test('are listed for administrators alone', async () => {
    const url = '/api/tags?active=false';
    expect((await server.get(url)).statusCode).toBe(401);
    expect((await server.get(url, person.headers)).statusCode).toBe(403);
    const { tags } = tagListSchema.parse((await server.get(url, admin.headers)).json());
    expect(tags).toMatchObject([{ name: 'Gone', active: false }]);
  });

  test('are found one by one by administrators alone', async () => {
    expect((await server.get('/api/tags/tag-Gone', person.headers)).statusCode).toBe(404);
    expect((await server.get('/api/tags/tag-Gone', admin.headers)).json().tag.active).toBe(false);
  });
});

test('a tag that does not exist answers 404', async () => {
  const reply = await server.get('/api/tags/none');
  expect([reply.statusCode, reply.json().message]).toEqual([404, 'This tag does not exist.']);
});

async function rename(from: string, to: string): Promise<void> {
  await database.write(async (transaction) => {
    await transaction
      .updateTable('tags')
      .set({ name: to, name_key: to.toLowerCase() })
      .where('name', '=', from)
      .execute();
    await bumpRevision(transaction, 'tags');
  });
}
