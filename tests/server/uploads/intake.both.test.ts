import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { statusSchema } from '#contract/entities/feed.ts';
import { uploadCompletedSchema } from '#contract/entities/upload.ts';
import { uploadSessionRepository } from '#server/features/uploads/session-repository.ts';
import { KeyedTurns, takeIn } from '#server/features/uploads/stored/intake.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { initiate, putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const library = temporaryFolder(afterFile);
let server: ServerUnderTest;
let ada: Person;

beforeAll(async () => {
  writeFileSync(join(library, 'here.mp4'), videoBytes('brief-300'));
  server = await startServer({ library: [library] }, afterFile);
  ada = await putUploader(server, 'ada');
});

async function sendAs(person: Person, bytes: Buffer, filename = 'a film.mp4', more: object = {}, to = server) {
  const upload = await SentUpload.start(to, person, [{ filename, file_size: bytes.length }], more);
  expect((await upload.put(bytes)).statusCode).toBe(201);
  const reply = await upload.complete(person);
  expect(reply.statusCode).toBe(200);
  return { upload, completed: uploadCompletedSchema.parse(reply.json()) };
}

function storedFiles(of = server): string[] {
  const files = readdirSync(of.services.folders.uploads, { recursive: true, withFileTypes: true });
  return files.filter((entry) => entry.isFile()).map(({ name }) => name);
}

const videosBy = (id: string | undefined) =>
  server.services.database.reader
    .selectFrom('videos')
    .selectAll()
    .where('id', '=', id ?? '')
    .execute();

test('a file that has come whole is a video that plays, under a name of ours', async () => {
  const bytes = videoBytes();
  const { completed } = await sendAs(ada, bytes, 'Harbour <b>.mp4');
  expect(completed).toMatchObject({
    success: true,
    failed: [],
    videos: [{ filename: 'Harbour <b>.mp4', size: bytes.length, available: true, tags: [] }],
  });
  const [video] = completed.videos;
  const stream = await server.get(video?.url ?? '');
  expect([stream.statusCode, stream.headers['content-type']]).toEqual([200, 'video/mp4']);
  expect(stream.rawPayload.equals(bytes)).toBe(true);
  expect((await server.get(`/api/video/stream?path=${encodeURIComponent(video?.path ?? '')}`)).statusCode).toBe(200);
  expect(storedFiles().some((name) => name.includes('Harbour'))).toBe(false);
});

test('completing it again repeats nothing and answers the same', async () => {
  const { upload, completed } = await sendAs(ada, videoBytes('brief-060'));
  const [first, again] = await Promise.all([upload.complete(ada), upload.complete(null)]);
  for (const reply of [first, again])
    expect(reply.json().videos.map(({ id }: { id: string }) => id)).toEqual(completed.videos.map(({ id }) => id));
});

test('two at once make one video', async () => {
  const bytes = videoBytes('brief-120');
  const upload = await SentUpload.start(server, ada, [{ file_size: bytes.length }]);
  await upload.put(bytes);
  const replies = await Promise.all([upload.complete(ada), upload.complete(ada), upload.complete(null)]);
  const ids = replies.flatMap((reply) => reply.json().videos.map(({ id }: { id: string }) => id));
  expect([ids.length, new Set(ids).size]).toEqual([3, 1]);
});

test('with another session in its body it is refused', async () => {
  const upload = await SentUpload.start(server, ada);
  expect((await upload.complete(ada, { session_id: 'another' })).statusCode).toBe(409);
});

describe('what is no video', () => {
  test.each([
    ['a page', '<!DOCTYPE html><script>alert(1)</script>'],
    ['a picture', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
    ['an archive', 'PK\u0003\u0004 and more of it'],
    ['a playlist', '#EXTM3U\n#EXTINF:1,\nhttp://127.0.0.1/secret.ts\n'],
    ['a list of files', "ffconcat version 1.0\nfile '/etc/passwd'\n"],
    ['a description of a session', 'v=0\r\no=- 0 0 IN IP4 127.0.0.1\r\n'],
    ['a manifest', '<?xml version="1.0"?><MPD><BaseURL>file:///etc/passwd</BaseURL></MPD>'],
  ])('%s is refused, whatever its name says, and nothing stays of it', async (_, text) => {
    const before = storedFiles();
    const { upload, completed } = await sendAs(ada, Buffer.from(text));
    const message = 'This file is not a video, whatever its name says.';
    expect(completed).toMatchObject({
      success: false,
      videos: [],
      files: [{ filename: 'a film.mp4', status: 'failed', video_id: null, message }],
      failed: [{ filename: 'a film.mp4', message }],
    });
    expect(storedFiles()).toEqual(before);
    // The answer may have been lost: asked again, it is the same.
    expect((await upload.complete(ada)).json()).toEqual(completed);
  });

  test('what only cannot be played is stored, and never picked', async () => {
    const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST'), Buffer.alloc(2_000)]);
    const { completed } = await sendAs(ada, bytes, 'old.avi');
    const file = { status: 'completed', video_id: expect.any(String), message: 'Browsers cannot play AVI files.' };
    expect(completed).toMatchObject({ success: true, videos: [], files: [file], failed: [] });
    const rows = server.services.database.reader.selectFrom('videos').selectAll().where('filename', '=', 'old.avi');
    expect(await rows.execute()).toMatchObject([{ available: 0, reason: 'container_avi' }]);
  });

  test('what only cannot be played says that it is being made playable, while that is so', async () => {
    const found = vi.spyOn(server.services.encodings, 'findProcessing');
    onTestFinished(() => found.mockRestore());
    found.mockImplementation(
      async (numbers) => new Map(numbers.map((number) => [number, { state: 'queued', progress: 0 }])),
    );
    const bytes = Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST'), Buffer.alloc(2_001)]);
    const { completed } = await sendAs(ada, bytes, 'older.avi');
    expect(completed.files).toMatchObject([{ status: 'completed', message: 'This video is being made playable.' }]);
  });
});

describe('the same bytes', () => {
  test('are stored once, whoever sends them and at what time', async () => {
    const bytes = videoBytes('hue-000');
    const bob = await putUploader(server, 'bob');
    const results = await Promise.all([sendAs(ada, bytes, 'mine.mp4'), sendAs(bob, bytes, 'yours.mp4')]);
    const ids = results.flatMap(({ completed }) => completed.videos.map(({ id }) => id));
    expect([ids.length, new Set(ids).size]).toEqual([2, 1]);
    const [row] = await videosBy(ids[0]);
    const entries = await server.services.database.reader
      .selectFrom('upload_files')
      .select('stored_bytes')
      .where('video_number', '=', row?.number ?? 0)
      .execute();
    expect(entries.map(({ stored_bytes }) => stored_bytes).sort()).toEqual([0, bytes.length]);
  });

  test('are stored once, although another node stores them after this one has looked for them', async () => {
    const { uploads, database } = server.services;
    const bytes = videoBytes('hue-120');
    const upload = await SentUpload.start(server, ada, [{ file_size: bytes.length }]);
    await upload.put(bytes);
    const [file] = await uploadSessionRepository.listFiles(database.reader, upload.id);
    const session = await uploadSessionRepository.find(database.reader, upload.id, server.services.clock.now());
    if (file === undefined || session === null) throw new Error('There is no upload.');
    const storage = Object.create(uploads.storage) as typeof uploads.storage;
    const others: Awaited<ReturnType<typeof sendAs>>[] = [];
    storage.openWhole = async (...opened) => {
      const whole = await uploads.storage.openWhole(...opened);
      const store = whole.store.bind(whole);
      whole.store = async () => {
        if (others.length === 0) others.push(await sendAs(await putUploader(server, 'node-2'), bytes));
        return store();
      };
      return whole;
    };
    const before = storedFiles().length;
    expect(await takeIn({ ...uploads, storage, turns: new KeyedTurns() }, session, file)).toBeNull();
    const [mine] = (await upload.complete(ada)).json().videos;
    expect(others[0]?.completed.videos[0]?.id).toBe(mine.id);
    // Its part has gone, and the other's file has come.
    expect(storedFiles().length).toBe(before);
  });

  test('as a video of the library lead to that video, which stays as it is', async () => {
    const before = storedFiles();
    const { completed } = await sendAs(ada, videoBytes('brief-300'), 'another name.mp4');
    expect(completed.videos).toMatchObject([{ path: 'here.mp4', filename: 'here.mp4' }]);
    expect(storedFiles()).toEqual(before);
  });

  test('at three places alone are not the same', async () => {
    const film = videoBytes('hue-030');
    const other = Buffer.from(film);
    // Between the samples of the fingerprint.
    const at = Math.floor(film.length / 3);
    other[at] = (other[at] ?? 0) ^ 0xff;
    const results = [await sendAs(ada, film), await sendAs(ada, other)];
    expect(new Set(results.map(({ completed }) => completed.videos[0]?.id)).size).toBe(2);
  });
});

test('videos get the channels of their batch, of the start and of the end', async () => {
  const { database, ids } = server.services;
  const [one, two] = [ids.short(), ids.short()];
  await database.write(async (transaction) => {
    for (const id of [one, two])
      await transaction
        .insertInto('tags')
        .values({ id, name: id, name_key: id, description: '', color: '#000000', active: 1, created_at: 0 })
        .execute();
    await transaction
      .updateTable('revisions')
      .set((row) => ({ value: row('value', '+', 1) }))
      .where('name', '=', 'tags')
      .execute();
  });
  const bytes = videoBytes('hue-060');
  const upload = await SentUpload.start(server, ada, [{ file_size: bytes.length }], { tag_ids: [one] });
  await upload.put(bytes);
  const { videos } = uploadCompletedSchema.parse((await upload.complete(ada, { tag_ids: [two] })).json());
  expect(videos[0]?.tags.map(({ id }) => id).sort()).toEqual([one, two].sort());
  const listed = await server.get(`/api/videos/by-tags?tag_ids=${one}`);
  expect(listed.json().total).toBe(1);
  expect((await initiate(server, ada, [{}], { tag_ids: ['nowhere'] })).statusCode).toBe(404);
});

test('a scan leaves uploads alone, and a file of the library that holds their bytes is its own video', async () => {
  const bytes = videoBytes('hue-090');
  const { completed } = await sendAs(ada, bytes);
  writeFileSync(join(library, 'copied.mp4'), bytes);
  await server.services.scanner.request();
  const [uploaded] = await videosBy(completed.videos[0]?.id);
  expect(uploaded).toMatchObject({ missing_since: null, available: 1 });
  const found = await server.services.places.find('copied.mp4');
  expect(found).not.toBeNull();
  expect(found?.id).not.toBe(uploaded?.id);
  // One root, with or without uploads: its paths stay as they were.
  expect(await server.services.places.find('here.mp4')).not.toBeNull();
});

test('the demo leaves when the first real video comes, which can be picked at once', async () => {
  const own = await startServer({ isDemo: true });
  expect(statusSchema.parse((await own.get('/api/status')).json()).TotalVideos).toBeGreaterThan(1);
  const { completed } = await sendAs(await putUploader(own, 'ada'), videoBytes(), 'first.mp4', {}, own);
  expect(own.services.roots.active().map(({ kind }) => kind)).toEqual(['uploads']);
  const picked = await own.get('/api/video/top-left');
  expect([picked.statusCode, picked.json().video?.id ?? picked.json().id]).toEqual([200, completed.videos[0]?.id]);
});
