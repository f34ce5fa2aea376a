import { beforeEach, describe, expect, test } from 'vitest';
import { pickReplySchema } from '#contract/entities/feed.ts';
import { favouriteIdsSchema, videoListSchema } from '#contract/entities/tagging.ts';
import { limits } from '#contract/limits.ts';
import { Favourites } from '#server/features/videos/favourites.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const env = await migratedSite(afterFile);
const server = await startServer({ env, overrides: { clock } }, afterFile);
const { database, idSets } = server.services;
const admin = await putPerson(server, 'ada', 'admin');
const person = await putPerson(server, 'bob');
const { userId } = (await database.reader
  .selectFrom('users')
  .select('id as userId')
  .where('username', '=', 'bob')
  .executeTakeFirst())!;

/** Eight videos: those of the tag are 0 to 3; odd ones are short, the others long; 0 and 1 are upright. */
const ids = await idSets.write(async (transaction, changes) => {
  const stored: string[] = [];
  for (let index = 0; index < 8; index += 1) {
    const [width, height] = index < 2 ? [9, 16] : [16, 9];
    const path = `video-${index}.mp4`;
    const form = { duration_ms: index % 2 === 1 ? 59_999 : 1_200_001, width, height };
    stored.push(...(await storeVideos(transaction, changes, 1, { id: path, path, filename: path, ...form })));
  }
  await storeTag(transaction, changes, 'red', stored.slice(0, 4));
  return stored;
});
const idOf = (index: number) => ids[index] ?? '';

beforeEach(async () => {
  await database.write((transaction) => transaction.deleteFrom('favourites').execute());
  await remove(0);
});

const add = (index: number | string, headers = person.headers) =>
  server.call('PUT', `/api/favourites/${typeof index === 'string' ? index : idOf(index)}`, { headers });
const remove = (index: number) => server.call('DELETE', `/api/favourites/${idOf(index)}`, { headers: person.headers });
const listIds = async () => favouriteIdsSchema.parse((await server.get('/api/favourites', person.headers)).json()).ids;
const list = async (tagIds: string, query = '', headers: Record<string, string> = person.headers) => {
  const reply = await server.get(`/api/videos/by-tags?tag_ids=${tagIds}${query}`, headers);
  return videoListSchema.parse(reply.json()).videos.map(({ id }) => ids.indexOf(id));
};
const pick = (tagIds: string, headers: Record<string, string> = person.headers) =>
  server.get(`/api/video/top-left?tag_ids=${tagIds}`, headers);

describe('a person keeps favourites', () => {
  test('of whom a filter shows just those, the latest video first, beside tags, lengths and shapes', async () => {
    for (const index of [2, 5, 1, 6]) expect((await add(index)).statusCode).toBe(204);
    expect(await list('is:favourite')).toEqual([6, 5, 2, 1]);
    expect(await list('is:favourite,tag-red')).toEqual([2, 1]);
    expect(await list('is:favourite,is:short')).toEqual([5, 1]);
    expect(await list('is:favourite,is:long,is:wide')).toEqual([6, 2]);
    expect(await list('is:upright,tag-red', '&filter_mode=AND')).toEqual([1, 0]);
    expect(await list('is:favourite', '&blocked_tag_ids=tag-red')).toEqual([6, 5]);
    expect(await list('is:favourite', '&search=video-6')).toEqual([6]);
    expect(await list('is:short,is:long')).toEqual([]);
    expect(await list('is:medium')).toEqual([]);
    expect(await list('is:unheard-of')).toEqual([]);
    expect((await listIds()).sort()).toEqual([1, 2, 5, 6].map(idOf));
  });

  test('once each, whatever is repeated, and removes them again', async () => {
    await add(3);
    clock.pass(1);
    await Promise.all([add(3), add(4), add(3)]);
    expect(await listIds()).toEqual([idOf(4), idOf(3)]);
    await remove(3);
    await remove(3);
    expect(await listIds()).toEqual([idOf(4)]);
    expect(await list('is:favourite')).toEqual([4]);
  });

  test('and quadrants draw from them alone, also from the next change on', async () => {
    for (const index of [0, 4, 7]) await add(index);
    const drawn = new Set<number>();
    for (let round = 0; round < 40; round += 1) {
      const reply = pickReplySchema.parse((await pick('is:favourite')).json());
      expect(reply.matching).toBe(3);
      drawn.add(ids.indexOf(reply.id ?? ''));
    }
    expect([...drawn].sort()).toEqual([0, 4, 7]);
    await remove(0);
    await remove(4);
    expect(pickReplySchema.parse((await pick('is:favourite')).json()).id).toBe(idOf(7));
    await remove(7);
    expect((await pick('is:favourite')).statusCode).toBe(404);
  });

  test('that are nobody else’s, and need an account', async () => {
    await add(0);
    expect(await list('is:favourite', '', admin.headers)).toEqual([]);
    expect(await list('is:favourite', '', {})).toEqual([]);
    expect((await pick('is:favourite', {})).statusCode).toBe(404);
    expect((await server.call('PUT', `/api/favourites/${idOf(0)}`)).statusCode).toBe(401);
    expect((await server.get('/api/favourites')).statusCode).toBe(401);
  });

  test('that are not shown while an administrator hides them, and are favourites again afterwards', async () => {
    await add(0);
    await add(1);
    const hide = (method: 'PUT' | 'DELETE') =>
      server.call(method, `/api/admin/videos/${idOf(0)}/hidden`, { headers: admin.headers });
    await hide('PUT');
    expect(await list('is:favourite')).toEqual([1]);
    expect((await add(0)).statusCode).toBe(404);
    await hide('DELETE');
    expect(await list('is:favourite')).toEqual([1, 0]);
    expect((await add('no-such-video')).statusCode).toBe(404);
  });

  test('up to the limit of one person', async () => {
    await database.write(async (transaction) => {
      for (let from = 0; from < limits.favourites - 1; from += 1_000) {
        const length = Math.min(1_000, limits.favourites - 1 - from);
        const rows = Array.from({ length }, (_, at) => ({
          user_id: userId,
          video_id: `gone-${from + at}`,
          added_at: 1,
        }));
        await transaction.insertInto('favourites').values(rows).execute();
      }
    });
    expect((await add(0)).statusCode).toBe(204);
    const refused = await add(1);
    expect([refused.statusCode, refused.json()]).toMatchObject([
      409,
      { message: 'At most 5000 videos can be favourites' },
    ]);
    expect((await add(0)).statusCode).toBe(204);
    expect(await listIds()).toHaveLength(limits.favourites);
  });

  test('that another node knows with its next pick', async () => {
    const other = new Favourites({ database, clock });
    await add(0);
    expect(await other.numbersOf(userId)).toHaveLength(1);
    await add(1);
    expect(await other.numbersOf(userId)).toHaveLength(2);
    await remove(0);
    expect(await other.numbersOf(userId)).toHaveLength(1);
  });

  test('which go with the account', async () => {
    const gone = await putPerson(server, 'eve');
    await add(0, gone.headers);
    const left = () => database.reader.selectFrom('favourites').selectAll().execute();
    expect(await left()).toHaveLength(1);
    await database.write((transaction) => transaction.deleteFrom('users').where('username', '=', 'eve').execute());
    expect(await left()).toEqual([]);
  });
});
