import { beforeEach, expect, test } from 'vitest';
import { countStatements } from '#tests/support/database/statements.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { SettableClock } from '#tests/support/settable-clock.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** Two nodes with one video that is drawn, and one that no device plays. */
let one: ServerUnderTest;
let other: ServerUnderTest;
let clock: SettableClock;
let drawn = '';
let idle = '';

beforeEach(async () => {
  clock = settableClock();
  const options = { env: { ...(await migratedSite()), LIBRARY_DIRS: temporaryFolder() }, overrides: { clock } };
  [one, other] = [await startServer(options), await startServer(options)];
  await one.services.idSets.write(async (transaction, changes) => {
    [drawn = ''] = await storeVideos(transaction, changes, 1);
    [idle = ''] = await storeVideos(transaction, changes, 1, { available: 0, reason: 'codec' });
  });
  await other.services.idSets.catchUp();
});

const draw = async (node = other) => (await node.get('/api/video/top-left')).json();

let tagCount = 0;
async function putTagOn(video: string): Promise<void> {
  tagCount += 1;
  await one.services.idSets.write(async (transaction, changes) => {
    await storeTag(transaction, changes, `t${tagCount}`, [video]);
  });
  await other.services.idSets.catchUp();
}

test('a pick asks the database for nothing while the tags of other videos change', async () => {
  expect(await draw()).toMatchObject({ id: drawn });
  expect(await countStatements(draw, () => putTagOn(idle))).toBe(0);
});

test('picks that come at once read their rows together', async () => {
  const age = async () => clock.pass(2_000);
  const alone = await countStatements(draw, age);
  expect(alone).toBeGreaterThan(0);
  expect(await countStatements(() => Promise.all(Array.from({ length: 8 }, () => draw())), age)).toBeLessThan(
    2 * alone,
  );
});

test('a tag of the video itself is shown as soon as the sets have it, on either node', async () => {
  expect((await Promise.all([draw(one), draw()])).map(({ tags }) => tags)).toEqual([[], []]);
  await putTagOn(drawn);
  const name = `t${tagCount}`;
  expect((await Promise.all([draw(one), draw()])).map(({ tags }) => tags)).toMatchObject([[{ name }], [{ name }]]);
});

test('what no set tells is shown two seconds later', async () => {
  await draw();
  await one.services.database.write((transaction) =>
    transaction.updateTable('videos').set({ width: 640, height: 480 }).where('id', '=', drawn).execute(),
  );
  clock.pass(1_999);
  expect(await draw()).toMatchObject({ width: null });
  clock.pass(1);
  expect(await draw()).toMatchObject({ width: 640 });
});

test('a video that another node has hidden is given no more once the sets have caught up', async () => {
  await draw();
  await one.services.idSets.write(async (transaction, changes) => {
    const hiding = transaction.updateTable('videos').set({ available: 0, hidden_at: clock.now() });
    const video = hiding.where('id', '=', drawn).returning('number');
    changes.remove('available', (await video.executeTakeFirstOrThrow()).number);
  });
  await other.services.idSets.catchUp();
  expect(await draw()).not.toMatchObject({ id: drawn });
});
