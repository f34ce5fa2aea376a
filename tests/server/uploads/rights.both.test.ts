import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { uploadCompletedSchema } from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { storeTag } from '#tests/support/media/stored-videos.ts';
import type { Person } from '#tests/support/people.ts';
import { password } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { uniqueFilm } from '#tests/support/stored-uploads.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { initiate, putUploader, SentUpload, tus } from '#tests/support/uploads.ts';

const clock = settableClock();
const dayMs = 86_400_000;
let server: ServerUnderTest;
let boss: Person;
let made = 0;

beforeAll(async () => {
  server = await startServer({ overrides: { clock }, env: { UPLOAD_QUOTA_GB: '0.1' } }, afterFile);
  boss = await putUploader(server, 'boss', 'admin');
});

/** As if the operator had started the server with it. */
const setEnv = (change: { uploads?: string; tagEditing?: string }) => Object.assign(server.services.env, change);

beforeEach(() => void setEnv({ uploads: 'everyone', tagEditing: 'everyone' }));

function newcomer(tier?: 'admin'): Promise<Person> {
  made += 1;
  return putUploader(server, `person${made}`, tier);
}

const setTier = (person: Person, tier: string) =>
  server.call('PUT', `/users/admin/${person.id}/subscription`, { headers: boss.headers, payload: { tier } });
const deleteAccount = ({ headers }: Person) =>
  server.call('DELETE', '/users/profile', { headers, payload: { password } });

/** A session of which half a film has come. */
async function half(person: Person, more: object = {}) {
  const bytes = uniqueFilm();
  const upload = await SentUpload.start(server, person, [{ file_size: bytes.length }], more);
  expect((await upload.patch(0, bytes.subarray(0, 1_000))).statusCode).toBe(204);
  return { upload, bytes, rest: bytes.subarray(1_000) };
}

/** What is answered to all that a key is good for. */
async function tries({ upload, bytes, rest }: Awaited<ReturnType<typeof half>>) {
  const replies = [
    await upload.send('HEAD', { headers: tus }),
    await upload.patch(1_000, rest),
    await upload.put(bytes),
    await upload.complete(null),
  ];
  return replies.map(({ statusCode }) => statusCode);
}

async function isHidden(id: string): Promise<boolean | null> {
  const row = await server.services.database.reader
    .selectFrom('upload_files')
    .innerJoin('videos', 'videos.number', 'upload_files.video_number')
    .select('hidden_at')
    .where('upload_files.id', '=', id)
    .executeTakeFirst();
  return row === undefined ? null : row.hidden_at !== null;
}

async function sendWhole(person: Person, bytes: Buffer): Promise<string> {
  const upload = await SentUpload.start(server, person, [{ file_size: bytes.length }]);
  await upload.put(bytes);
  expect(uploadCompletedSchema.parse((await upload.complete(person)).json()).success).toBe(true);
  return upload.session.files[0]?.id ?? '';
}

describe('the key of a session is worth what its owner may do now', () => {
  test('it sends and completes nothing once only administrators may upload, and still cancels', async () => {
    const sent = await half(await newcomer());
    setEnv({ uploads: 'admins' });
    expect(await tries(sent)).toEqual([403, 403, 403, 403]);
    const renewed = await server.call('POST', `/api/upload/key/${sent.upload.id}`, {
      headers: (await newcomer()).headers,
    });
    expect(renewed.statusCode).toBe(404);
    expect((await sent.upload.send('DELETE', { headers: tus })).statusCode).toBe(204);
    expect(await sent.upload.storedBytes()).toBe(null);
    const row = await server.services.database.reader
      .selectFrom('upload_files')
      .select('error')
      .where('session_id', '=', sent.upload.id)
      .executeTakeFirst();
    expect(row).toEqual({ error: 'Upload was aborted' });
  });

  test('an administrator who becomes none loses it with the tier, also when that runs out by itself', async () => {
    setEnv({ uploads: 'admins' });
    const lowered = await newcomer('admin');
    const sent = await half(lowered);
    expect((await setTier(lowered, 'pro')).statusCode).toBe(200);
    expect(await tries(sent)).toEqual([403, 403, 403, 403]);
    await setTier(lowered, 'admin');
    expect((await tries(sent)).every((status) => status < 300)).toBe(true);
  });

  test('a video waits for approval when its owner has become no administrator, or that was asked for meanwhile', async () => {
    const [lowered, asked] = [await half(boss), await half(await newcomer())];
    setEnv({ uploads: 'approval' });
    for (const { upload, rest } of [lowered, asked]) await upload.patch(1_000, rest);
    await lowered.upload.complete(null);
    await asked.upload.complete(null);
    expect(await isHidden(lowered.upload.session.files[0]?.id ?? '')).toBe(false);
    expect(await isHidden(asked.upload.session.files[0]?.id ?? '')).toBe(true);
  });

  test('it puts videos into no channel that its owner may not put them into any more', async () => {
    const tag = await server.services.idSets.write((transaction, changes) =>
      storeTag(transaction, changes, 'harbour', []),
    );
    const [guest, admin] = [await half(await newcomer(), { tag_ids: [tag] }), await half(boss, { tag_ids: [tag] })];
    setEnv({ tagEditing: 'admins' });
    const tagsOf = async ({ upload, rest }: typeof guest) => {
      await upload.patch(1_000, rest);
      const { videos } = uploadCompletedSchema.parse((await upload.complete(null)).json());
      return videos.flatMap(({ tags }) => tags.map(({ id }) => id));
    };
    expect([await tagsOf(guest), await tagsOf(admin)]).toEqual([[], [tag]]);
  });

  test.each([
    ['an administrator ends their sessions', ({ id }: Person) => `DELETE /users/admin/${id}/sessions`],
    ['they sign out everywhere', () => 'POST /auth/logout-all'],
  ])('it opens nothing once %s; its owner gets another one', async (_, how) => {
    const person = await newcomer();
    const sent = await half(person);
    const [method, url = ''] = how(person).split(' ');
    const who = url.includes('admin') ? boss : person;
    expect((await server.call(method as 'POST', url, { headers: who.headers })).statusCode).toBeLessThan(300);
    expect(await tries(sent)).toEqual([404, 404, 404, 404]);
  });
});

describe('a video that an administrator has hidden', () => {
  const hide = async (id: string) => {
    const { videoId } = await server.services.database.reader
      .selectFrom('upload_files')
      .innerJoin('videos', 'videos.number', 'upload_files.video_number')
      .select('videos.id as videoId')
      .where('upload_files.id', '=', id)
      .executeTakeFirstOrThrow();
    await server.call('PUT', `/api/admin/videos/${videoId}/hidden`, { headers: boss.headers });
  };
  const remove = (id: string, { headers }: Person) => server.call('DELETE', `/api/upload/file/${id}`, { headers });

  test('stays hidden when it is removed and sent again, by whomever', async () => {
    const [person, other] = [await newcomer(), await newcomer()];
    const bytes = uniqueFilm();
    const first = await sendWhole(person, bytes);
    await hide(first);
    await remove(first, person);
    for (const sender of [person, other]) {
      const again = await sendWhole(sender, bytes);
      expect(await isHidden(again)).toBe(true);
      await remove(again, sender);
    }
    expect(await isHidden(await sendWhole(other, uniqueFilm()))).toBe(false);
  });

  test('and one that was shown when it was removed comes back shown', async () => {
    const person = await newcomer();
    const bytes = uniqueFilm();
    await remove(await sendWhole(person, bytes), person);
    expect(await isHidden(await sendWhole(person, bytes))).toBe(false);
  });
});

describe('who deletes their account', () => {
  test('ends their sessions with what had come, at once', async () => {
    const person = await newcomer();
    const sent = await half(person);
    expect((await deleteAccount(person)).statusCode).toBe(204);
    await expect.poll(() => sent.upload.storedBytes()).toBe(null);
    expect(await tries(sent)).toEqual([410, 410, 410, 410]);
  });

  test('gets no further quota by another account, while those who were there before keep theirs', async () => {
    const [leaver, stayer] = [await newcomer(), await newcomer()];
    const id = await sendWhole(leaver, uniqueFilm());
    await server.services.database.write((transaction) =>
      transaction.updateTable('upload_files').set({ stored_bytes: 60_000_000 }).where('id', '=', id).execute(),
    );
    clock.pass(1_000);
    await deleteAccount(leaver);
    const again = await newcomer();
    const start = async (person: Person) => (await initiate(server, person, [{ file_size: 60_000_000 }])).statusCode;
    expect([await start(again), await start(stayer)]).toEqual([403, 201]);
    expect((await initiate(server, again, [{ file_size: 30_000_000 }])).statusCode).toBe(201);
    clock.pass(limits.ownerlessUploadDays * dayMs);
    expect(await start(again)).toBe(401);
    expect(await start(await newcomer())).toBe(201);
  });
});
