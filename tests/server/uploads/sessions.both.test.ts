import { beforeAll, describe, expect, test } from 'vitest';
import {
  uploadHistorySchema,
  uploadProgressSchema,
  uploadSessionSchema,
  uploadStatsSchema,
} from '#contract/entities/upload.ts';
import { limits } from '#contract/limits.ts';
import { sweepUploads } from '#server/features/uploads/session-end.ts';
import { uploadRemoval } from '#server/features/uploads/stored/upload-removal.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { initiate, putUploader, SentUpload, tus, videoBytes } from '#tests/support/uploads.ts';

const clock = settableClock();
const disk = { free: 10 ** 12, total: 10 ** 12 };
let server: ServerUnderTest;
let ada: Person;
let bob: Person;

beforeAll(async () => {
  const overrides = { clock, uploads: { diskSpace: { read: async () => disk } } };
  server = await startServer(
    { overrides, env: { SITE_PASSWORD: 'a long enough word', UPLOAD_QUOTA_GB: '0.1' } },
    afterFile,
  );
  const { services } = server;
  // The gate is closed to everybody who has no cookie; these people have entered.
  const cookie = `gate=${await services.accounts.gate.issue()}`;
  const inject = server.call;
  server.call = (method, url, more = {}) => inject(method, url, { ...more, headers: { cookie, ...more.headers } });
  server.get = (url, headers = {}) => server.call('GET', url, { headers });
  ada = await putUploader(server, 'ada');
  bob = await putUploader(server, 'bob');
});

const refusal = async (reply: ReturnType<typeof initiate>) => {
  const { statusCode, ...rest } = await reply;
  return [statusCode, rest.json().error];
};

describe('a session', () => {
  test('has an address for each file, also for two of one name, and one key', async () => {
    const reply = await initiate(server, ada, [{}, {}, { filename: 'other.WEBM' }]);
    expect(reply.statusCode).toBe(201);
    const { files, upload_urls, bunny_access_key } = uploadSessionSchema.parse(reply.json());
    expect(files.map(({ filename, protocol }) => [filename, protocol])).toEqual([
      ['a film.mp4', 'tus'],
      ['a film.mp4', 'tus'],
      ['other.WEBM', 'tus'],
    ]);
    expect(new Set(files.map(({ address }) => address)).size).toBe(3);
    expect(Object.keys(upload_urls)).toEqual(['a film.mp4', 'other.WEBM']);
    const secrets = [bunny_access_key, ...files.map(({ address }) => address.split('/').at(-1) ?? '')];
    // 128 bits at least.
    for (const secret of secrets) expect(Buffer.from(secret, 'base64url').length).toBeGreaterThanOrEqual(16);
  });

  test('is for those who are signed in and have accepted the agreement', async () => {
    expect(await refusal(initiate(server, { headers: { authorization: '' } }))).toEqual([401, 'unauthorized']);
    const newcomer = await putPerson(server, 'newcomer');
    expect(await refusal(initiate(server, newcomer))).toEqual([403, 'eula_required']);
  });

  test.each([
    [{ file_size: 0 }, 'File is empty'],
    [{ file_size: -1 }, 'File is empty'],
    [{ file_size: 5_368_709_121 }, 'File size exceeds 5GB limit'],
    [{ file_size: 2 ** 60 }, expect.any(String)],
    [{ file_size: 1.5 }, expect.any(String)],
    [{ filename: '' }, 'A file needs a name'],
    [{ filename: 'film.mp4.html' }, expect.stringContaining('Unsupported format')],
    [{ filename: 'film.svg' }, expect.stringContaining('Unsupported format')],
    [{ filename: `${'a'.repeat(300)}.mp4` }, 'A file name has at most 255 bytes'],
  ])('with %j is refused by file, and none is opened', async (file, message) => {
    const reply = await initiate(server, ada, [{}, file]);
    expect([reply.statusCode, reply.json().error]).toEqual([400, 'validation_failed']);
    const [problem] = reply.json().details;
    expect([problem.field.startsWith('files.1.'), problem.message]).toEqual([true, message]);
  });

  test('keeps a name that looks like a path as a label', async () => {
    const upload = await SentUpload.start(server, ada, [{ filename: '../../x.mp4' }]);
    expect(upload.session.files[0]?.filename).toBe('../../x.mp4');
  });

  test('answers a name with what is not seen as it was sent, and stores it without that', async () => {
    const upload = await SentUpload.start(server, ada, [{ filename: 'a\u202Emoor\u0007 \u200Bof\u2066.mp4' }]);
    expect(upload.session.files[0]?.filename).toBe('a\u202Emoor\u0007 \u200Bof\u2066.mp4');
    const { files } = (await server.get(`/api/upload/progress/${upload.id}`, ada.headers)).json();
    expect(files).toMatchObject([{ filename: 'amoor of.mp4' }]);
  });

  test('with a channel that is not there is refused', async () => {
    expect(await refusal(initiate(server, ada, [{}], { tag_ids: ['nowhere'] }))).toEqual([404, 'not_found']);
  });

  test('is refused when the disk would not keep its reserve', async () => {
    disk.free = 1024 ** 3 + 999;
    expect(await refusal(initiate(server, ada))).toEqual([507, 'out_of_space']);
    disk.free = 10 ** 12;
  });

  test('counts against the quota until it is cancelled', async () => {
    const cyd = await putUploader(server, 'cyd');
    const upload = await SentUpload.start(server, cyd, [{ file_size: 60_000_000 }]);
    expect(await refusal(initiate(server, cyd, [{ file_size: 60_000_000 }]))).toEqual([403, 'quota_exceeded']);
    await server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: cyd.headers });
    expect((await initiate(server, cyd, [{ file_size: 60_000_000 }])).statusCode).toBe(201);
  });

  test(`one person has at most ${limits.uploadOpenSessions} open, and others as many`, async () => {
    const dan = await putUploader(server, 'dan');
    const replies = [];
    // Three at a time: all at once, the budget of calls would refuse the last ones.
    for (let count = 0; count < limits.uploadOpenSessions + 3; count += 3) {
      clock.pass(2_000);
      replies.push(...(await Promise.all(Array.from({ length: 3 }, () => initiate(server, dan)))));
    }
    expect(replies.filter(({ statusCode }) => statusCode === 201).length).toBe(limits.uploadOpenSessions);
    const refused = replies.filter(({ statusCode }) => statusCode === 429);
    expect(refused.length).toBeGreaterThan(0);
    for (const { headers } of refused) expect(headers['retry-after']).toBe('60');
    expect((await initiate(server, bob)).statusCode).toBe(201);
  });
});

test('of what came to nothing the latest are kept, and sessions go with their last file', async () => {
  const { database } = server.services;
  const ines = await putUploader(server, 'ines');
  const full = Array.from({ length: limits.uploadFilesPerSession }, () => ({}));
  const sessions = Math.ceil(limits.failedUploadsKept / full.length) + 3;
  for (let count = 0; count < sessions; count += 1) {
    clock.pass(1_000);
    const upload = await SentUpload.start(server, ines, full);
    await server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: ines.headers });
  }
  const countOf = async (table: 'upload_files' | 'upload_sessions') =>
    (await database.reader.selectFrom(table).select('id').where('user_id', '=', ines.id).execute()).length;
  // Those of the last session were still coming when the others were counted.
  expect(await countOf('upload_files')).toBe(limits.failedUploadsKept + full.length);
  expect(await countOf('upload_sessions')).toBe(sessions);
  await uploadRemoval.sweep(server.services.uploads);
  expect(await countOf('upload_sessions')).toBe(limits.failedUploadsKept / full.length + 1);
});

describe('an address', () => {
  test.each(['HEAD', 'PATCH', 'PUT', 'DELETE', 'GET'] as const)(
    '%s without its key, or with another session’s, is answered like one that never was',
    async (method) => {
      const [upload, other] = [await SentUpload.start(server, ada), await SentUpload.start(server, bob)];
      const ask = async (url: string, headers: Record<string, string>) => {
        const { statusCode, body } = await server.call(method, url, { headers: { ...tus, ...headers } });
        return [statusCode, body];
      };
      const unknown = await ask('/api/upload/address/AAAAAAAAAAAAAAAAAAAAAAAA', upload.key);
      expect(unknown[0]).toBe(404);
      expect(await ask(upload.addressOf(), {})).toEqual(unknown);
      expect(await ask(upload.addressOf(), other.key)).toEqual(unknown);
      expect(await ask(upload.addressOf(), ada.headers)).toEqual(unknown);
    },
  );

  test('is open while the gate is closed: its key is its authority', async () => {
    const upload = await SentUpload.start(server, ada);
    const reply = await server.app.inject({
      method: 'PATCH',
      url: upload.addressOf(),
      headers: { ...tus, ...upload.key, 'content-type': 'application/offset+octet-stream', 'upload-offset': '0' },
      payload: Buffer.from('bytes'),
    });
    expect(reply.statusCode).toBe(204);
    const closed = await server.app.inject({ method: 'GET', url: '/api/upload/history', headers: ada.headers });
    expect(closed.statusCode).toBe(401);
  });

  test('gives nothing to read, and is no list', async () => {
    const upload = await SentUpload.start(server, ada);
    expect((await upload.send('GET')).statusCode).toBe(403);
    const list = await server.call('GET', '/api/upload/address/', { headers: upload.key });
    expect(list.statusCode).toBe(404);
    const post = await upload.send('POST', { headers: { ...tus, 'x-http-method-override': 'PATCH' } });
    expect([post.statusCode, post.headers.allow]).toEqual([405, 'DELETE, GET, HEAD, OPTIONS, PATCH, PUT']);
  });

  test('is not written to by a page of another site', async () => {
    const upload = await SentUpload.start(server, ada);
    const reply = await upload.send('PUT', {
      payload: Buffer.alloc(1_000),
      headers: { 'sec-fetch-site': 'cross-site' },
    });
    expect(reply.statusCode).toBe(403);
    expect(await upload.offset()).toBe(0);
  });

  test('guesses of one client are limited; whoever has a key notices nothing', async () => {
    const upload = await SentUpload.start(server, ada);
    const guess = () => server.call('HEAD', '/api/upload/address/BBBBBBBBBBBBBBBBBBBBBBBB', { headers: tus });
    const statuses = new Set<number>();
    for (let tries = 0; tries < 110; tries += 1) statuses.add((await guess()).statusCode);
    expect([...statuses]).toEqual([404, 429]);
    expect(await upload.offset()).toBe(0);
    clock.pass(61_000);
    expect((await guess()).statusCode).toBe(404);
  });
});

describe('plain PUT', () => {
  test('takes a whole file, also a second time', async () => {
    const upload = await SentUpload.start(server, ada);
    for (const byte of [1, 2]) expect((await upload.put(Buffer.alloc(1_000, byte))).statusCode).toBe(201);
    expect(await upload.storedBytes()).toEqual(Buffer.alloc(1_000, 2));
  });

  test.each([
    [1_001, 413],
    [999, 400],
    [0, 400],
  ])('%d bytes of 1000 are refused with %d before they are read', async (length, status) => {
    const upload = await SentUpload.start(server, ada);
    expect((await upload.put(Buffer.alloc(length))).statusCode).toBe(status);
    expect(await upload.offset()).toBe(0);
  });

  test.each([
    [{ 'content-range': 'bytes 0-9/1000' }, 400],
    [{ 'content-encoding': 'gzip' }, 415],
  ])('with %j is refused with %d', async (headers, status) => {
    const upload = await SentUpload.start(server, ada);
    expect((await upload.send('PUT', { payload: Buffer.alloc(1_000), headers })).statusCode).toBe(status);
  });
});

describe('its owner', () => {
  test('reads how far it is', async () => {
    const upload = await SentUpload.start(server, ada, [{}, {}]);
    await upload.patch(0, Buffer.alloc(250));
    const reply = await server.get(`/api/upload/progress/${upload.id}`, ada.headers);
    const { status, files } = uploadProgressSchema.parse(reply.json());
    expect(status).toBe('open');
    expect(files).toMatchObject([
      { status: 'uploading', percentage: 25, uploadedBytes: 250, totalBytes: 1_000, speed: 0, eta: null, error: null },
      { status: 'pending', percentage: 0, uploadedBytes: 0 },
    ]);
  });

  test('cancels it, once or twice: what had come is gone, and so is its address', async () => {
    const upload = await SentUpload.start(server, ada);
    await upload.patch(0, Buffer.alloc(250));
    const cancel = () => server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: ada.headers });
    expect([(await cancel()).statusCode, (await cancel()).statusCode]).toEqual([204, 204]);
    expect(await upload.storedBytes()).toBeNull();
    expect((await upload.send('HEAD', { headers: tus })).statusCode).toBe(410);
    expect((await upload.complete(ada)).statusCode).toBe(410);
    const progress = uploadProgressSchema.parse(
      (await server.get(`/api/upload/progress/${upload.id}`, ada.headers)).json(),
    );
    expect(progress).toMatchObject({ status: 'expired', files: [{ status: 'failed' }] });
  });

  test('can leave that to whoever has its key', async () => {
    const upload = await SentUpload.start(server, ada);
    const cancelled = await server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: upload.key });
    expect(cancelled.statusCode).toBe(204);
    const read = await server.get(`/api/upload/progress/${upload.id}`, upload.key);
    expect(read.statusCode).toBe(401);
  });

  test('is the only one: for others it is as if it never was', async () => {
    const upload = await SentUpload.start(server, ada);
    const other = await SentUpload.start(server, bob);
    const ask = async (id: string, headers: Record<string, string>) => {
      const body = { payload: { session_id: id, files: [] }, headers };
      const replies = [
        await server.get(`/api/upload/progress/${id}`, bob.headers),
        await server.call('POST', `/api/upload/complete/${id}`, body),
        await server.call('DELETE', `/api/upload/cancel/${id}`, { headers }),
      ];
      return replies.map(({ statusCode, body: text }) => [statusCode, text]);
    };
    const unknown = await ask('0197f000-0000-7000-8000-000000000000', bob.headers);
    expect(unknown.map(([status]) => status)).toEqual([404, 404, 404]);
    expect(await ask(upload.id, bob.headers)).toEqual(unknown);
    expect(await ask(upload.id, other.key)).toEqual([expect.anything(), ...unknown.slice(1)]);
    expect(await upload.offset()).toBe(0);
  });

  test('has a history, by status and in pages, and counts', async () => {
    const eve = await putUploader(server, 'eve');
    const bytes = videoBytes();
    const upload = await SentUpload.start(server, eve, [{ file_size: bytes.length }, {}]);
    await upload.put(bytes);
    await upload.complete(eve);
    const read = async (query = '') =>
      uploadHistorySchema.parse((await server.get(`/api/upload/history${query}`, eve.headers)).json());
    const { uploads, total } = await read();
    expect([total, uploads.map(({ status }) => status).sort()]).toEqual([2, ['completed', 'pending']]);
    expect((await read('?status=completed')).uploads).toMatchObject([
      { session_id: upload.id, size: bytes.length, error: null, video_id: expect.any(String) },
    ]);
    expect(await read('?limit=1&page=2')).toMatchObject({ total: 2, total_pages: 2, uploads: [expect.anything()] });
    expect(await read('?status=failed')).toMatchObject({ total: 0, uploads: [] });
    const stats = await server.get('/api/upload/stats', eve.headers);
    expect(uploadStatsSchema.parse(stats.json())).toEqual({
      files: 2,
      bytes: bytes.length,
      completed: 1,
      failed: 0,
      in_progress: 1,
    });
    expect((await server.get('/api/upload/stats?scope=site', eve.headers)).statusCode).toBe(403);
  });
});

describe('a file that its sender has given up', () => {
  const read = async (person: Person, query = '') =>
    uploadHistorySchema.parse((await server.get(`/api/upload/history${query}`, person.headers)).json());
  const countsOf = async (person: Person) => {
    const reply = await server.get('/api/upload/stats', person.headers);
    const { completed, failed, in_progress } = uploadStatsSchema.parse(reply.json());
    return { completed, failed, in_progress };
  };
  const idsOf = ({ session }: SentUpload) => session.files.map(({ id }) => id);

  test('counts as failed, beside one that waits, until its bytes go on, and becomes a video', async () => {
    const fay = await putUploader(server, 'fay');
    const bytes = videoBytes();
    const file = { file_size: bytes.length };
    const upload = await SentUpload.start(server, fay, [file, { ...file, filename: 'given up.mp4' }, file]);
    await upload.put(bytes);
    const sendHalf = (from: number, to: number) =>
      upload.send('PATCH', {
        file: 1,
        payload: bytes.subarray(from, to),
        headers: { ...tus, 'content-type': 'application/offset+octet-stream', 'upload-offset': String(from) },
      });
    await sendHalf(0, 1_000);
    const [, givenUp = ''] = idsOf(upload);
    const reply = await upload.complete(fay, { failed_ids: [givenUp] });
    expect(reply.json().files.map(({ status }: { status: string }) => status)).toEqual([
      'completed',
      'uploading',
      'pending',
    ]);
    expect(await countsOf(fay)).toEqual({ completed: 1, failed: 1, in_progress: 1 });
    expect(await read(fay, '?status=failed')).toMatchObject({
      total: 1,
      uploads: [{ id: givenUp, status: 'failed', error: 'This file has not fully arrived.' }],
    });
    expect(await read(fay, '?status=uploading')).toMatchObject({ total: 0, uploads: [] });
    expect((await read(fay, '?status=pending')).total).toBe(1);
    expect((await sendHalf(1_000, 1_500)).statusCode).toBe(204);
    expect(await countsOf(fay)).toEqual({ completed: 1, failed: 0, in_progress: 2 });
    expect((await read(fay, '?status=uploading')).uploads).toMatchObject([{ id: givenUp, error: null }]);
    await sendHalf(1_500, bytes.length);
    await upload.complete(fay, { failed_ids: [givenUp] });
    expect(await countsOf(fay)).toEqual({ completed: 2, failed: 0, in_progress: 1 });
  });

  test('is one of the session alone, and at most as many as it has are named', async () => {
    const [gil, hal] = [await putUploader(server, 'gil'), await putUploader(server, 'hal')];
    const [own, other] = [await SentUpload.start(server, gil), await SentUpload.start(server, hal)];
    await own.complete(gil, { failed_ids: idsOf(other) });
    expect([await countsOf(gil), await countsOf(hal)]).toMatchObject([{ in_progress: 1 }, { in_progress: 1 }]);
    const many = Array.from({ length: limits.uploadFilesPerSession + 1 }, (_, at) => `${at}`);
    expect((await own.complete(gil, { failed_ids: many })).statusCode).toBe(400);
  });
});

test('a session without a byte for a day is over, gives its room back, and stays in the history', async () => {
  const upload = await SentUpload.start(server, bob);
  await upload.patch(0, Buffer.alloc(10));
  clock.pass(24 * 3_600_000);
  await sweepUploads(server.services.uploads);
  expect(await upload.storedBytes()).toBeNull();
  const row = await server.services.database.reader
    .selectFrom('upload_files')
    .select(['state', 'error'])
    .where('session_id', '=', upload.id)
    .executeTakeFirst();
  expect(row).toEqual({ state: 'failed', error: 'The upload was not finished in time.' });
});

describe('UPLOADS', () => {
  test('admins: nobody else can open a session', async () => {
    const own = await startServer({ env: { UPLOADS: 'admins' } });
    expect(await refusal(initiate(own, await putUploader(own, 'basic')))).toEqual([403, 'forbidden']);
    expect((await initiate(own, await putUploader(own, 'boss', 'admin'))).statusCode).toBe(201);
  });

  test('approval: a video is hidden until an administrator shows it, and an administrator’s own is not', async () => {
    const own = await startServer({ env: { UPLOADS: 'approval' } });
    const [guest, boss] = [await putUploader(own, 'guest'), await putUploader(own, 'boss', 'admin')];
    const sendAs = async (person: Person, name: string) => {
      const bytes = videoBytes(name);
      const upload = await SentUpload.start(own, person, [{ file_size: bytes.length }]);
      await upload.put(bytes);
      return (await upload.complete(person)).json();
    };
    expect(await sendAs(guest, 'brief-000')).toMatchObject({ success: true, videos: [] });
    expect((await sendAs(boss, 'brief-060')).videos.length).toBe(1);
    const { videos } = (await own.get('/api/admin/videos/hidden', boss.headers)).json();
    expect(videos.length).toBe(1);
    await own.call('DELETE', `/api/admin/videos/${videos[0].id}/hidden`, { headers: boss.headers });
    expect((await own.get(`/api/videos/${videos[0].id}`)).statusCode).toBe(200);
  });
});
