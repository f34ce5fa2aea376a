import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hiddenIdsSchema, statusSchema } from '#contract/entities/feed.ts';
import {
  removedUploadListSchema,
  uploadCompletedSchema,
  uploadHistorySchema,
  uploadKeySchema,
  uploadStatsSchema,
} from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { quadrants } from '#contract/quadrants.ts';
import { rankOfViewer } from '#contract/rules/tag.ts';
import { lateMs } from '#server/database/sweep-time.ts';
import { tagEdits } from '#server/features/tags/edit-tags.ts';
import { uploadSessionRepository } from '#server/features/uploads/session-repository.ts';
import { keptMs, uploadRemoval } from '#server/features/uploads/stored/upload-removal.ts';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import type { Person } from '#tests/support/people.ts';
import { personOf, signIn } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import type { StoredUpload } from '#tests/support/stored-uploads.ts';
import { openUpload, storeUpload, uniqueFilm } from '#tests/support/stored-uploads.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { initiate, putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';
import { differences, readTruth, startNode } from '../id-sets/id-sets-library.ts';

const clock = settableClock();
const library = temporaryFolder(afterFile);
let server: ServerUnderTest;
let ada: Person;
let bob: Person;
let boss: Person;

beforeAll(async () => {
  writeFileSync(join(library, 'here.mp4'), videoBytes('brief-300'));
  const env = { UPLOAD_QUOTA_GB: '0.1' };
  server = await startServer({ library: [library], overrides: { clock }, env }, afterFile);
  ada = await putUploader(server, 'ada');
  bob = await putUploader(server, 'bob');
  boss = await putUploader(server, 'boss', 'admin');
});

const reader = () => server.services.database.reader;
function remove({ id }: { id: string }, { headers }: Person) {
  // No two removals at the same instant.
  clock.pass(1);
  return server.call('DELETE', `/api/upload/file/${id}`, { headers });
}
const restore = ({ id }: { id: string }, { headers } = boss) =>
  server.call('POST', `/api/admin/uploads/removed/${id}/restore`, { headers });
const purge = ({ id }: { id: string }, { headers } = boss) =>
  server.call('DELETE', `/api/admin/uploads/removed/${id}`, { headers });

async function statusOf(reply: ReturnType<typeof remove>): Promise<number> {
  return (await reply).statusCode;
}

async function listRemoved(query = '') {
  return removedUploadListSchema.parse((await server.get(`/api/admin/uploads/removed${query}`, boss.headers)).json());
}

async function historyOf({ headers }: Person) {
  return uploadHistorySchema.parse((await server.get('/api/upload/history?limit=100', headers)).json()).uploads;
}

async function statsOf({ headers }: Person) {
  return uploadStatsSchema.parse((await server.get('/api/upload/stats', headers)).json());
}

async function videoOf({ file }: StoredUpload) {
  const path = file.split('/').slice(-2).join('/');
  return reader().selectFrom('videos').selectAll().where('path', '=', path).executeTakeFirst();
}

async function entriesOf(...uploads: StoredUpload[]) {
  const rows = await reader()
    .selectFrom('upload_files')
    .select(['id', 'stored_bytes', 'video_number', 'removed_at'])
    .where(
      'id',
      'in',
      uploads.map(({ id }) => id),
    )
    .execute();
  return uploads.map(({ id }) => rows.find((row) => row.id === id));
}

/** Somebody sends bytes that are there already. */
async function sendAgain(person: Person, bytes: Buffer): Promise<StoredUpload> {
  const upload = await SentUpload.start(server, person, [{ file_size: bytes.length }]);
  await upload.put(bytes);
  expect(uploadCompletedSchema.parse((await upload.complete(person)).json()).success).toBe(true);
  return { id: upload.session.files[0]?.id ?? '', sessionId: upload.id, file: '' };
}

async function expectSetsAgree(): Promise<void> {
  expect(differences(server.services.idSets, await readTruth(server.services.database))).toEqual([]);
}

async function tagNamed(name: string, videoIds: string[] = []): Promise<string> {
  return server.services.idSets.write((transaction, changes) => storeTag(transaction, changes, name, videoIds));
}

describe('a video that its owner removes', () => {
  test('is drawn, listed, found and served for nobody from then on, and clients hear of it', async () => {
    const upload = await storeUpload(server, ada.id, { filename: 'Aurora.mp4' });
    const video = await videoOf(upload);
    const tag = await tagNamed('sky', [video?.id ?? '']);
    const path = server.services.places.pathOf({ rootNumber: video?.root_number ?? 0, path: video?.path ?? '' });
    const stream = () => statusOf(server.get(`/api/video/stream?path=${encodeURIComponent(path)}`));
    const revision = async () => String((await server.get('/api/status')).headers['x-revision']);
    const counted = async () => statusSchema.parse((await server.get('/api/status')).json()).TotalVideos;
    const [before, total] = [await revision(), await counted()];
    expect(await stream()).toBe(200);

    expect(await statusOf(remove(upload, ada))).toBe(204);

    const after = await revision();
    const bumped = after.split('.').map((value, at) => Number(value) - Number(before.split('.')[at]));
    expect(bumped).toEqual([0, 1, 1]);
    expect([await stream(), await counted()]).toEqual([404, total - 1]);
    expect((await server.get(`/api/videos/by-tags?tag_ids=${tag}`)).json().total).toBe(0);
    expect((await server.get(`/api/video/top-left?tag_ids=${tag}`)).statusCode).toBe(404);
    expect((await server.get(`/api/videos/${video?.id}/poster`)).statusCode).toBe(404);
    const asked = await server.get(`/api/videos/hidden?ids=${video?.id}`);
    expect(hiddenIdsSchema.parse(asked.json()).hidden).toEqual([video?.id]);
    expect(existsSync(upload.file)).toBe(true);
    await expectSetsAgree();
  });

  test('leaves the history and the counts of its owner, who is told the same twice as a stranger is', async () => {
    const upload = await storeUpload(server, ada.id);
    const { completed } = await statsOf(ada);
    await remove(upload, ada);
    expect((await historyOf(ada)).map(({ id }) => id)).not.toContain(upload.id);
    expect((await statsOf(ada)).completed).toBe(completed - 1);
    const unknown = await remove({ id: '0197f000-0000-7000-8000-000000000000' }, ada);
    const again = await remove(upload, ada);
    expect([again.statusCode, again.body]).toEqual([404, unknown.body]);
  });

  test('is recorded with who did it', async () => {
    const upload = await storeUpload(server, ada.id, { filename: 'Recorded.mp4' });
    await remove(upload, ada);
    await restore(upload);
    await remove(upload, ada);
    await purge(upload);
    const rows = await reader().selectFrom('activities').selectAll().where('subject', '=', 'Recorded.mp4').execute();
    expect(rows.map(({ actor, kind }) => `${actor} ${kind}`)).toEqual([
      'ada upload_removed',
      'boss upload_restored',
      'ada upload_removed',
      'boss upload_purged',
    ]);
  });

  test('leaves no name behind that the index of names would wait for', async () => {
    const upload = await storeUpload(server, ada.id, { filename: 'Quince.mp4' });
    await remove(upload, ada);
    await server.services.nameIndex.fill();
    expect(await reader().selectFrom('unindexed_names').selectAll().execute()).toEqual([]);
    await restore(upload);
    await server.services.nameIndex.fill();
    const found = await server.get('/api/videos/by-tags?search=quince');
    expect(found.json()).toMatchObject({ total: 1, videos: [{ filename: 'Quince.mp4' }] });
  });

  test('takes its poster with it', async () => {
    const upload = await storeUpload(server, ada.id);
    const video = await videoOf(upload);
    const content = 'ab'.repeat(20);
    await server.services.database.write((transaction) =>
      transaction
        .insertInto('posters')
        .values({ video_number: video?.number ?? 0, size: 1, modified_us: 1, content, reason: null, made_at: 1 })
        .execute(),
    );
    const discarded: string[] = [];
    const { uploads } = server.services;
    const { posters } = uploads;
    uploads.posters = { ...posters, discard: async (name) => void discarded.push(name) };
    onTestFinished(() => {
      uploads.posters = posters;
    });
    await remove(upload, ada);
    expect(discarded).toEqual([content]);
    const left = await reader().selectFrom('posters').selectAll().where('content', '=', content).execute();
    expect(left).toEqual([]);
    // A disk that fails then does not bring the video back.
    uploads.posters = { ...posters, discard: () => Promise.reject(new Error('EIO')) };
    await restore(upload);
    await server.services.database.write(async (transaction) => {
      const video_number = (await videoOf(upload))?.number ?? 0;
      const row = { video_number, size: 1, modified_us: 1, content, reason: null, made_at: 1 };
      await transaction.insertInto('posters').values(row).execute();
    });
    expect(await statusOf(remove(upload, ada))).toBe(204);
  });

  test('never gives its number to another one', async () => {
    const upload = await storeUpload(server, ada.id);
    const number = (await videoOf(upload))?.number ?? 0;
    await remove(upload, ada);
    expect((await videoOf(await storeUpload(server, ada.id)))?.number).toBeGreaterThan(number);
  });
});

describe('whoever', () => {
  test('did not send it and is no administrator is told that it does not exist', async () => {
    const upload = await storeUpload(server, ada.id);
    const unknown = await remove({ id: '0197f000-0000-7000-8000-000000000000' }, bob);
    const others = await remove(upload, bob);
    expect([others.statusCode, others.body]).toEqual([404, unknown.body]);
    expect(await statusOf(server.call('DELETE', `/api/upload/file/${upload.id}`))).toBe(401);
    expect(await videoOf(upload)).toBeDefined();
  });

  test('is an administrator removes it from everybody: the others read so', async () => {
    const bytes = uniqueFilm();
    const first = await storeUpload(server, ada.id, { bytes });
    const second = await sendAgain(bob, bytes);
    expect(await statusOf(remove(second, boss))).toBe(204);
    expect(await videoOf(first)).toBeUndefined();
    const mine = (await historyOf(ada)).find(({ id }) => id === first.id);
    expect(mine).toMatchObject({ video_id: null, error: 'This video has been removed.' });
    expect((await historyOf(bob)).map(({ id }) => id)).not.toContain(second.id);
    expect((await entriesOf(first))[0]?.stored_bytes).toBe(bytes.length);
    await restore(first);
    const [one, two] = await entriesOf(first, second);
    expect([one?.video_number, two?.removed_at]).toEqual([two?.video_number, null]);
  });

  test('sent bytes that others have sent, too, removes the entry alone, and passes on what is stored', async () => {
    const bytes = uniqueFilm();
    const first = await storeUpload(server, ada.id, { bytes });
    const second = await sendAgain(bob, bytes);
    await remove(first, ada);
    expect(await videoOf(first)).toBeDefined();
    expect((await entriesOf(first, second)).map((entry) => entry?.stored_bytes)).toEqual([0, bytes.length]);
    await remove(second, bob);
    expect(await videoOf(first)).toBeUndefined();
    expect((await listRemoved()).uploads[0]).toMatchObject({ id: first.id, uploaded_by: 'bob', removed_by: 'bob' });
    expect(await statusOf(restore(first))).toBe(204);
    const [gone, there] = await entriesOf(first, second);
    expect([gone?.video_number, there?.video_number]).toEqual([null, (await videoOf(first))?.number]);
  });

  test('sent bytes of the library removes the entry alone, as an administrator does: its file is never touched', async () => {
    const file = join(library, 'here.mp4');
    const bytes = readFileSync(file);
    for (const remover of [ada, boss]) {
      const entry = await sendAgain(ada, bytes);
      expect(await statusOf(remove(entry, remover))).toBe(204);
      expect((await historyOf(ada)).map(({ id }) => id)).not.toContain(entry.id);
      for (const act of [restore, purge]) expect(await statusOf(act(entry))).toBe(404);
    }
    expect(readFileSync(file).equals(bytes)).toBe(true);
    expect(await server.services.places.find('here.mp4')).toMatchObject({ isAvailable: true });
  });

  test('removes what is still coming cancels it', async () => {
    const upload = await SentUpload.start(server, ada, [{}, {}]);
    await upload.patch(0, Buffer.alloc(300));
    const id = upload.session.files[0]?.id ?? '';
    expect(await statusOf(remove({ id }, ada))).toBe(204);
    expect(await upload.storedBytes()).toBeNull();
    expect((await historyOf(ada)).map((entry) => entry.id)).not.toContain(id);
    expect((await upload.patch(300, Buffer.alloc(10))).statusCode).toBe(410);
    expect(await upload.offset(1)).toBe(0);
  });

  test('removes what has failed: the entry goes', async () => {
    const upload = await SentUpload.start(server, ada, [{ file_size: 10 }]);
    await upload.put(Buffer.from('no video!!'));
    await upload.complete(ada);
    const id = upload.session.files[0]?.id ?? '';
    expect((await historyOf(ada)).find((entry) => entry.id === id)).toMatchObject({ status: 'failed' });
    expect(await statusOf(remove({ id }, ada))).toBe(204);
    expect((await historyOf(ada)).map((entry) => entry.id)).not.toContain(id);
  });

  test('asks to complete the session again reads that the video has been removed', async () => {
    const bytes = uniqueFilm();
    const upload = await SentUpload.start(server, ada, [{ file_size: bytes.length }]);
    await upload.put(bytes);
    await upload.complete(ada);
    await remove({ id: upload.session.files[0]?.id ?? '' }, ada);
    const completed = uploadCompletedSchema.parse((await upload.complete(ada)).json());
    expect(completed.files).toMatchObject([{ video_id: null, message: 'This video has been removed.' }]);
  });
});

describe('a removed video', () => {
  test('is listed for administrators with who and until when, the latest first', async () => {
    const leaver = await putUploader(server, 'guest');
    const upload = await storeUpload(server, leaver.id, { filename: 'Listed.mp4' });
    await remove(upload, leaver);
    const { total, uploads } = await listRemoved('?limit=1');
    const [listed] = uploads;
    expect(total).toBeGreaterThan(1);
    expect(listed).toMatchObject({ id: upload.id, filename: 'Listed.mp4', uploaded_by: 'guest', removed_by: 'guest' });
    expect(Date.parse(listed?.kept_until ?? '') - Date.parse(listed?.removed_at ?? '')).toBe(
      limits.uploadKeptDays * 86_400_000,
    );
    await server.call('DELETE', `/users/admin/${leaver.id}`, { headers: boss.headers });
    expect((await listRemoved('?limit=1')).uploads[0]).toMatchObject({ uploaded_by: null, removed_by: null });
    for (const act of [() => restore(upload, ada), () => purge(upload, ada)]) expect(await statusOf(act())).toBe(403);
  });

  test('comes back under its id and path, with the tags that there still are, and points of entries', async () => {
    const [kept, merged, gone] = await Promise.all(['kept', 'merged', 'gone'].map((name) => tagNamed(name)));
    const tagIds = [kept ?? '', merged ?? '', gone ?? ''];
    const upload = await storeUpload(server, ada.id, { tagIds });
    const before = await videoOf(upload);
    await remove(upload, ada);
    await tagEdits.delete(server.services, gone ?? '', { userId: boss.id, rank: rankOfViewer('admin') });
    const into = await tagNamed('survivor');
    const numbers = await reader().selectFrom('tags').select(['id', 'number']).execute();
    const numberOf = (id: string) => numbers.find((tag) => tag.id === id)?.number ?? 0;
    await server.services.database.write((transaction) =>
      transaction
        .updateTable('tags')
        .set({ active: 0, merged_into: numberOf(into) })
        .where('id', '=', merged ?? '')
        .execute(),
    );
    expect(await statusOf(restore(upload))).toBe(204);
    const after = await videoOf(upload);
    expect(after).toEqual({ ...before, number: after?.number });
    expect(after?.number).toBeGreaterThan(before?.number ?? 0);
    const links = await reader()
      .selectFrom('video_tags')
      .select('tag_number')
      .where('video_number', '=', after?.number ?? 0)
      .execute();
    expect(links.map((link) => link.tag_number).sort()).toEqual([numberOf(kept ?? ''), numberOf(into)].sort());
    expect((await historyOf(ada)).find(({ id }) => id === upload.id)).toMatchObject({ video_id: before?.id });
    await expectSetsAgree();
    expect([await statusOf(restore(upload)), await statusOf(purge(upload))]).toEqual([404, 404]);
  });

  test('that was hidden or cannot be played comes back so', async () => {
    const hidden = await storeUpload(server, ada.id, { needsApproval: true });
    const old = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST'), Buffer.alloc(2_000), uniqueFilm()]);
    const unplayable = await storeUpload(server, ada.id, { bytes: old, filename: 'old.avi' });
    for (const upload of [hidden, unplayable]) {
      const before = await videoOf(upload);
      await remove(upload, ada);
      await restore(upload);
      const after = await videoOf(upload);
      expect(after).toEqual({ ...before, number: after?.number });
      expect(after?.available).toBe(0);
    }
    await expectSetsAgree();
  });

  test('without its file cannot come back, and can be purged', async () => {
    const upload = await storeUpload(server, ada.id);
    await remove(upload, ada);
    rmSync(upload.file);
    expect(await statusOf(restore(upload))).toBe(409);
    expect(await videoOf(upload)).toBeUndefined();
    expect([await statusOf(purge(upload)), await statusOf(purge(upload))]).toEqual([204, 404]);
  });

  test('counts in the quota until an administrator purges it', async () => {
    const person = await putUploader(server, 'quota');
    const upload = await storeUpload(server, person.id);
    // Bytes of people who are gone count as everybody's.
    const left = 40_000_000 - (await uploadSessionRepository.sumOwnerlessBytes(reader(), 0, clock.now()));
    const [files, tooMany] = [[{ file_size: left }], [{ file_size: left + 1 }]];
    await server.services.database.write((transaction) =>
      transaction.updateTable('upload_files').set({ stored_bytes: 60_000_000 }).where('id', '=', upload.id).execute(),
    );
    await remove(upload, person);
    const refused = await initiate(server, person, tooMany);
    expect([refused.statusCode, refused.json().error]).toEqual([403, 'quota_exceeded']);
    const started = await initiate(server, person, files);
    expect(started.statusCode).toBe(201);
    const { session_id } = started.json();
    expect(
      (await server.call('DELETE', `/api/upload/cancel/${session_id}`, { headers: person.headers })).statusCode,
    ).toBe(204);
    await purge(upload);
    expect((await initiate(server, person, tooMany)).statusCode).toBe(201);
    expect(existsSync(upload.file)).toBe(false);
    expect(await statusOf(restore(upload))).toBe(404);
  });
});

test('while viewers pick it, it is given to nobody after the answer, nor on another node that has followed', async () => {
  const node = await startNode(server.services.address);
  onTestFinished(node.close);
  const upload = await storeUpload(server, ada.id);
  const { id, number = 0 } = (await videoOf(upload)) ?? {};
  const isDrawnThere = async () => {
    await node.sets.catchUp();
    return node.sets.matches({ tags: [], mode: 'OR', blocked: [] }, number);
  };
  expect(await isDrawnThere()).toBe(true);
  const pick = async () => Promise.all(quadrants.map((quadrant) => server.get(`/api/video/${quadrant}`)));
  let isRemoved = false;
  const late: string[] = [];
  const viewers = Array.from({ length: 4 }, async () => {
    for (let time = 0; time < 12; time += 1) {
      const wasRemoved = isRemoved;
      const given = (await pick()).map((reply) => reply.json().id);
      if (wasRemoved) late.push(...given);
    }
  });
  const removal = remove(upload, ada).then((reply) => {
    isRemoved = true;
    return reply.statusCode;
  });
  expect(await removal).toBe(204);
  await Promise.all(viewers);
  for (let time = 0; time < 10; time += 1) late.push(...(await pick()).map((reply) => reply.json().id));
  expect(late).not.toContain(id);
  expect(await isDrawnThere()).toBe(false);
});

test('bytes that are removed while they come again become a video of their own', async () => {
  const bytes = uniqueFilm();
  const upload = await storeUpload(server, ada.id, { bytes });
  const { uploads } = server.services;
  const { storage } = uploads;
  const again = await SentUpload.start(server, bob, [{ file_size: bytes.length }]);
  await again.put(bytes);
  // The comparison has found the same bytes when the video goes.
  const openWhole = storage.openWhole.bind(storage);
  storage.openWhole = async (...opened) => {
    const whole = await openWhole(...opened);
    const findSame = whole.findSame.bind(whole);
    let isFirst = true;
    whole.findSame = async (others) => {
      const same = await findSame(others);
      if (isFirst) await remove(upload, ada);
      isFirst = false;
      return same;
    };
    return whole;
  };
  onTestFinished(() => {
    storage.openWhole = openWhole;
  });
  const completed = uploadCompletedSchema.parse((await again.complete(bob)).json());
  expect(completed).toMatchObject({ success: true, videos: [{ size: bytes.length }] });
  expect(completed.videos[0]?.path).toContain(again.session.files[0]?.id);
});

test('after whatever is removed, brought back, purged and tagged, the sets are what the rows say', async () => {
  const tags = await Promise.all(['p', 'q', 'r'].map((name) => tagNamed(`random-${name}`)));
  const uploads: StoredUpload[] = [];
  for (let count = 0; count < 6; count += 1) uploads.push(await storeUpload(server, boss.id));
  // A linear congruential generator (Numerical Recipes): the same run each time.
  let seed = 7;
  const below = (limit: number) => {
    seed = (seed * 1_664_525 + 1_013_904_223) % 2 ** 32;
    return Math.floor((seed / 2 ** 32) * limit);
  };
  for (let act = 0; act < 30; act += 1) {
    const upload = uploads[below(uploads.length)] as StoredUpload;
    const video = await videoOf(upload);
    const path = `uploads/${video?.path}`;
    const acts = [
      () => remove(upload, boss),
      () => restore(upload),
      () => (below(4) === 0 ? purge(upload) : restore(upload)),
      () =>
        server.call('POST', `/api/videos/${encodeURIComponent(path)}/tags`, {
          headers: boss.headers,
          payload: { tag_ids: [tags[below(3)]] },
        }),
    ];
    const reply = await acts[below(acts.length)]?.();
    expect(reply?.statusCode).toBeLessThan(500);
  }
  await expectSetsAgree();
});

describe('the key of a session', () => {
  const renew = (id: string, { headers }: Pick<Person, 'headers'>) =>
    server.call('POST', `/api/upload/key/${id}`, { headers });

  test('is renewed for its owner: the one before is void', async () => {
    const upload = await SentUpload.start(server, ada);
    const { bunny_access_key } = uploadKeySchema.parse((await renew(upload.id, ada)).json());
    expect((await upload.patch(0, Buffer.alloc(10))).statusCode).toBe(404);
    const renewed = new SentUpload(server, { ...upload.session, bunny_access_key });
    expect((await renewed.patch(0, Buffer.alloc(10))).statusCode).toBe(204);
  });

  test('is for nobody else, and not renewed when the session is over', async () => {
    const upload = await SentUpload.start(server, ada);
    const unknown = await renew('0197f000-0000-7000-8000-000000000000', bob);
    const others = await renew(upload.id, bob);
    expect([others.statusCode, others.body]).toEqual([404, unknown.body]);
    expect((await renew(upload.id, { headers: { authorization: '' } })).statusCode).toBe(401);
    await server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: ada.headers });
    expect((await renew(upload.id, ada)).statusCode).toBe(410);
  });
});

test(`twice ${limits.uploadKeptDays} days later it is gone for good, and sessions without a byte have no key any more`, async () => {
  const upload = await storeUpload(server, ada.id);
  const idle = await openUpload(server, ada.id);
  await remove(upload, ada);
  clock.pass(keptMs + lateMs - 120_000);
  await uploadRemoval.sweep(server.services.uploads);
  expect(existsSync(upload.file)).toBe(true);
  clock.pass(240_000);
  await uploadRemoval.sweep(server.services.uploads);
  expect(existsSync(upload.file)).toBe(false);
  expect(await entriesOf(upload)).toEqual([undefined]);
  const later = personOf(await signIn(server, 'boss'));
  expect((await server.get('/api/admin/uploads/removed', later.headers)).json().total).toBe(0);
  expect(await statusOf(restore(upload, later))).toBe(404);
  const { headers } = personOf(await signIn(server, 'ada'));
  expect((await server.call('POST', `/api/upload/key/${idle.sessionId}`, { headers })).statusCode).toBe(410);
});
