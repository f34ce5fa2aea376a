import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { pickReplySchema } from '#contract/entities/feed.ts';
import { toNeedBits, writeDeviceClass } from '#contract/rules/media-needs.ts';
import { storeEncoding, storeStoryboard } from '#tests/support/media/stored-encodings.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import { putPerson } from '#tests/support/people.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
copyFileSync(largeVideo(), join(folder, 'film.mp4'));
const server = await startServer({ library: [folder] }, afterFile);
const { headers: pro } = await putPerson(server, 'ada', 'pro');
// As if it were a film of many pixels, which only some devices play.
await server.services.idSets.write(async (transaction, changes) => {
  const needs = toNeedBits(['matroska']);
  const facts = { width: 3840, height: 2160, duration_ms: 500, needs };
  const { number } = await transaction
    .updateTable('videos')
    .set(facts)
    .where('path', '=', 'film.mp4')
    .returning('number')
    .executeTakeFirstOrThrow();
  changes.put('available', [number], true);
});
const playsMatroska = { cookie: `plays=${writeDeviceClass(toNeedBits(['matroska']))}` };

const counted = vi.spyOn(server.services.encodings, 'countPick');
afterAll(() => counted.mockRestore());
beforeEach(() => void counted.mockClear());

async function pick(query = '', headers: Record<string, string> = playsMatroska) {
  const reply = pickReplySchema.parse((await server.get(`/api/video/top-left${query}`, headers)).json());
  if (!reply.available) throw new Error(reply.message);
  return reply;
}

describe('before anything is encoded', () => {
  test('a pick gives the source, and counts that a quadrant needs less', async () => {
    const { rendition, renditions } = await pick();
    expect(rendition).toBe('source');
    const needs = toNeedBits(['matroska']);
    expect(renditions).toMatchObject([{ name: 'source', width: 3840, height: 2160, needs }]);
    expect(counted).toHaveBeenCalledTimes(1);
  });

  test('a pick for a large element counts nothing', async () => {
    await pick('?width=3840&height=2160');
    expect(counted).not.toHaveBeenCalled();
  });
});

describe('once there are encodings', () => {
  const bytes = { grid: Buffer.from('bytes of grid'), hd: Buffer.from('bytes of hd') };
  const store = () =>
    Promise.all([
      storeEncoding(server, 'film.mp4', 'grid', bytes.grid),
      storeEncoding(server, 'film.mp4', 'hd', bytes.hd),
    ]);

  test('a pick names the grid, whose address gives its bytes, and counts nothing', async () => {
    await store();
    const { rendition, renditions, url } = await pick();
    expect(rendition).toBe('grid');
    expect(renditions).toEqual([{ name: 'grid', bytes: bytes.grid.length, width: 960, height: 540 }]);
    expect((await server.get(url)).rawPayload.equals(bytes.grid)).toBe(true);
    expect(counted).not.toHaveBeenCalled();
  });

  test('a pick of a viewer with HD is as large as the element, the network and their wish to save allow', async () => {
    await store();
    const asked = async (query: string) => (await pick(query, { ...pro, ...playsMatroska })).rendition;
    expect(await asked('?width=1920&height=1080')).toBe('hd');
    expect(await asked('?width=1920&height=1080&saves=1')).toBe('grid');
    expect(await asked('?width=480&height=270')).toBe('grid');
    expect(await asked('?width=3840&height=2160')).toBe('source');
    expect((await pick('?width=3840&height=2160')).rendition).toBe('grid');
  });

  test('a device that lacks what the source needs hears of its encodings alone', async () => {
    await store();
    const { renditions } = await pick('?width=3840&height=2160', pro);
    expect(renditions.map(({ name }) => name).sort()).toEqual(['grid', 'hd']);
  });

  test('a cookie that is no class counts as a device that has told nothing', async () => {
    await store();
    for (const plays of ['%00', '-1', 'zzzzzzzzzz', '1.5', ''])
      expect((await pick('', { ...pro, cookie: `plays=${plays}` })).renditions.length).toBe(2);
  });

  test('a pick carries the sheet of stills', async () => {
    expect((await pick()).storyboard).toBeNull();
    const content = await storeStoryboard(server, 'film.mp4', Buffer.from('a sheet'));
    const { id, storyboard } = await pick();
    expect(storyboard).toEqual({
      url: `/api/videos/${id}/storyboard?version=${content}`,
      columns: 10,
      rows: 2,
      tile_width: 160,
      tile_height: 90,
      interval_seconds: 2.5,
    });
  });
});
