import { describe, expect, onTestFinished, test } from 'vitest';
import { pickReplySchema } from '#contract/entities/feed.ts';
import { quadrants } from '#contract/quadrants.ts';
import type { RandomBelow } from '#server/ids.ts';
import type { ServiceOverrides } from '#server/services/services.ts';
import { watchStatements } from '#tests/support/database/statements.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putFile, putVideos } from '#tests/support/media/videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

async function pick(server: ServerUnderTest, query: Record<string, string> = {}) {
  const reply = await server.get(`/api/video/top-left?${new URLSearchParams(query)}`);
  return { status: reply.statusCode, body: reply.json() };
}

async function pickedIds(server: ServerUnderTest, query: Record<string, string>, times = 12): Promise<string[]> {
  const ids = new Set<string>();
  for (let time = 0; time < times; time += 1) ids.add((await pick(server, query)).body.id);
  return [...ids].sort();
}

/** Three videos, of which the first two are red and the second and third are blue. */
async function startTagged(overrides: ServiceOverrides = {}) {
  const server = await startServer({ overrides });
  return server.services.idSets.write(async (transaction, changes) => {
    const [first, second, third] = (await storeVideos(transaction, changes, 3)) as [string, string, string];
    const red = await storeTag(transaction, changes, 'red', [first, second]);
    const blue = await storeTag(transaction, changes, 'blue', [second, third]);
    const gone = await storeTag(transaction, changes, 'gone', [third], 0);
    return { server, first, second, third, red, blue, gone };
  });
}

describe('a pick', () => {
  test('answers a video in the shape of the contract for each quadrant', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'one.mp4');
    const server = await startServer({ library: [folder] });
    for (const quadrant of quadrants) {
      const reply = await server.get(`/api/video/${quadrant}`);
      expect(pickReplySchema.parse(reply.json())).toMatchObject({
        available: true,
        path: 'one.mp4',
        filename: 'one.mp4',
        matching: 1,
        rendition: 'source',
      });
    }
  });

  test('carries an address that plays, whatever the name of the file', async () => {
    const folder = temporaryFolder();
    putVideos(folder, 'shows/one & two+ü%20#1.mp4');
    const server = await startServer({ library: [folder] });
    const { url, size } = (await pick(server)).body;
    const bytes = await server.get(url);
    expect(bytes.statusCode).toBe(200);
    expect(bytes.rawPayload.length).toBe(size);
  });

  test('carries the active tags of its video', async () => {
    const { server, first, second } = await startTagged();
    const { body } = await pick(server, { exclude: `${first},${second}` });
    expect(body.tags).toEqual([{ id: 'tag-blue', name: 'blue', color: '#3B82F6' }]);
  });

  test('for a quadrant that does not exist answers 404', async () => {
    const server = await startServer();
    for (const name of ['center', '__proto__', 'constructor', '..%2F']) {
      const reply = await server.get(`/api/video/${name}`);
      expect(reply.statusCode).toBe(404);
      expect(reply.json()).toEqual({ error: 'not_found', message: 'This quadrant does not exist.' });
    }
  });

  test('from an empty library answers 404 no_videos_available', async () => {
    const server = await startServer();
    expect(await pick(server)).toMatchObject({ status: 404, body: { error: 'no_videos_available' } });
  });

  test('says why when videos match and none of them can be played', async () => {
    const folder = temporaryFolder();
    putFile(folder, 'empty.mp4', '');
    const server = await startServer({ library: [folder] });
    const { status, body } = await pick(server);
    expect(status).toBe(200);
    expect(pickReplySchema.parse(body)).toMatchObject({
      available: false,
      message: 'This file is empty.',
      matching: 0,
    });
  });

  test('never draws a video that cannot be played while another one can', async () => {
    const server = await startServer();
    await server.services.idSets.write(async (transaction, changes) => {
      await storeVideos(transaction, changes, 1);
      await storeVideos(transaction, changes, 5, { available: 0, reason: 'truncated' });
    });
    expect(await pickedIds(server, {})).toEqual(['id-stored-fine-0.mp4']);
  });
});

describe('exclude', () => {
  test('keeps a video from being drawn while others are left', async () => {
    const { server, first, second, third } = await startTagged();
    expect(await pickedIds(server, { exclude: `${first},${second}` })).toEqual([third]);
  });

  test('is left aside when nothing else matches', async () => {
    const { server, first, second, third } = await startTagged();
    const ids = await pickedIds(server, { exclude: [first, second, third].join(',') }, 40);
    expect(ids).toEqual([first, second, third].sort());
  });

  test('leaves each of six videos of a channel to be drawn, beside all others that are shown elsewhere', async () => {
    const server = await startServer();
    const { ids, six } = await server.services.idSets.write(async (transaction, changes) => {
      const ids = await storeVideos(transaction, changes, 10);
      return { ids, six: await storeTag(transaction, changes, 'six', ids.slice(0, 6)) };
    });
    for (const last of ids.slice(0, 6)) {
      const exclude = ids.filter((id) => id !== last).join(',');
      expect((await pick(server, { tag_ids: six, exclude })).body).toMatchObject({ id: last, matching: 6 });
    }
  });

  test('does not change how many videos match', async () => {
    const { server, first } = await startTagged();
    expect((await pick(server, { exclude: first })).body.matching).toBe(3);
  });

  test('of more than 64 videos is refused', async () => {
    const server = await startServer();
    const { status, body } = await pick(server, {
      exclude: Array.from({ length: 65 }, (_, index) => `v${index}`).join(','),
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ error: 'validation_failed', details: [{ field: 'exclude' }] });
  });
});

describe('a filter', () => {
  test('by OR draws from videos with any of the tags', async () => {
    const { server, red, blue } = await startTagged();
    expect((await pick(server, { tag_ids: `${red},${blue}`, filter_mode: 'OR' })).body.matching).toBe(3);
  });

  test('by AND draws from videos with all of the tags', async () => {
    const { server, red, blue, second } = await startTagged();
    expect((await pick(server, { tag_ids: `${red},${blue}`, filter_mode: 'AND' })).body).toMatchObject({
      matching: 1,
      id: second,
    });
  });

  test('that is empty means all videos', async () => {
    const { server } = await startTagged();
    expect((await pick(server, { tag_ids: '' })).body.matching).toBe(3);
  });

  test('loses to a blocked tag', async () => {
    const { server, red, blue, first } = await startTagged();
    expect((await pick(server, { tag_ids: red, blocked_tag_ids: blue })).body).toMatchObject({
      matching: 1,
      id: first,
    });
  });

  test('by OR leaves out tags that are unknown or no longer active', async () => {
    const { server, red, gone } = await startTagged();
    expect((await pick(server, { tag_ids: `${red},${gone},nonsense` })).body.matching).toBe(2);
  });

  test.each([
    ['only unknown tags', { tag_ids: 'nonsense' }],
    ['only a tag that is no longer active', { tag_ids: 'tag-gone' }],
    ['AND with one unknown tag', { tag_ids: 'tag-red,nonsense', filter_mode: 'AND' }],
    ['every tag blocked', { tag_ids: 'tag-red', blocked_tag_ids: 'tag-red,tag-blue' }],
  ])('with %s answers 404', async (_, query: Record<string, string>) => {
    const { server } = await startTagged();
    expect(await pick(server, query)).toMatchObject({ status: 404, body: { error: 'no_videos_available' } });
  });

  test('of an unknown mode is refused', async () => {
    const server = await startServer();
    expect(await pick(server, { filter_mode: 'XOR' })).toMatchObject({
      status: 400,
      body: { details: [{ field: 'filter_mode' }] },
    });
  });

  test('of 200 tags and a blocklist of 500 is served', async () => {
    const { server } = await startTagged();
    const ids = (count: number) =>
      Array.from({ length: count }, (_, index) => `t${String(index).padStart(9, '0')}`).join(',');
    expect((await pick(server, { tag_ids: `tag-red,${ids(199)}`, blocked_tag_ids: ids(500) })).body.matching).toBe(2);
  });
});

describe('while the database does not answer', () => {
  /** From here on every statement is refused, as by a server that is down; ends it. */
  function cutOff(): () => void {
    const stop = watchStatements(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
    });
    onTestFinished(stop);
    return stop;
  }

  test('picks go on with videos that were drawn before, and never with one that is excluded while others are left', async () => {
    const { server, first, second, third } = await startTagged();
    expect(await pickedIds(server, {}, 30)).toEqual([first, second, third].sort());
    cutOff();
    expect(await pickedIds(server, { exclude: `${first},${second}` })).toEqual([third]);
    const { status, body } = await pick(server);
    expect([status, pickReplySchema.parse(body)]).toMatchObject([
      200,
      { available: true, matching: 3, tags: expect.any(Array) },
    ]);
  });

  test('a filter or blocklist that was used before still holds, and one that is not known is not guessed', async () => {
    const { server, red, blue, first } = await startTagged();
    await pickedIds(server, {}, 30);
    const own = { tag_ids: red, blocked_tag_ids: blue };
    await pick(server, own);
    cutOff();
    expect(await pickedIds(server, own)).toEqual([first]);
    expect(await pick(server, { blocked_tag_ids: `${red},${blue}` })).toMatchObject({
      status: 503,
      body: { error: 'unavailable' },
    });
  });

  test('a server that has drawn nothing yet says that it has to wait', async () => {
    const { server } = await startTagged();
    cutOff();
    const reply = await server.get('/api/video/top-left');
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '5']);
  });

  test('a video that is gone when it answers again is drawn no more', async () => {
    const clock = settableClock();
    const { server, first, second, third } = await startTagged({ clock });
    await pickedIds(server, {}, 30);
    const stop = cutOff();
    expect((await pick(server)).status).toBe(200);
    stop();
    await server.services.idSets.write(async (transaction, changes) => {
      const rows = await transaction
        .updateTable('videos')
        .set({ available: 0 })
        .where('id', '=', first)
        .returning('number')
        .execute();
      changes.remove('available', ...rows.map(({ number }) => number));
    });
    clock.pass(2_000);
    expect(await pickedIds(server, {}, 30)).toEqual([second, third].sort());
  });
});

test('every available video is drawn equally often', async () => {
  const videos = 20;
  const picks = 2_000;
  const server = await startServer({ overrides: { randomBelow: seededRandom(7) } });
  await server.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, videos));
  const counts = new Map<string, number>();
  for (let drawn = 0; drawn < picks; drawn += 1) {
    const { id } = (await server.get('/api/video/top-left')).json();
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  const expected = picks / videos;
  const chiSquare = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  expect(counts.size).toBe(videos);
  // 19 degrees of freedom: p = 0.001 beyond 43.8, p = 0.999 below 5.4.
  expect(chiSquare).toBeGreaterThan(5.4);
  expect(chiSquare).toBeLessThan(43.8);
});

/** mulberry32: the same numbers in each run. */
function seededRandom(seed: number): RandomBelow {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}
