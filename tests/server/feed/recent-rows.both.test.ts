import { beforeEach, expect, test } from 'vitest';
import { encodingRepository } from '#server/features/videos/encoding-repository.ts';
import { posterRepository } from '#server/features/videos/poster-repository.ts';
import { countStatements } from '#tests/support/database/statements.ts';
import { migratedSite } from '#tests/support/database/test-database.ts';
import { storeEncoding, storeStoryboard } from '#tests/support/media/stored-encodings.ts';
import { storeTag, storeVideos } from '#tests/support/media/stored-videos.ts';
import { putPerson } from '#tests/support/people.ts';
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
  const age = async () => clock.pass(300_000);
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

test('what the log of the sets does not tell is shown five minutes later', async () => {
  await draw();
  await one.services.database.write((transaction) =>
    transaction.updateTable('videos').set({ width: 640, height: 480 }).where('id', '=', drawn).execute(),
  );
  clock.pass(299_999);
  expect(await draw()).toMatchObject({ width: null });
  clock.pass(1);
  expect(await draw()).toMatchObject({ width: 640 });
});

const path = 'stored-fine-0.mp4';
const file = { size: 1, modified_us: 1, content: 'c'.repeat(40) };
const german = { rendition: 'grid', track: 1, language: 'de', bytes: 1, width: 320, height: 180 } as const;

const numberOf = async (id: string) => {
  const found = one.services.database.reader.selectFrom('videos').select('number').where('id', '=', id);
  return (await found.executeTakeFirstOrThrow()).number;
};

async function putPoster(): Promise<void> {
  const row = { video_number: await numberOf(drawn), ...file, reason: null, made_at: 1 };
  await one.services.idSets.write((transaction, changes) => posterRepository.put(transaction, changes, row));
}

async function edit(payload: { title: string } | { name: string; color: string }): Promise<void> {
  const admin = await putPerson(one, 'keeper', 'admin');
  const url = 'title' in payload ? `/api/videos/${drawn}/details` : '/api/tags/tag-Alps';
  expect((await one.call('PUT', url, { headers: admin.headers, payload })).statusCode).toBe(200);
}

const putAlps = () =>
  one.services.idSets.write((transaction, changes) => storeTag(transaction, changes, 'Alps', [drawn]));

const removeAlps = async () => {
  const admin = await putPerson(one, 'keeper', 'admin');
  expect((await one.call('DELETE', '/api/tags/tag-Alps', { headers: admin.headers })).statusCode).toBe(204);
};

const told: { what: string; before?(): Promise<unknown>; change(): Promise<unknown>; shown: object }[] = [
  { what: 'a poster', change: putPoster, shown: { poster_url: expect.stringContaining(file.content) } },
  {
    what: 'a poster whose file is missing',
    before: putPoster,
    change: async () => expect((await one.get(`/api/videos/${drawn}/poster`)).statusCode).toBe(404),
    shown: { poster_url: null },
  },
  {
    what: 'posters that were deleted',
    before: putPoster,
    change: () => one.services.posters.clear(),
    shown: { poster_url: null },
  },
  {
    what: 'stills of the video',
    change: () => storeStoryboard(one, path, Buffer.from('sheet')),
    shown: { storyboard: { columns: 10 } },
  },
  {
    what: 'stills whose file is missing',
    before: async () => {
      const content = await storeStoryboard(one, path, Buffer.from('lost sheet'));
      await one.services.derivedFiles.remove(content, '.webp');
    },
    change: () => one.get(`/api/videos/${drawn}/storyboard`),
    shown: { storyboard: null },
  },
  {
    what: 'an encoding',
    change: () => storeEncoding(one, path, 'grid', Buffer.from('encoding')),
    shown: { renditions: [{ name: 'grid' }] },
  },
  {
    what: 'an encoding with another audio track',
    change: async () => {
      const row = { video_number: await numberOf(drawn), ...file, ...german, made_at: 1, used_at: 1 };
      await one.services.idSets.write((transaction, changes) => encodingRepository.putAudio(transaction, changes, row));
    },
    shown: { audio_track: 1 },
  },
  { what: 'a title', change: () => edit({ title: 'Low tide' }), shown: { title: 'Low tide' } },
  {
    what: 'the name and the color of a tag',
    before: putAlps,
    change: () => edit({ name: 'Peaks', color: '#112233' }),
    shown: { tags: [{ id: 'tag-Alps', name: 'Peaks', color: '#112233' }] },
  },
  { what: 'the removal of a tag', before: putAlps, change: removeAlps, shown: { tags: [] } },
];

test.each(told)('$what, changed on one node, is shown on the other as soon as it reads the log', async (told) => {
  await told.before?.();
  await other.services.idSets.catchUp();
  const draw = async () => (await other.get('/api/video/top-left?audio_language=de')).json();
  clock.pass(1_000);
  expect(await draw()).not.toMatchObject(told.shown);
  expect(await countStatements(draw)).toBe(0);
  await told.change();
  await other.services.idSets.catchUp();
  // The revision of the tags is read once a second.
  clock.pass(1_000);
  expect(await draw()).toMatchObject(told.shown);
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
