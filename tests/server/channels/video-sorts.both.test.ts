import { expect, test } from 'vitest';
import { videoListSchema } from '#contract/entities/tagging.ts';
import { libraryRepository } from '#server/features/library/library-repository.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const clock = settableClock();
const server = await startServer({ env: await migratedSite(afterFile), overrides: { clock } }, afterFile);
const { database, idSets, plays, playbackHealth } = server.services;

/** Four videos, oldest first; of the last nothing is known but its size, which is that of the one before it. */
const forms = [
  { duration_ms: 61_000, size: 7, recorded_at: -86_400_000 },
  { duration_ms: 5_000_000_000, size: 5_000_000_000, recorded_at: 1_700_000_000_000 },
  { duration_ms: 60_999, size: 6, recorded_at: 1_700_000_000_001 },
  { size: 6 },
];
const ids = await idSets.write(async (transaction, changes) => {
  const stored: string[] = [];
  for (const [index, form] of forms.entries()) {
    const path = `${index}.mp4`;
    stored.push(...(await storeVideos(transaction, changes, 1, { id: path, path, filename: path, ...form })));
  }
  await storeTag(transaction, changes, 'red', stored.slice(1));
  return stored;
});

const list = async (sort: string, rest = '') => {
  const reply = videoListSchema.parse((await server.get(`/api/videos/by-tags?sort_by=${sort}${rest}`)).json());
  return reply.videos.map(({ id }) => ids.indexOf(id)).join();
};
const write = () => playbackHealth.write();

test('videos are listed by when they were recorded, by length and by size, what is not known or equal newest first', async () => {
  expect(await list('recorded')).toBe('2,1,0,3');
  expect(await list('longest')).toBe('1,0,2,3');
  expect(await list('largest')).toBe('1,0,3,2');
  expect(await list('longest', '&limit=2&page=2')).toBe('2,3');
  expect(await list('largest', '&tag_ids=tag-red')).toBe('1,3,2');
  expect(await list('longest', '&search=mp4')).toBe('1,0,2,3');
  expect((await server.get('/api/videos/by-tags?sort_by=random')).statusCode).toBe(400);
});

test('a video moves in these lists, and between lengths and shapes, when its file has changed', async () => {
  expect(await list('longest')).toBe('1,0,2,3');
  const { number } = await database.reader
    .selectFrom('videos')
    .select('number')
    .where('id', '=', '3.mp4')
    .executeTakeFirstOrThrow();
  const replace = (facts: { size: number; duration_ms: number | null; width: number; height: number }) =>
    idSets.write((transaction, changes) =>
      libraryRepository.update(transaction, changes, { number, needs: 0 }, {
        ...{ filename: '3.mp4', path: '3.mp4', modified_us: 2, inode: null, fingerprint: null, reason: null },
        ...{ container: null, video_codec: null, audio_codec: null, bit_depth: null, chroma: null, needs: 0 },
        ...{ header_version: 1, missing_since: null, root_number: 1, ...facts },
      } as Parameters<typeof libraryRepository.update>[3]),
    );
  await replace({ size: 100, duration_ms: 9_000_000_000, width: 9, height: 16 });
  expect(await list('longest')).toBe('3,1,0,2');
  expect(await list('largest')).toBe('1,3,0,2');
  expect(await list('newest', '&tag_ids=is:long,is:upright')).toBe('3');
  await replace({ size: 1, duration_ms: 1, width: 16, height: 9 });
  expect(await list('longest')).toBe('1,0,2,3');
  expect(await list('newest', '&tag_ids=is:long,is:upright')).toBe('');
  expect(await list('newest', '&tag_ids=is:short,is:wide')).toBe('3');
});

test('the most played videos come first, and the others newest first', async () => {
  expect(await list('played')).toBe('3,2,1,0');
  plays.add('1.mp4', 2_000);
  plays.add('made-up', 9_000);
  await write();
  plays.add('0.mp4', 1_000);
  plays.add('1.mp4', 500);
  await write();
  clock.pass(30_000);
  expect(await list('played')).toBe('1,0,3,2');
  plays.add('0.mp4', 2_000);
  await write();
  expect(await write()).toBe(false);
  clock.pass(30_000);
  expect(await list('played')).toBe('0,1,3,2');
  expect(await list('played', '&limit=1&page=3')).toBe('3');
  expect(await list('played', '&tag_ids=tag-red')).toBe('1,3,2');
  const rows = await database.reader.selectFrom('video_plays').select('played_ms').orderBy('played_ms').execute();
  expect(rows.map(({ played_ms }) => played_ms)).toEqual([2_500, 3_000]);
});
