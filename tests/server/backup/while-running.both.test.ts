import { setImmediate as breathe } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Services } from '#server/services/services.ts';
import { backUp, check, restore } from '#tests/support/backup/commands.ts';
import { archiveName, emptyPlace, filledPlace, withDatabase } from '#tests/support/backup/site.ts';
import { putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** One transaction: a video, its tag, and how many there were so far. */
async function writeOne({ idSets }: Services, count: number): Promise<void> {
  await idSets.write(async (transaction, changes) => {
    const { number } = await transaction
      .insertInto('videos')
      .values({
        id: `beside-${count}`,
        root_number: 3,
        path: `beside/${count}`,
        filename: 'a',
        size: 1,
        modified_us: 1,
        available: 0,
        created_at: 1,
      })
      .returning('number')
      .executeTakeFirstOrThrow();
    await transaction.insertInto('video_tags').values({ video_number: number, tag_number: 21 }).execute();
    await transaction
      .updateTable('settings')
      .set({ value: String(count) })
      .where('name', '=', 'counted')
      .execute();
    changes.add(21, number);
  });
}

test('a backup beside a scan and writes is of one moment: all of a transaction, or nothing', async () => {
  const [from, to, file] = [await filledPlace(), await emptyPlace(), archiveName()];
  await withDatabase(from, ({ write }) =>
    write((transaction) =>
      transaction.insertInto('settings').values({ name: 'counted', value: '0', updated_at: 1 }).execute(),
    ),
  );
  const library = temporaryFolder();
  putVideos(library, ...Array.from({ length: 20 }, (_, at) => `${at}.mp4`));
  const env = {
    DATA_DIR: from.dataFolder,
    LIBRARY_DIRS: library,
    ...(from.address.kind === 'sqlite' ? {} : { DATABASE_URL: from.address.url }),
  };
  const { services } = await startServer({ env });
  let isOver = false;
  let count = 1;
  await writeOne(services, count);
  const writing = (async () => {
    while (!isOver) {
      count += 1;
      await writeOne(services, count);
      await breathe();
    }
  })();
  const scanning = services.scanner.request();
  await backUp(from, file);
  const countedAtEnd = count;
  isOver = true;
  await Promise.all([writing, scanning]);
  expect((await check(file)).head.database).toBe(from.address.kind);

  await restore(file, to);
  const found = await withDatabase(to, async ({ reader }) => {
    const setting = await reader
      .selectFrom('settings')
      .select('value')
      .where('name', '=', 'counted')
      .executeTakeFirst();
    const videos = await reader.selectFrom('videos').select('number').where('path', 'like', 'beside/%').execute();
    const links = await reader
      .selectFrom('video_tags')
      .innerJoin('videos', 'videos.number', 'video_tags.video_number')
      .select('number')
      .where('path', 'like', 'beside/%')
      .execute();
    return { counted: Number(setting?.value), videos: videos.length, links: links.length };
  });
  expect(found).toEqual({ counted: found.counted, videos: found.counted, links: found.counted });
  expect(found.counted).toBeGreaterThan(0);
  expect(found.counted).toBeLessThanOrEqual(countedAtEnd);
});
