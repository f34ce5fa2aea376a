import { sql } from 'kysely';
import { beforeEach, expect, inject, onTestFinished, test, vi } from 'vitest';
import { linksOf } from '#server/features/tagging/video-tags.ts';
import { bumpRevision } from '#server/http/pipeline/revision.ts';
import { putUntagged } from '#server/id-sets/tag-links.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const isPostgres = inject('database').kind === 'postgres';

/** Two nodes of one site that has two videos, of which the first has two channels. */
let nodes: [ServerUnderTest, ServerUnderTest];
let chief: Person;
let [first, second] = [0, 0];
let paths: string[] = [];

beforeEach(async () => {
  const options = { env: { ...(await migratedSite()), LIBRARY_DIRS: temporaryFolder() } };
  nodes = [await startServer(options), await startServer(options)];
  const [{ services }, other] = nodes;
  await services.idSets.write(async (transaction, changes) => {
    const ids = await storeVideos(transaction, changes, 2);
    for (const name of ['a', 'b']) await storeTag(transaction, changes, name, ids.slice(0, 1));
    await bumpRevision(transaction, 'tags');
    const rows = await transaction.selectFrom('videos').select(['number', 'path']).orderBy('number').execute();
    paths = rows.map(({ path }) => encodeURIComponent(path));
    [first = 0, second = 0] = rows.map(({ number }) => number);
    await putUntagged(transaction, changes, [first, second]);
  });
  await other.services.idSets.catchUp();
  chief = await putPerson(nodes[0], 'chief', 'admin');
});

/** Another node's transaction that takes the first channel off the first video, held open until `commit`. */
async function beginUntagging(node: ServerUnderTest): Promise<{ commit(): Promise<void> }> {
  const [written, going] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const ended = node.services.idSets.write(async (transaction, changes) => {
    const link = transaction.deleteFrom('video_tags').where('video_number', '=', first);
    const { number } = await transaction
      .selectFrom('tags')
      .select('number')
      .where('id', '=', 'tag-a')
      .executeTakeFirstOrThrow();
    await link.where('tag_number', '=', number).execute();
    changes.remove(number, first);
    await putUntagged(transaction, changes, [first]);
    written.resolve();
    await going.promise;
  }, linksOf(first));
  await Promise.race([written.promise, ended]);
  return {
    async commit() {
      going.resolve();
      await ended;
    },
  };
}

/** Work of one node either ends or waits for a lock of another. */
async function untilHeldOr(work: Promise<unknown>): Promise<void> {
  let isOver = false;
  void work.finally(() => {
    isOver = true;
  });
  await vi.waitFor(async () => expect(isOver || (await isSomebodyWaiting())).toBe(true));
}

async function isSomebodyWaiting(): Promise<boolean> {
  const [{ services: first }, { services: other }] = nodes;
  if (!isPostgres) return other.database.load().used > 0;
  const { rows } = await sql`select 1 from pg_stat_activity
    where datname = current_database() and wait_event_type = 'Lock'`.execute(first.database.reader);
  return rows.length > 0;
}

/** What both nodes count as without a channel, and what the tables say. */
async function readUntagged(): Promise<number[][]> {
  const [{ services }] = nodes;
  const tagged = services.database.reader.selectFrom('video_tags').select('video_number');
  const rows = await services.database.reader
    .selectFrom('videos')
    .select('number')
    .where('number', 'not in', tagged)
    .execute();
  const selection = { tags: [], mode: 'OR', blocked: [], isUntagged: true } as const;
  const counted = [];
  for (const node of nodes) {
    await node.services.idSets.catchUp();
    counted.push(node.services.idSets.page(selection, 0, 9).numbers);
  }
  return [rows.map(({ number }) => number).sort((one, other) => other - one), ...counted];
}

const untag = (node: ServerUnderTest, tag: string) =>
  node.call('DELETE', `/api/videos/${paths[0]}/tags/${tag}`, { headers: chief.headers });

test('a video whose last two channels go at once, on two nodes, is without a channel on both', async () => {
  const open = await beginUntagging(nodes[0]);
  const asked = untag(nodes[1], 'tag-b');
  await untilHeldOr(asked);
  await open.commit();
  expect((await asked).statusCode).toBe(204);
  const both = [second, first];
  expect(await readUntagged()).toEqual([both, both, both]);
});

test('work on more than one video begins when all who change the links of one have ended', async () => {
  const open = await beginUntagging(nodes[0]);
  const order: string[] = [];
  const alone = nodes[1].services.idSets.write(async () => order.push('the work'));
  await untilHeldOr(alone);
  order.push('the end of the others');
  await open.commit();
  await alone;
  expect(order).toEqual(['the end of the others', 'the work']);
});

test.runIf(isPostgres)('who tags one video does not wait for who tags another', async () => {
  const open = await beginUntagging(nodes[0]);
  onTestFinished(() => open.commit());
  const reply = await nodes[1].call('POST', `/api/videos/${paths[1]}/tags`, {
    headers: chief.headers,
    payload: { tag_ids: ['tag-a'] },
  });
  expect(reply.statusCode).toBe(200);
});

test('the same bytes that are completed on two nodes at once become one video', async () => {
  const [one, other] = nodes;
  const bytes = videoBytes('hue-000');
  const ada = await putUploader(one, 'ada');
  const uploads = await Promise.all(nodes.map((node) => SentUpload.start(node, ada, [{ file_size: bytes.length }])));
  // Both have looked for these bytes, and have found none, before either stores them.
  let arrived = 0;
  const bothHaveLooked = Promise.withResolvers<void>();
  for (const { services } of [one, other]) {
    const { storage } = services.uploads;
    const openWhole = storage.openWhole.bind(storage);
    storage.openWhole = async (...asked) => {
      const whole = await openWhole(...asked);
      const store = whole.store.bind(whole);
      whole.store = async () => {
        arrived += 1;
        if (arrived === 2) bothHaveLooked.resolve();
        await bothHaveLooked.promise;
        return store();
      };
      return whole;
    };
  }
  for (const upload of uploads) expect((await upload.put(bytes)).statusCode).toBe(201);
  const replies = await Promise.all(uploads.map((upload) => upload.complete(ada)));
  const ids = replies.map((reply) => reply.json().videos[0]?.id);
  expect([new Set(ids).size, ids.includes(undefined)]).toEqual([1, false]);
  const rows = await one.services.database.reader
    .selectFrom('videos')
    .select('id')
    .where('size', '=', bytes.length)
    .execute();
  expect(rows.length).toBe(1);
});
