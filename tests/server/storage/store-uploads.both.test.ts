import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { PartMemory } from '#server/features/uploads/receiving/store-part.ts';
import { StoreUploads } from '#server/features/uploads/receiving/store-uploads.ts';
import { UploadLocks } from '#server/features/uploads/receiving/upload-locks.ts';
import { uploadSessionRepository } from '#server/features/uploads/session-repository.ts';
import { createProber } from '#server/media/prober.ts';
import { RemoteCopies } from '#server/storage/remote-copies.ts';
import type { PartedStorage } from '#server/storage/storage.ts';
import { partBytes } from '#server/storage/storage.ts';
import { readS3Address } from '#server/storage/stores/s3-address.ts';
import { md5Of, S3Client } from '#server/storage/stores/s3-client.ts';
import { encodeJobs } from '#tests/support/media/encoding-server.ts';
import { makeWithFfmpeg } from '#tests/support/media/ffmpegs.ts';
import { jobTimes, patient, untilIdle } from '#tests/support/media/poster-server.ts';
import type { Person } from '#tests/support/people.ts';
import { InterruptedUpload } from '#tests/support/processes/interrupted-upload.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { isWholeSoak, soakCases, soakSeed } from '#tests/support/soak.ts';
import type { FaultyStore, StoreCall, StoreFault } from '#tests/support/storage/faulty-store.ts';
import { openFaultyStore } from '#tests/support/storage/faulty-store.ts';
import { openStore } from '#tests/support/storage/swift-store.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, tus, videoBytes } from '#tests/support/uploads.ts';
import { seededRandom } from '#tests/unit/server/id-sets/list-set.ts';

const real = await openStore(afterFile);
await real?.makeBucket('films');
const random = seededRandom(soakSeed);

describe.runIf(real !== null)('uploads into a store', () => {
  const clock = settableClock();
  let faulty: FaultyStore;
  let server: ServerUnderTest;
  let store: PartedStorage;
  let ada: Person;

  beforeAll(async () => {
    if (real === null) return;
    faulty = await openFaultyStore(real.host, afterFile);
    const STORAGE_URL = real.url('films/ours').replace(real.host, faulty.host);
    const env = { STORAGE_URL, STORAGE_SECRET: real.secret, DERIVED_GB: '1', UPLOAD_QUOTA_GB: '100' };
    server = await startServer({ env, overrides: { clock } }, afterFile);
    const { uploadFiles } = server.services;
    if (uploadFiles === null) throw new Error('Uploads lie on the disk.');
    store = uploadFiles;
  });
  beforeEach(async () => {
    faulty?.decide(() => 'pass');
    ada = await putUploader(server, `ada-${server.services.ids.short()}`);
  });

  const start = (...films: Buffer[]) =>
    SentUpload.start(
      server,
      ada,
      films.map(({ length }) => ({ file_size: length })),
    );

  /** A body that comes bit by bit. */
  async function sendSlowly(film: Buffer) {
    const [upload, body] = [await start(film), new PassThrough()];
    const headers = { ...upload.key, 'content-type': 'video/mp4', 'content-length': String(film.length) };
    const reply = server.call('PUT', upload.addressOf(), { headers, payload: body });
    reply.catch(() => {});
    let at = 0;
    const bring = (bytes: number) => {
      body.write(film.subarray(at, at + bytes));
      at += bytes;
    };
    const end = () => {
      body.end(film.subarray(at));
      return reply;
    };
    return { upload, film, bring, end };
  }

  async function listStored(): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of store.list('')) names.push(name);
    return names;
  }

  async function listParts(): Promise<string[]> {
    const names: string[] = [];
    for await (const { name } of store.listParts('')) names.push(name);
    return names;
  }

  const clientOf = () =>
    new S3Client(readS3Address(real?.url('films/ours').replace(real.host, faulty.host) ?? '', real?.secret ?? ''));

  const rowsOf = (id: string | undefined) =>
    server.services.database.reader
      .selectFrom('upload_parts')
      .select(['number', 'bytes'])
      .where('file_id', '=', id ?? '')
      .orderBy('number')
      .execute();

  async function playWhole(url: string): Promise<Buffer> {
    return (await server.get(url)).rawPayload;
  }

  test('arrive in parts of one length, become one file, and play from there', async () => {
    const film = filmOf(2 * partBytes + 100_000);
    const upload = await start(film);
    const calls = faulty.calls.length;
    expect((await upload.put(film)).statusCode).toBe(201);
    expect((await rowsOf(upload.session.files[0]?.id)).map(({ bytes }) => bytes)).toEqual([
      partBytes,
      partBytes,
      film.length - 2 * partBytes,
    ]);
    const sent = faulty.sentBytes();
    const completed = (await upload.complete(ada)).json();
    // The headers alone are read again.
    expect(faulty.sentBytes() - sent).toBeLessThan(600_000);
    expect(completed).toMatchObject({ success: true, videos: [{ size: film.length, duration: expect.any(Number) }] });
    expect((await playWhole(completed.videos[0].url)).equals(film)).toBe(true);
    const part = await server.get(completed.videos[0].url, { range: `bytes=${partBytes - 5}-${partBytes + 4}` });
    expect(part.rawPayload.equals(film.subarray(partBytes - 5, partBytes + 5))).toBe(true);
    expect(await listStored()).toContain(`videos/${completed.videos[0].path.split('/').slice(1).join('/')}`);
    expect((await listStored()).filter((name) => name.startsWith('parts/'))).toEqual([]);
    const kinds = faulty.calls
      .slice(calls)
      .filter(({ method, path }) => method === 'PUT' && path.includes('partNumber'));
    expect(kinds).toHaveLength(3);
  });

  test('go on where they ended, in bodies of any length, and no byte is sent twice', async () => {
    const film = filmOf(partBytes * 3 + 12_345);
    const upload = await start(film);
    for (const end of [1, 700_000, partBytes, partBytes + 1, 2 * partBytes + 77, 2 * partBytes + 78, film.length]) {
      const offset = await upload.offset();
      const reply = await upload.patch(offset, film.subarray(offset, end));
      expect([reply.statusCode, reply.headers['upload-offset']]).toEqual([204, String(end)]);
    }
    expect(await upload.offset()).toBe(film.length);
    const [video] = (await upload.complete(ada)).json().videos;
    expect((await playWhole(video.url)).equals(film)).toBe(true);
  });

  test('in many small bodies move few bytes, and leave few objects on the way', async () => {
    const film = filmOf(partBytes + 20_000);
    const upload = await start(film);
    const [calls, sent] = [faulty.calls.length, faulty.sentBytes()];
    for (let at = 0; at < 20_000; at += 1_000) await upload.patch(at, film.subarray(at, at + 1_000));
    const tails = async () => (await listStored()).filter((name) => name.startsWith('parts/')).length;
    await vi.waitFor(async () => expect(await tails()).toBeLessThanOrEqual(8));
    const put = faulty.calls
      .slice(calls)
      .map(({ method, headers }) => (method === 'PUT' ? Number(headers['content-length']) : 0));
    expect(put.reduce((sum, bytes) => sum + bytes, 0)).toBeLessThan(60_000);
    await upload.patch(20_000, film.subarray(20_000));
    await vi.waitFor(async () => expect(await tails()).toBe(0));
    expect(faulty.sentBytes() - sent).toBeLessThan(80_000);
    const [video] = (await upload.complete(ada)).json().videos;
    expect((await playWhole(video.url)).equals(film)).toBe(true);
  });

  test('count with their checksum or not at all', async () => {
    const film = filmOf(partBytes + 500_000);
    const upload = await start(film);
    await upload.patch(0, film.subarray(0, 300_000));
    const sumOf = (bytes: Buffer) => ({
      'upload-checksum': `sha256 ${createHash('sha256').update(bytes).digest('base64')}`,
    });
    const wrong = await upload.patch(300_000, Buffer.alloc(partBytes), sumOf(film));
    expect([wrong.statusCode, await upload.offset()]).toEqual([460, 300_000]);
    const rest = film.subarray(300_000);
    expect((await upload.patch(300_000, rest, sumOf(rest))).statusCode).toBe(204);
    const [video] = (await upload.complete(ada)).json().videos;
    expect((await playWhole(video.url)).equals(film)).toBe(true);
  });

  test('are replaced by a whole file', async () => {
    const [first, film] = [filmOf(partBytes + 9), filmOf(partBytes + 9)];
    const upload = await start(film);
    await upload.put(first);
    expect((await upload.put(film)).statusCode).toBe(201);
    const [video] = (await upload.complete(ada)).json().videos;
    expect((await playWhole(video.url)).equals(film)).toBe(true);
    expect(await listParts()).toEqual([]);
  });

  test('share the memory of twelve parts, and none of them is refused', async () => {
    const films = Array.from({ length: 12 }, (_, at) => filmOf(at % 6 === 0 ? partBytes + 100_000 : 500_000));
    const eve = await putUploader(server, `eve-${server.services.ids.short()}`);
    const sizes = films.map(({ length }) => ({ file_size: length }));
    const sent = await Promise.all([ada, eve].map((person) => SentUpload.start(server, person, sizes)));
    const mostTaken = countTakenMemory();
    const replies = await Promise.all(sent.flatMap((upload) => films.map((film, file) => upload.put(film, file))));
    expect(replies.map(({ statusCode }) => statusCode)).toEqual(replies.map(() => 201));
    expect(mostTaken()).toBeLessThanOrEqual(12);
    for (const upload of sent) {
      const { videos } = (await upload.complete(null)).json() as { videos: { url: string }[] };
      expect(videos).toHaveLength(films.length);
      expect((await playWhole(videos[0]?.url ?? '')).equals(films[0] ?? videoBytes())).toBe(true);
    }
  });

  test('that bring little make way for others, wait for their next turn, and lose nothing', async () => {
    const taken = countTakenMemory();
    const slow = await Promise.all(Array.from({ length: 12 }, () => sendSlowly(filmOf(300_000))));
    for (const { bring } of slow) bring(100_000);
    await vi.waitFor(() => expect(taken()).toBe(12));
    const film = filmOf(200_000);
    const other = await start(film);
    let status = 0;
    void other.put(film).then((reply) => {
      status = reply.statusCode;
    });
    clock.pass(5_000);
    await vi.waitFor(() => {
      slow[0]?.bring(10);
      expect(status).toBe(201);
    });
    for (const { end } of slow) expect((await end()).statusCode).toBe(201);
    for (const { upload, film: bytes } of [...slow, { upload: other, film }]) {
      const [video] = (await upload.complete(null)).json().videos;
      expect((await playWhole(video.url)).equals(bytes)).toBe(true);
    }
  });

  test('that wait for memory end when their client goes on elsewhere', async () => {
    const taken = countTakenMemory();
    const slow = await Promise.all(Array.from({ length: 12 }, () => sendSlowly(filmOf(100_000))));
    for (const { bring } of slow) bring(50_000);
    await vi.waitFor(() => expect(taken()).toBe(12));
    const film = filmOf(100_000);
    const waits = await sendSlowly(film);
    waits.bring(100_000);
    await vi.waitFor(() => expect(PartMemory.prototype.take).toHaveBeenCalledTimes(13));
    expect(await waits.upload.offset()).toBe(0);
    await expect(waits.end()).rejects.toThrow('destroyed');
    for (const { end } of slow) expect((await end()).statusCode).toBe(201);
    expect((await waits.upload.patch(0, film)).statusCode).toBe(204);
    for (const { upload } of [...slow, waits]) expect((await upload.complete(null)).json().success).toBe(true);
  });

  test('leave nothing when they are cancelled', async () => {
    const before = await listStored();
    const film = filmOf(partBytes + 9);
    const upload = await start(film, film);
    await upload.patch(0, film.subarray(0, partBytes + 5));
    expect((await server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: ada.headers })).statusCode).toBe(
      204,
    );
    expect(await listStored()).toEqual(before);
    expect(await listParts()).toEqual([]);
    expect(await rowsOf(upload.session.files[0]?.id)).toEqual([]);
  });

  test('with the same bytes become one video, without a byte being read again', async () => {
    const film = filmOf(partBytes + 4_000);
    const other = Buffer.from(film);
    // Between the samples of the fingerprint.
    other[partBytes - 7] = (other[partBytes - 7] ?? 0) ^ 0xff;
    const ids: string[] = [];
    for (const bytes of [film, film, other]) {
      const upload = await start(bytes);
      await upload.put(bytes);
      const sent = faulty.sentBytes();
      ids.push((await upload.complete(ada)).json().videos[0].id);
      expect(faulty.sentBytes() - sent).toBeLessThan(600_000);
    }
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  test('begin again when the store has forgotten them, and say so', async () => {
    const film = filmOf(partBytes + 300);
    const upload = await start(film);
    await upload.patch(0, film.subarray(0, partBytes));
    for await (const { name, parts } of store.listParts('')) await store.dropParts(name, parts);
    const reply = await upload.patch(partBytes, film.subarray(partBytes));
    expect([reply.statusCode, await upload.offset()]).toEqual([409, 0]);
    expect((await upload.put(film)).statusCode).toBe(201);
    expect((await upload.complete(ada)).json()).toMatchObject({ success: true });
  });

  test('begin again when the store holds other bytes in their place', async () => {
    const film = filmOf(2 * partBytes + 3);
    const upload = await start(film);
    await upload.patch(0, film.subarray(0, partBytes));
    const wrong = Buffer.alloc(partBytes, 'wrong');
    for await (const { name, parts } of store.listParts(''))
      await store.putPart(name, parts, { number: 1, bytes: wrong, md5: md5Of(wrong) });
    await upload.patch(partBytes, film.subarray(partBytes));
    expect([(await upload.complete(ada)).statusCode, await upload.offset()]).toEqual([409, 0]);
    await upload.put(film);
    const [video] = (await upload.complete(ada)).json().videos;
    expect((await playWhole(video.url)).equals(film)).toBe(true);
  });

  test('begin again when a database from a backup does not know their parts', async () => {
    const film = filmOf(partBytes + 3);
    const upload = await start(film);
    await upload.put(film);
    await server.services.database.write((transaction) => transaction.deleteFrom('upload_parts').execute());
    expect(await upload.offset()).toBe(0);
    await upload.put(film);
    expect((await upload.complete(ada)).json()).toMatchObject({ success: true });
  });

  test('of many pieces are read from a copy, which is waited for, and too large ones say why they do not play', async () => {
    const film = Buffer.concat([videoBytes(), ...Array.from({ length: 120 }, () => boxOf(70_000))]);
    const upload = await start(film);
    await upload.put(film);
    const [video] = (await upload.complete(ada)).json().videos;
    expect((await playWhole(video.url)).equals(film)).toBe(true);
    const path = video.path.slice(video.path.indexOf('/') + 1);
    const prober = createProber();
    const { database, ids } = server.services;
    const { promise: turn, resolve: go } = Promise.withResolvers<void>();
    const slowly: PartedStorage = Object.create(store);
    slowly.local = async (...file) => {
      await turn;
      return store.local(...file);
    };
    const waiting = { storage: slowly, database, ids, clock, prober };
    const impatient = new StoreUploads({ ...waiting, patienceMs: 10 });
    expect(await impatient.readHeaders({ path, size: film.length })).toBeNull();
    go();
    expect((await new StoreUploads(waiting).readHeaders({ path, size: film.length }))?.probe.reason).toBe(null);
    const full: PartedStorage = Object.create(store);
    full.local = (name, signal) => noRoom.hold(clientOf(), `uploads/${name}`, signal);
    const noRoom = new RemoteCopies(temporaryFolder(), async () => 1_000_000);
    const small = new StoreUploads({ storage: full, database, ids, clock, prober });
    expect((await small.readHeaders({ path, size: film.length }))?.probe.reason).toBe('too_complex');
    await prober.close();
  });

  test('that are no videos are refused in words, and go', async () => {
    const before = await listStored();
    const text = Buffer.alloc(100_000, 'This is not a video. ');
    const upload = await start(text);
    await upload.put(text);
    expect((await upload.complete(ada)).json()).toMatchObject({ success: false, videos: [] });
    expect(await listStored()).toEqual(before);
  });

  test('of the dead are swept once they are older than the margin of the clock, and those of others stay', async () => {
    const film = filmOf(partBytes + 300_000);
    const upload = await start(film);
    await upload.patch(0, film.subarray(0, partBytes + 1));
    const { uploads } = server.services;
    await store.put('parts/0-0/stray', inOnePiece(Buffer.from('x')), { bytes: 1, type: 'video/mp4' });
    await store.beginParts('videos/ab/0-0.mp4', 'video/mp4');
    await uploads.storage.sweep(clock.now());
    expect(await listStored()).toContain('parts/0-0/stray');
    clock.pass(23 * 3_600_000);
    // So many bytes keep a session alive.
    await upload.patch(partBytes + 1, film.subarray(partBytes + 1, -1));
    clock.pass(2 * 3_600_000);
    await uploads.storage.sweep(clock.now());
    expect(await listStored()).not.toContain('parts/0-0/stray');
    expect(await listParts()).toEqual([expect.stringContaining(upload.session.files[0]?.id ?? '-')]);
    await upload.patch(film.length - 1, film.subarray(-1));
    expect((await upload.complete(null)).json()).toMatchObject({ success: true });
  });

  test.each([
    ['before the first part', 0],
    ['in the middle', partBytes],
  ])('of a node that has lost the lock %s do not count', async (_, begun) => {
    const { database, ids, uploads } = server.services;
    const film = filmOf(2 * partBytes + 9);
    const upload = await start(film);
    if (begun > 0) await upload.patch(0, film.subarray(0, begun));
    const [file] = await uploadSessionRepository.listFiles(database.reader, upload.id);
    if (file === undefined) throw new Error('There is no file.');
    const takeLock = () => new UploadLocks({ database, clock, ids, times: { renewMs: 1_000_000 } }).take(file, true);
    const frozen = await takeLock();
    const lost = await uploads.storage.openPart(file, frozen);
    clock.pass(9_000);
    const next = await takeLock();
    const part = await uploads.storage.openPart(file, next);
    await part.append([film.subarray(begun, 2 * partBytes)]);
    await part.sync();
    await part.close();
    await next.release();
    await lost.append([Buffer.alloc(partBytes, 'wrong')]);
    await expect(lost.sync()).rejects.toMatchObject({ code: 'locked' });
    await lost.close();
    expect(await upload.offset()).toBe(2 * partBytes);
    await upload.patch(2 * partBytes, film.subarray(2 * partBytes));
    const [video] = (await upload.complete(null)).json().videos;
    expect((await playWhole(video.url)).equals(film)).toBe(true);
  });

  test('of a node that has lost the lock take nothing away from the video that another node has made', async () => {
    const { database, ids, uploads } = server.services;
    const film = filmOf(2 * partBytes + 9);
    const upload = await start(film);
    await upload.patch(0, film.subarray(0, partBytes));
    const [file] = await uploadSessionRepository.listFiles(database.reader, upload.id);
    if (file === undefined) throw new Error('There is no file.');
    const frozen = await new UploadLocks({ database, clock, ids, times: { renewMs: 1_000_000 } }).take(file, true);
    const lost = await uploads.storage.openPart(file, frozen);
    clock.pass(9_000);
    await upload.patch(partBytes, film.subarray(partBytes));
    const [video] = (await upload.complete(null)).json().videos;
    await lost.append([Buffer.alloc(partBytes, 'wrong')]).catch(() => {});
    await expect(lost.sync()).rejects.toMatchObject({ code: 'locked' });
    await lost.close();
    expect((await playWhole(video.url)).equals(film)).toBe(true);
  });

  const isPart = (number: number) => (call: StoreCall) => call.path.includes(`partNumber=${number}&`);
  const kills: [string, (call: StoreCall) => boolean][] = [
    ['its first call', () => true],
    ['the first part', isPart(1)],
    ['the second part', isPart(2)],
    ['a tail', ({ method, path }) => method === 'PUT' && path.includes('/parts/')],
    ['the last part', isPart(3)],
    ['the joining', ({ method, path }) => method === 'POST' && path.includes('uploadId=')],
    ['the question after it', ({ method, path }) => method === 'HEAD' && path.includes('/videos/')],
    ['the reading of headers', ({ method, path }) => method === 'GET' && path.includes('/videos/')],
  ];

  test.each(soakCases(kills, 8))(
    'to a server that is killed at %s go on at the next one, and one row and one file come of it',
    async (_, isPoint) => {
      if (real === null) return;
      const film = join(temporaryFolder(), 'film.mp4');
      writeFileSync(film, filmOf(2 * partBytes + 1_000_000));
      const url = real.url(`films/killed-${server.services.ids.short()}`).replace(real.host, faulty.host);
      const env = { STORAGE_URL: url, STORAGE_SECRET: real.secret, DERIVED_GB: '1' };
      const upload = await InterruptedUpload.open({ film, env });
      for (const fault of ['reset', 'lose'] as const) {
        // Its kill point of its own is never reached.
        const never = { call: 'commit', count: Number.POSITIVE_INFINITY, when: 'before' } as const;
        const wasKilled = await upload.killAt(never, (child) => {
          faulty.decide((call) => {
            if (child.killed || !call.path.includes('uploads') || !isPoint(call)) return 'pass';
            child.kill('SIGKILL');
            return fault;
          });
        });
        expect(wasKilled).toBe(true);
      }
      faulty.decide(() => 'pass');
      await upload.finish();
    },
  );

  test('end as the same bytes or an error in words, whatever the store does', async () => {
    const faults: StoreFault[] = ['refuse', 'reset', 'lose', 'cut', 'late-error'];
    const before = await listStored();
    let stored = 0;
    const count = isWholeSoak ? 60 : 10;
    for (let film = 0; film < count; film += 1) {
      // A person has so many calls a minute, and a token for a quarter of an hour.
      clock.pass(60_000);
      ada = await putUploader(server, `ada-${server.services.ids.short()}`);
      const bytes = filmOf(1_000_000 + random(isWholeSoak ? 40_000_000 : 9_000_000));
      const upload = await start(bytes);
      faulty.decide(() => (random(6) === 0 ? (faults[random(faults.length)] ?? 'pass') : 'pass'));
      const offset = async () => Number((await upload.send('HEAD', { headers: tus })).headers['upload-offset'] ?? -1);
      let completed = { success: false, videos: [] as { url: string }[] };
      for (let tries = 0; tries < 200 && !completed.success; tries += 1) {
        const at = await offset();
        if (at >= 0 && at < bytes.length)
          await upload.patch(at, bytes.subarray(at, at + 1 + random(bytes.length - at)));
        if (at !== bytes.length) continue;
        const reply = await upload.complete(ada);
        if (reply.statusCode === 200) completed = reply.json();
        else expect(reply.json()).toMatchObject({ message: expect.any(String) });
      }
      faulty.decide(() => 'pass');
      expect(completed, `SOAK_SEED=${soakSeed}, film ${film}`).toMatchObject({ success: true });
      expect((await playWhole(completed.videos[0]?.url ?? '')).equals(bytes)).toBe(true);
      stored += 1;
    }
    clock.pass(25 * 3_600_000);
    await server.services.uploads.storage.sweep(clock.now());
    expect((await listStored()).filter((name) => name.startsWith('videos/'))).toHaveLength(
      before.filter((name) => name.startsWith('videos/')).length + stored,
    );
    expect((await listStored()).filter((name) => name.startsWith('parts/'))).toEqual([]);
    expect(await listParts()).toEqual([]);
  });
});

async function startWorking(place: string): Promise<{ server: ServerUnderTest; admin: Person }> {
  const env = { STORAGE_URL: real?.url(place) ?? '', STORAGE_SECRET: real?.secret ?? '', DERIVED_GB: '1' };
  const server = await startServer({ env, overrides: { jobTimes } });
  await server.services.startWork();
  return { server, admin: await putUploader(server, 'root', 'admin') };
}

test.runIf(real !== null)('nothing but an encoding that is waited for takes a copy of a whole upload', async () => {
  const { server, admin } = await startWorking('films/without-copies');
  const minute = filmOf(
    3 * partBytes,
    readFileSync(
      makeWithFfmpeg(join(temporaryFolder(), 'minute.mp4'), '-f', 'lavfi', '-i', 'color=red:s=64x48:d=60:r=5'),
    ),
  );
  const first = await SentUpload.start(server, admin, [{ file_size: minute.length }]);
  await first.put(minute);
  const [long] = (await first.complete(admin)).json().files;
  await vi.waitFor(async () => {
    expect((await server.get(`/api/videos/${long.video_id}/poster`, admin.headers)).statusCode).toBe(200);
  }, patient);
  await untilIdle(server);
  // Its poster needs no copy of the whole file.
  expect(readdirSync(join(server.services.folders.cache, 'remote'))).toEqual([]);
  // An encoding for which a copy would have to be fetched is made only for those who wait.
  const { encodings, database, uploadFiles } = server.services;
  const film = await database.reader
    .selectFrom('videos')
    .selectAll()
    .where('id', '=', long.video_id)
    .executeTakeFirstOrThrow();
  encodings.countPick(film.number);
  await encodings.tick();
  await untilIdle(server);
  expect(await encodeJobs(server)).toEqual([]);
  await (await uploadFiles?.local(`videos/${film.path}`, new AbortController().signal))?.[Symbol.asyncDispose]();
  await encodings.tick();
  await untilIdle(server);
  expect(await encodeJobs(server)).toHaveLength(1);
});

test.runIf(real !== null)(
  'a film that no browser plays is encoded, removed, brought back and purged in the store',
  async () => {
    const { server, admin } = await startWorking('films/at-work');
    const { uploadFiles } = server.services;
    const avi = readFileSync(
      makeWithFfmpeg(join(temporaryFolder(), 'film.avi'), '-f', 'lavfi', '-i', 'color=red:s=64x48:d=1:r=5'),
    );
    const upload = await SentUpload.start(server, admin, [{ file_size: avi.length, filename: 'film.avi' }]);
    await upload.put(avi);
    const [entry] = (await upload.complete(admin)).json().files;
    await untilIdle(server);
    const listed = async () => {
      const names: string[] = [];
      for await (const { name } of uploadFiles?.list('videos/') ?? []) names.push(name);
      return names;
    };
    // The sets follow the database a moment later.
    const picked = () =>
      vi.waitFor(async () => {
        const video = (await server.get('/api/video/top-left', admin.headers)).json();
        expect(video).toMatchObject({ url: expect.any(String), poster_url: expect.any(String) });
        return video;
      });
    const { url, poster_url: poster } = await picked();
    expect((await server.get(url, admin.headers)).headers['content-type']).toBe('video/mp4');
    expect((await server.get(poster, admin.headers)).headers['content-type']).toBe('image/webp');
    const removed = () => server.call('DELETE', `/api/upload/file/${entry.id}`, { headers: admin.headers });
    expect((await removed()).statusCode).toBe(204);
    expect((await server.get(url, admin.headers)).statusCode).toBe(404);
    expect(await listed()).toHaveLength(1);
    const bring = `/api/admin/uploads/removed/${entry.id}`;
    expect((await server.call('POST', `${bring}/restore`, { headers: admin.headers })).statusCode).toBe(204);
    await untilIdle(server);
    expect((await server.get((await picked()).url, admin.headers)).headers['content-type']).toBe('video/mp4');
    // A run of the reconciler finds what it should.
    await server.services.uploads.reconciler.run();
    expect((await server.get((await picked()).url, admin.headers)).statusCode).toBe(200);
    await removed();
    expect((await server.call('DELETE', bring, { headers: admin.headers })).statusCode).toBe(204);
    expect(await listed()).toEqual([]);
  },
);

/** Counts the memory for parts. @returns a function that tells how many were taken at once at most */
function countTakenMemory(): () => number {
  let [now, most] = [0, 0];
  const { take, giveBack } = PartMemory.prototype;
  const taking = vi.spyOn(PartMemory.prototype, 'take').mockImplementation(async function (this: PartMemory, signal) {
    const taken = await take.call(this, signal);
    now += 1;
    most = Math.max(most, now);
    return taken;
  });
  const giving = vi.spyOn(PartMemory.prototype, 'giveBack').mockImplementation(function (this: PartMemory, memory) {
    now -= 1;
    giveBack.call(this, memory);
  });
  onTestFinished(() => {
    taking.mockRestore();
    giving.mockRestore();
  });
  return () => most;
}

let made = 0;

/** A film of this length that nobody else has. */
function filmOf(bytes: number, head = videoBytes()): Buffer {
  const rest = Buffer.alloc(bytes - head.length);
  boxOf(rest.length).copy(rest, 0, 0, 8);
  made += 1;
  for (let at = 8; at + 8 <= rest.length; at += 997) rest.writeUInt32BE((made * 1_000_003 + at) >>> 0, at);
  return Buffer.concat([head, rest]);
}

/** A box of a type that no reader knows: it is passed over. */
function boxOf(bytes: number): Buffer {
  const box = Buffer.alloc(bytes);
  box.writeUInt32BE(bytes, 0);
  box.write('uniq', 4, 'latin1');
  return box;
}

async function* inOnePiece(bytes: Buffer): AsyncIterable<Uint8Array> {
  yield bytes;
}
