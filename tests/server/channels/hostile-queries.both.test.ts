import { afterAll, describe, expect, test } from 'vitest';
import { tagListSchema } from '#contract/entities/tag.ts';
import { videoListSchema } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const server = await startServer({}, afterFile);
const person = await putPerson(server, 'viewer');

const markup = '<img src=x onerror=alert(1)>';
const sqlText = "tag-red') or 1=1; drop table tags; --";

const [, second = ''] = await server.services.idSets.write(async (transaction, changes) => {
  const stored = await storeVideos(transaction, changes, 3);
  await storeTag(transaction, changes, 'red', stored.slice(0, 2));
  await storeTag(transaction, changes, markup, stored.slice(1, 2));
  await bumpRevision(transaction, 'tags');
  return stored;
});

const lists = ['/api/tags', '/api/videos/by-tags'];
const get = (path: string, query: Record<string, string>, headers: Record<string, string> = {}) =>
  server.get(`${path}?${new URLSearchParams(query)}`, headers);

async function statusOf(path: string, query: Record<string, string>): Promise<number> {
  return (await get(path, query)).statusCode;
}

function block(payload: unknown) {
  return server.call('PUT', '/users/blocklist', { headers: person.headers, payload: payload as object });
}

/** What the tables still hold after every test. */
afterAll(async () => {
  const { reader } = server.services.database;
  expect((await reader.selectFrom('tags').select('id').execute()).length).toBe(2);
  expect((await reader.selectFrom('videos').select('id').execute()).length).toBe(3);
});

test('no text of any call is stored with a NUL, which only one of the databases could keep', async () => {
  const { headers } = await putPerson(server, 'nul-writer', 'admin');
  const file = { filename: 'a.csv', format: 'csv', text: 'tag\nNul\n' };
  for (const [method, path, payload] of [
    ['POST', '/api/admin/tags/import', { ...file, filename: 'a\0.csv' }],
    ['POST', '/api/admin/tags/import', { ...file, text: 'tag,path\nred,a\0b.mp4\n' }],
    ['PUT', `/api/videos/${second}/details`, { title: '', description: 'a\0b' }],
    ['PUT', '/users/blocklist', { blocked_tag_ids: ['a\0'] }],
    ['POST', '/auth/login', { identifier: 'viewer\0', password: 'anything at all' }],
  ] as const) {
    const reply = await server.call(method, path, { headers, payload });
    expect([path, reply.statusCode, reply.json().error]).toEqual([path, 400, 'bad_request']);
  }
});

describe.each(lists)('%s', (path) => {
  test.each([
    ['sort_by', 'name;drop'],
    ['sort_by', 'password'],
    ['sort_by', '(select 1)'],
    ['sort_by', 'Name'],
    ['sort_by', ''],
    ['page', 'NaN'],
    ['page', '1e3'],
    ['page', '1.5'],
    ['page', ''],
    ['limit', 'NaN'],
    ['limit', '20; drop table videos'],
    ['limit', '9'.repeat(limits.textCharacters + 1)],
  ])('refuses %s=%s by the name of the field, without repeating it', async (field, value) => {
    const reply = await get(path, { [field]: value });
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'validation_failed']);
    expect(reply.json().details).toMatchObject([{ field }]);
    if (value.length > 3) expect(reply.body).not.toContain(value);
  });

  test.each([
    ['limit', '0', { limit: 1 }],
    ['limit', '-1', { limit: 1 }],
    ['limit', '1000000000', { limit: limits.pageLimitMax }],
    ['limit', '9'.repeat(30), { limit: limits.pageLimitMax }],
    ['page', '0', { page: 1 }],
    ['page', '-7', { page: 1 }],
  ])('clamps %s=%s', async (field, value, expected) => {
    expect((await get(path, { [field]: value })).json()).toMatchObject(expected);
  });

  test.each(['1000000000', '9'.repeat(30)])('answers an empty page %s with the right total', async (page) => {
    const body = (await get(path, { page })).json();
    expect([...(body.tags ?? body.videos)]).toEqual([]);
    expect(body.total).toBe(path === '/api/tags' ? 2 : 3);
    expect((await get(path, { page, search: 'red' })).json()).toMatchObject({ page: limits.pageNumberMax });
  });

  test('takes a search that is SQL, markup or a pattern for plain characters', async () => {
    for (const search of [sqlText, '%', '_', '*', "' or ''='", '\\', '<script>'])
      expect((await get(path, { search })).json()).toMatchObject({ total: 0 });
  });
});

test('an order of tags that is neither up nor down is refused', async () => {
  for (const sort_order of ['x', 'asc; drop table tags', 'ASC', ''])
    expect(await statusOf('/api/tags', { sort_order })).toBe(400);
});

describe('a filter', () => {
  const paths = ['/api/videos/by-tags', '/api/video/top-left'];
  const many = Array.from({ length: 5_000 }, (_, index) => `t${index}`).join();

  test.each(paths)('of 5,000 channels is refused by %s, and so are as many blocked ones', async (path) => {
    expect(await statusOf(path, { tag_ids: many })).toBe(400);
    expect(await statusOf(path, { blocked_tag_ids: many })).toBe(400);
    const reply = await get(path, { tag_ids: Array.from({ length: 201 }, (_, index) => `t${index}`).join() });
    expect(reply.json().message).toBe(`A filter can hold at most ${limits.filterTags} channels`);
  });

  test.each(paths)(
    'that names one channel again and again, or nothing between commas, has it once in %s',
    async (path) => {
      for (const tag_ids of ['tag-red,tag-red,tag-red', ',,tag-red,, ,', Array(1_000).fill('tag-red').join()]) {
        const body = (await get(path, { tag_ids, filter_mode: 'AND' })).json();
        expect(body.total ?? body.matching).toBe(2);
      }
      for (const tag_ids of ['', ',', ' , ,']) {
        const body = (await get(path, { tag_ids })).json();
        expect(body.total ?? body.matching).toBe(3);
      }
    },
  );

  test.each(['a', '1', sqlText, '__proto__', 'tag-red%00', "tag-red'--", 'TAG-RED', '*'])(
    'of the unknown channel %j matches nothing',
    async (tag_ids) => {
      expect((await get('/api/videos/by-tags', { tag_ids })).json()).toMatchObject({ videos: [], total: 0 });
      expect(await statusOf('/api/video/top-left', { tag_ids })).toBe(404);
    },
  );

  test('that is given twice is refused', async () => {
    for (const path of paths)
      expect((await server.get(`${path}?tag_ids=tag-red&tag_ids=tag-blue`)).statusCode).toBe(400);
  });

  test('whose ids have a character that no database stores is refused', async () => {
    for (const path of paths) expect((await server.get(`${path}?tag_ids=a%00b`)).statusCode).toBe(400);
  });

  test.each(['center', '../', '__proto__', 'constructor', 'top-left%2F..'])(
    'for the quadrant %j answers 404',
    async (quadrant) => {
      expect((await server.get(`/api/video/${encodeURIComponent(quadrant)}?tag_ids=tag-red`)).statusCode).toBe(404);
    },
  );
});

describe('a blocklist', () => {
  test.each([
    ['more than may be blocked', Array.from({ length: limits.blockedTags + 1 }, (_, index) => `t${index}`)],
    ['5,000 channels', Array.from({ length: 5_000 }, (_, index) => `t${index}`)],
    ['an empty id', ['tag-red', '']],
    ['a number', [1]],
    ['a list in a list', [['tag-red']]],
    ['nothing', [null]],
    ['an id that is none', ['x'.repeat(limits.idCharacters + 1)]],
    ['one text', 'tag-red'],
    ['an object with a length', { length: 1, 0: 'tag-red' }],
  ])('with %s is refused and changes nothing', async (_, blocked_tag_ids) => {
    await block({ blocked_tag_ids: ['tag-red'] });
    expect((await block({ blocked_tag_ids })).statusCode).toBe(400);
    expect((await server.get('/users/blocklist', person.headers)).json()).toEqual({ blocked_tag_ids: ['tag-red'] });
    await block({ blocked_tag_ids: [] });
  });

  test('has each channel once, and one that is SQL blocks nothing', async () => {
    const reply = await block({ blocked_tag_ids: [sqlText, 'tag-red', sqlText, 'tag-red'] });
    expect(reply.json()).toEqual({ blocked_tag_ids: [sqlText, 'tag-red'] });
    expect((await get('/api/videos/by-tags', {}, person.headers)).json()).toMatchObject({ total: 1 });
    await block({ blocked_tag_ids: [] });
  });
});

describe('a name that is markup', () => {
  const asText = (reply: { headers: Record<string, unknown> }) =>
    expect(reply.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'x-content-type-options': 'nosniff',
    });

  test('is listed, found and drawn as the text that it is', async () => {
    const tags = await get('/api/tags', { search: '<IMG src' });
    asText(tags);
    expect(tagListSchema.parse(tags.json()).tags.map(({ name }) => name)).toEqual([markup]);
    const found = await get('/api/videos/by-tags', { search: 'onerror=alert' });
    asText(found);
    expect(videoListSchema.parse(found.json()).videos.map(({ id }) => id)).toEqual([second]);
    const picked = await get('/api/video/top-left', { tag_ids: `tag-${markup}` });
    asText(picked);
    expect(picked.json().tags).toContainEqual({ id: `tag-${markup}`, name: markup, color: '#3B82F6' });
  });
});
