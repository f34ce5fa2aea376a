import { expect, onTestFinished, test, vi } from 'vitest';
import type { Clock } from '#server/clock.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

/** Two nodes of one installation. @param clock of both, instead of the real one */
async function startNodes(clock?: Clock): Promise<[ServerUnderTest, ServerUnderTest]> {
  const env = await migratedSite();
  const library = temporaryFolder();
  const options = { env: { ...env, LIBRARY_DIRS: library }, overrides: clock === undefined ? {} : { clock } };
  return [await startServer(options), await startServer(options)];
}

/** Every node does so each second. */
const catchUp = ({ services }: ServerUnderTest) => services.idSets.catchUp();

test('a tag that is set on one node is listed, counted and drawn on the other as soon as it has caught up', async () => {
  const [one, other] = await startNodes();
  const [first = ''] = await one.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, 2));
  await catchUp(other);
  expect((await other.get('/api/tags')).json().tags).toEqual([]);
  await one.services.idSets.write(async (transaction, changes) => {
    await storeTag(transaction, changes, 'new', [first]);
    await bumpRevision(transaction, 'tags');
  });
  await catchUp(other);
  expect((await other.get('/api/tags')).json().tags).toMatchObject([{ id: 'tag-new', video_count: 1 }]);
  expect((await other.get('/api/video/top-left?tag_ids=tag-new')).json()).toMatchObject({ id: first, matching: 1 });
  expect((await other.get('/api/videos/by-tags?tag_ids=tag-new')).json()).toMatchObject({ total: 1 });
});

test('a tag that is set on one node is drawn on the other within two seconds, by itself', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  onTestFinished(() => void vi.useRealTimers());
  const clock = settableClock();
  const [one, other] = await startNodes(clock);
  const [first = ''] = await one.services.idSets.write((transaction, changes) => storeVideos(transaction, changes, 1));
  await catchUp(other);
  expect((await other.get('/api/video/top-left')).json()).toMatchObject({ id: first, tags: [] });
  await one.services.idSets.write(async (transaction, changes) => {
    await storeTag(transaction, changes, 'new', [first]);
    await bumpRevision(transaction, 'tags');
  });
  expect((await other.get('/api/video/top-left?tag_ids=tag-new')).statusCode).toBe(404);
  clock.pass(1_000);
  vi.advanceTimersByTime(2_000);
  // What the timers have begun comes to its end.
  const draw = async () => (await other.get('/api/video/top-left?tag_ids=tag-new')).json();
  await expect.poll(draw).toMatchObject({ id: first, tags: [{ name: 'new' }] });
});

test('a blocklist that is stored on one node holds on the other', async () => {
  const [one, other] = await startNodes();
  await one.services.idSets.write(async (transaction, changes) => {
    const stored = await storeVideos(transaction, changes, 2);
    await storeTag(transaction, changes, 'loud', stored.slice(1));
  });
  await catchUp(other);
  const { headers } = await putPerson(one, 'blocker');
  await one.call('PUT', '/users/blocklist', { headers, payload: { blocked_tag_ids: ['tag-loud'] } });
  expect((await other.get('/api/videos/by-tags', headers)).json()).toMatchObject({ total: 1 });
  expect((await other.get('/api/video/top-left', headers)).json()).toMatchObject({ matching: 1 });
});
