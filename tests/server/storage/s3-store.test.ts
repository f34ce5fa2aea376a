import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { dirname, join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { openDatabase } from '#server/database/connection.ts';
import { databaseFile } from '#server/database/database-address.ts';
import { migrate } from '#server/database/migrate.ts';
import { EnvRefused } from '#server/env.ts';
import { isDiskFull } from '#server/storage/disk-space.ts';
import { fileVersionOf } from '#server/storage/open-for-reading.ts';
import { RemoteCopies } from '#server/storage/remote-copies.ts';
import { BucketStorage } from '#server/storage/stores/bucket-storage.ts';
import { readS3Address } from '#server/storage/stores/s3-address.ts';
import { md5Of, S3Client } from '#server/storage/stores/s3-client.ts';
import { StoreAway, StoreRefusal } from '#server/storage/stores/store-calls.ts';
import { storeEncoding, storeStoryboard } from '#tests/support/media/stored-encodings.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import type { Person } from '#tests/support/people.ts';
import { putPerson } from '#tests/support/people.ts';
import { isStopped } from '#tests/support/processes/processes.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import type { FaultyStore } from '#tests/support/storage/faulty-store.ts';
import { openFaultyStore } from '#tests/support/storage/faulty-store.ts';
import { provesStorage } from '#tests/support/storage/storage-contract.ts';
import { openStore } from '#tests/support/storage/swift-store.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const real = await openStore(afterFile);
await real?.makeBucket('films');
let places = 0;

describe.runIf(real !== null)('a storage in a store', () => {
  function openClient(pageLength?: number): S3Client {
    if (real === null) throw new Error('There is no store.');
    return new S3Client(
      readS3Address(real.url(`films/${places++}`), real.secret),
      pageLength === undefined ? {} : { pageLength },
    );
  }
  const openStorage = (client = openClient()) =>
    new BucketStorage(client, 'derived/', new RemoteCopies(join(temporaryFolder(), 'copies'), async () => 1e9));

  provesStorage(() => openStorage());

  test('lists more files than one answer holds, in the order of their names', async () => {
    const storage = openStorage(openClient(7));
    const names = Array.from({ length: 40 }, (_, at) => `ab/${String(at).padStart(4, '0')}`);
    const store = async (name: string) =>
      storage.put(name, inOnePiece(Buffer.from('x')), { bytes: 1, type: 'text/vtt' });
    await Promise.all(names.map(store));
    const listed: string[] = [];
    for await (const { name } of storage.list('')) listed.push(name);
    expect(listed).toEqual(names);
  });

  test('stores a large file in parts, and leaves none of them behind when its bytes break off', async () => {
    const client = openClient();
    const storage = openStorage(client);
    const bytes = Buffer.alloc(17 * 1024 * 1024, 'four videos');
    await storage.put('film', inOnePiece(bytes), { bytes: bytes.length, type: 'video/mp4' });
    expect((await storage.read('film'))?.equals(bytes)).toBe(true);
    const half = storage.put('half', inOnePiece(bytes.subarray(9)), { bytes: bytes.length, type: 'video/mp4' });
    await expect(half).rejects.toThrow('another length');
    expect(await storage.find('half')).toBeNull();
    for await (const { key } of client.listMultiparts('')) throw new Error(`${key} is left.`);
  });

  test('ends what a dead process has begun, when it is old, and nothing of another prefix', async () => {
    const client = openClient();
    const storage = openStorage(client);
    await client.beginMultipart('derived/half', 'video/mp4');
    await client.beginMultipart('other/half', 'video/mp4');
    const listKeys = async () => {
      const keys: string[] = [];
      for await (const { key } of client.listMultiparts('')) keys.push(key);
      return keys;
    };
    await storage.removeUnfinished(Date.now() - 3_600_000);
    expect(await listKeys()).toEqual(['derived/half', 'other/half']);
    await storage.removeUnfinished(Date.now() + 3_600_000);
    expect(await listKeys()).toEqual(['other/half']);
  });

  test('gives a name that leads elsewhere to nobody', async () => {
    const storage = openStorage();
    for (const name of ['', '/', '../other', 'ab//one', 'ab/', 'ab/./one', 'x'.repeat(1_025)])
      expect(() => storage.find(name)).toThrow('names no file');
  });
});

describe.runIf(real !== null)('a store that fails', () => {
  let faulty: FaultyStore;
  let client: S3Client;
  /** Milliseconds that have passed, by the clock of the client. */
  let elapsed: number;

  beforeEach(async () => {
    if (real === null) return;
    faulty = await openFaultyStore(real.host, afterFile);
    elapsed = 0;
    const url = real.url(`films/${places++}`).replace(real.host, faulty.host);
    client = new S3Client(readS3Address(url, real.secret), {
      elapsed: () => elapsed,
      pause: async (ms) => {
        elapsed += ms;
      },
    });
  });

  const body = Buffer.alloc(200_000, 'film');

  async function readAll(key: string): Promise<Buffer | null> {
    const found = await client.get(key, null);
    return found === null ? null : joinAll(found.bytes);
  }

  test.each(['refuse', 'reset', 'lose'] as const)(
    'at every second call (%s) is asked again, and all is stored',
    async (fault) => {
      faulty.decide((_, number) => (number % 2 === 1 ? fault : 'pass'));
      await client.put('one', body, 'video/mp4');
      const id = await client.beginMultipart('two', 'video/mp4');
      const etag = await client.putPart('two', id, { number: 1, bytes: body, md5: md5Of(body) });
      await client.completeMultipart('two', id, [{ number: 1, etag }]);
      faulty.decide(() => 'pass');
      expect([(await readAll('one'))?.equals(body), (await readAll('two'))?.equals(body)]).toEqual([true, true]);
      expect(client.facts.retries).toBeGreaterThan(0);
      expect(client.facts.isCircuitOpen).toBe(false);
    },
  );

  test('that loses the answer to the end of a file has stored the file', async () => {
    const id = await client.beginMultipart('one', 'video/mp4');
    const etag = await client.putPart('one', id, { number: 1, bytes: body, md5: md5Of(body) });
    let ends = 0;
    faulty.decide(({ method }) => (method === 'POST' && ends++ === 0 ? 'lose' : 'pass'));
    await client.completeMultipart('one', id, [{ number: 1, etag }]);
    expect((await readAll('one'))?.equals(body)).toBe(true);
  });

  test('that answers 200 with an error in it has failed', async () => {
    const id = await client.beginMultipart('one', 'video/mp4');
    const etag = await client.putPart('one', id, { number: 1, bytes: body, md5: md5Of(body) });
    faulty.decide(({ method }) => (method === 'POST' ? 'late-error' : 'pass'));
    await expect(client.completeMultipart('one', id, [{ number: 1, etag }])).rejects.toThrow('InternalError');
    faulty.decide(() => 'pass');
    expect(await client.head('one')).toBeNull();
    await client.completeMultipart('one', id, [{ number: 1, etag }]);
    expect((await readAll('one'))?.equals(body)).toBe(true);
  });

  test('that has forgotten a file that was begun says so', async () => {
    const id = await client.beginMultipart('one', 'video/mp4');
    const etag = await client.putPart('one', id, { number: 1, bytes: body, md5: md5Of(body) });
    await client.abortMultipart('one', id);
    const end = () => client.completeMultipart('one', id, [{ number: 1, etag }]);
    await expect(end()).rejects.toMatchObject({ code: 'NoSuchUpload' });
    faulty.decide(({ method }) => (method === 'POST' ? 'late-error' : 'pass'));
    await expect(end()).rejects.toMatchObject({ code: 'NoSuchUpload' });
  });

  test('whose answer breaks off gives no shorter file', async () => {
    await client.put('one', body, 'video/mp4');
    faulty.decide(() => 'cut');
    await expect(readAll('one')).rejects.toBeInstanceOf(StoreAway);
  });

  test('that answers nothing any more is not asked for five seconds, and then by one call', async () => {
    faulty.decide(() => 'refuse');
    await expect(client.head('one')).rejects.toThrow('503');
    await expect(client.head('one')).rejects.toThrow();
    const asked = faulty.calls.length;
    expect(client.facts.isCircuitOpen).toBe(true);
    await expect(client.head('one')).rejects.toThrow(StoreAway);
    expect(faulty.calls.length).toBe(asked);
    elapsed += 5_000;
    faulty.decide(() => 'pass');
    const [first, second] = await Promise.allSettled([client.head('one'), client.head('one')]);
    expect([first?.status, second?.status]).toEqual(['fulfilled', 'rejected']);
    expect(await client.head('one')).toBeNull();
    expect(client.facts).toMatchObject({ isCircuitOpen: false, lastFailure: null });
  });

  test('whose clock is an hour ahead is asked by its own time', async () => {
    let calls = 0;
    faulty.decide(() => (calls++ === 0 ? 'skewed' : 'pass'));
    // The store itself has the right time, so that it refuses what is signed for an hour later.
    await expect(client.get('one', null)).rejects.toThrow('403');
    expect(Math.round(client.facts.clockOffMs / 60_000)).toBe(60);
    const [, second] = faulty.calls;
    const stamp = String(second?.headers['x-amz-date']).replace(/^(....)(..)(..)T(..)(..)(..)Z$/, '$1-$2-$3T$4:$5:$6Z');
    expect(Math.round((Date.parse(stamp) - Date.now()) / 60_000)).toBe(60);
  });

  test('whose clock is ahead is asked by its own time also where an answer has no body', async () => {
    faulty.decide(() => 'skewed');
    await expect(client.head('one')).rejects.toThrow('403');
    expect([faulty.calls.length, Math.round(client.facts.clockOffMs / 60_000)]).toEqual([2, 60]);
  });

  test('that a gateway answers for has no empty listing', async () => {
    faulty.decide(() => 'page');
    const listing = client.list('')[Symbol.asyncIterator]();
    await expect(listing.next()).rejects.toThrow('another document');
  });

  test.each([
    ['does not begin an answer within ten seconds', 'freeze', 10_000, 'does not answer'],
    ['stops in the middle of an answer for 15 seconds', 'stall', 15_000, 'stopped'],
  ] as const)('that %s is away', async (_, fault, limitMs, words) => {
    await client.put('one', Buffer.alloc(4_000_000), 'video/mp4');
    faulty.decide(() => fault);
    const begun = fault === 'stall' ? await client.get('one', null) : null;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    let failure: unknown = null;
    (begun === null ? readAll('one') : joinAll(begun.bytes)).catch((error: unknown) => {
      failure = error;
    });
    let passed = 0;
    for (; failure === null; passed += 500) {
      await vi.advanceTimersByTimeAsync(500);
      // The network takes its own time.
      for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    }
    expect(failure).toBeInstanceOf(StoreAway);
    expect(String(failure)).toContain(words);
    expect(passed).toBeGreaterThanOrEqual(limitMs - 500);
  });

  test('that takes no connection within three seconds is away', async () => {
    const port = await listenDeaf();
    let now = 0;
    // One attempt takes all the time that there is.
    const deps = { elapsed: () => (now += 10_000), pause: async () => {} };
    const deaf = new S3Client(readS3Address(`s3://site@127.0.0.1:${port}/films?tls=off`, 'secret'), deps);
    await expect(deaf.head('one')).rejects.toMatchObject({ cause: { cause: { code: 'UND_ERR_CONNECT_TIMEOUT' } } });
  });

  test('is not away because those who asked have left', async () => {
    for (let turn = 0; turn < 6; turn += 1) {
      const left = new AbortController();
      faulty.decide(() => {
        left.abort(new Error('I have to go.'));
        return 'pass';
      });
      await expect(client.get('one', null, left.signal)).rejects.toThrow('I have to go.');
    }
    faulty.decide(() => 'pass');
    expect(await client.head('one')).toBeNull();
    expect(client.facts).toMatchObject({ isCircuitOpen: false, retries: 0 });
  });

  test('is told at once when nobody wants an answer any more, also before its first byte', async () => {
    await client.put('one', Buffer.alloc(4_000_000), 'video/mp4');
    const found = await client.get('one', null);
    expect(faulty.openAnswers()).toBe(1);
    await found?.bytes[Symbol.asyncIterator]().return?.();
    await vi.waitFor(() => expect(faulty.openAnswers()).toBe(0), { timeout: 10_000 });
  });

  test.each([
    ['a wrong secret', 'films', 'wrong', /SignatureDoesNotMatch|403/],
    ['no such bucket', 'nothing-here', undefined, /NoSuchBucket/],
  ])('says what is wrong with %s, at once and without the secret', async (_, bucket, secret, words) => {
    if (real === null) return;
    const address = readS3Address(real.url(bucket).replace(real.host, faulty.host), secret ?? real.secret);
    const refused = await new S3Client(address).put('one', body, 'video/mp4').catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(StoreRefusal);
    expect(String(refused)).toMatch(words);
    expect(JSON.stringify([String(refused), refused])).not.toContain(address.secret);
    expect(faulty.calls).toHaveLength(1);
  });
});

test.each([
  [new StoreRefusal(507, '', 'put'), true],
  [new StoreRefusal(403, 'QuotaExceeded', 'put'), true],
  [new StoreRefusal(403, 'storage_cap_exceeded', 'put'), true],
  [new StoreRefusal(403, 'AccessDenied', 'put'), false],
  [new StoreAway('The store does not answer.'), false],
])('%s is a full disk: %s', (error, isFull) => {
  expect(isDiskFull(error)).toBe(isFull);
});

describe.runIf(real !== null)('a site that keeps its files in a store', () => {
  const clock = settableClock();
  let faulty: FaultyStore;
  let server: ServerUnderTest;
  let admin: Person;
  let url: string;
  const bytes = Buffer.alloc(2_000_003, 'an encoding of a film ');
  let content: string;

  const envOf = (STORAGE_URL: string) => ({ STORAGE_URL, STORAGE_SECRET: real?.secret ?? '', DERIVED_GB: '1' });

  beforeAll(async () => {
    if (real === null) return;
    faulty = await openFaultyStore(real.host, afterFile);
    url = real.url('films/ours').replace(real.host, faulty.host);
    const folder = temporaryFolder(afterFile);
    copyFileSync(largeVideo(), join(folder, 'film.mp4'));
    server = await startServer({ library: [folder], env: envOf(url), overrides: { clock } }, afterFile);
    admin = await putPerson(server, 'root', 'admin');
    content = await storeEncoding(server, 'film.mp4', 'grid', bytes);
  });

  const path = () => `/api/video/stream?path=film.mp4&rendition=grid&version=${content}`;
  const getsOf = (from: number) =>
    faulty.calls.slice(from).filter(({ method, path: called }) => method === 'GET' && called.includes(content));

  test('sends an encoding from there, with one call for an answer', async () => {
    for (const range of [undefined, 'bytes=0-', 'bytes=1000-1999', 'bytes=-77', 'bytes=1999999-']) {
      const before = faulty.calls.length;
      const reply = await server.get(path(), range === undefined ? {} : { range });
      const [, first = '', last = ''] = /=(\d*)-(\d*)/.exec(range ?? '') ?? [];
      const start = first === '' && range !== undefined ? bytes.length - Number(last) : Number(first);
      const end = first === '' || last === '' ? bytes.length : Number(last) + 1;
      expect(reply.statusCode).toBe(range === undefined ? 200 : 206);
      expect(reply.rawPayload.equals(bytes.subarray(start, end))).toBe(true);
      expect(getsOf(before).map(({ headers }) => headers.range)).toEqual([`bytes=${start}-${end - 1}`]);
    }
  });

  test('asks the store nothing for an answer without bytes', async () => {
    const before = faulty.calls.length;
    const etag = `"${content}"`;
    expect((await server.get(path(), { 'if-none-match': etag })).statusCode).toBe(304);
    expect((await server.call('HEAD', path())).headers['content-length']).toBe(String(bytes.length));
    expect((await server.get(path(), { range: 'bytes=9000000-' })).statusCode).toBe(416);
    expect(faulty.calls.length).toBe(before);
  });

  test('says that it is busy while the store refuses, and sends again afterwards', async () => {
    faulty.decide(({ path: called }) => (called.includes(content) ? 'refuse' : 'pass'));
    const refused = await server.get(path(), { range: 'bytes=0-99' });
    faulty.decide(() => 'pass');
    expect([refused.statusCode, refused.headers['retry-after']]).toEqual([503, '5']);
    expect((await server.get(path(), { range: 'bytes=0-99' })).rawPayload.equals(bytes.subarray(0, 100))).toBe(true);
    expect(server.logged()).toContain('the store did not give what was asked of it');
  });

  test('keeps sheets and posters there, and says no more than others where they are gone', async () => {
    const sheet = await storeStoryboard(server, 'film.mp4', Buffer.from('RIFF sheet'));
    const { id } = await server.services.database.reader.selectFrom('videos').select('id').executeTakeFirstOrThrow();
    const address = `/api/videos/${id}/storyboard?version=${sheet}`;
    expect((await server.get(address)).body).toBe('RIFF sheet');
    await server.services.derivedFiles.remove(sheet, '.webp');
    expect((await server.get(address)).statusCode).toBe(404);
    const poster = await server.services.posterFiles.put(Buffer.from('RIFF poster'), '.webp');
    expect((await server.services.posterFiles.read(poster.content, '.webp'))?.toString()).toBe('RIFF poster');
  });

  test('forgets an encoding that is gone from the store', async () => {
    const lost = await storeEncoding(server, 'film.mp4', 'hd', Buffer.alloc(100_000, 'lost'));
    await server.services.derivedFiles.remove(lost, '.mp4');
    // Rows that were just read are not read again.
    clock.pass(3_000);
    const address = path().replace(content, lost).replace('grid', 'hd');
    expect((await server.get(address, admin.headers)).statusCode).toBe(404);
    const rows = await server.services.database.reader.selectFrom('encodings').select('content').execute();
    expect(rows.map((row) => row.content)).toEqual([content]);
  });

  test('removes by a sweep what nobody uses, and nothing of others', async () => {
    if (real === null) return;
    const stray = await server.services.derivedFiles.put(Buffer.from('stray'), '.vtt');
    const used = async () => new Set([content]);
    // A store's clock may be off by a day.
    await server.services.derivedFiles.sweep(Date.now() + 60_000, used);
    expect(await server.services.derivedFiles.read(stray.content, '.vtt')).not.toBeNull();
    await server.services.derivedFiles.sweep(Date.now() + 25 * 3_600_000, used);
    expect(await server.services.derivedFiles.read(stray.content, '.vtt')).toBeNull();
    expect((await server.get(path(), { range: 'bytes=0-9' })).statusCode).toBe(206);
    expect((await server.get('/readyz')).statusCode).toBe(200);
  });

  test('tells administrators where its files lie, without the key, and what fails', async () => {
    const about = async () => (await server.get('/api/admin/about', admin.headers)).json();
    expect((await about()).storage).toMatchObject({
      kind: 's3',
      store: { place: `http://${faulty.host}/films/ours/`, failure: null },
    });
    const asked = () =>
      faulty.calls.filter(({ method, path: called }) => method === 'HEAD' && called.includes('fourfold-site')).length;
    const before = asked();
    await Promise.all(Array.from({ length: 20 }, () => server.get('/readyz')));
    expect(asked() - before).toBeLessThanOrEqual(1);
    faulty.decide(() => 'refuse');
    await vi.waitFor(async () => expect((await server.get('/readyz')).statusCode).toBe(503), {
      interval: 200,
    });
    const { degraded, ...rest } = await about();
    faulty.decide(() => 'pass');
    expect(degraded.map(({ problem }: { problem: string }) => problem).join()).toContain('The store refused to');
    expect(JSON.stringify([degraded, rest]) + server.logged()).not.toContain(real?.secret);
  });

  test('waits for a store that is overloaded when it starts', async () => {
    if (real === null) return;
    let refused = 0;
    faulty.decide(() => (refused++ < 5 ? 'refuse' : 'pass'));
    const other = await startServer({ env: envOf(real.url('films/another').replace(real.host, faulty.host)) });
    faulty.decide(() => 'pass');
    expect(other.logged()).toContain('the store does not answer; it is waited for');
  });

  test('starts anew at its place, where another site does not start', async () => {
    const secret = await server.services.database.reader
      .selectFrom('secrets')
      .selectAll()
      .where('name', '=', 'site')
      .execute();
    expect(secret).toHaveLength(1);
    await expect(startServer({ env: envOf(url) })).rejects.toThrow(/another site keeps its files.*films\/ours/);
    await expect(startServer({ env: envOf(url.replace('/films/', '/elsewhere/')) })).rejects.toThrow(
      'a bucket that is not there',
    );
    const wrong = startServer({ env: { ...envOf(url), STORAGE_SECRET: 'wrong' } });
    await expect(wrong).rejects.toThrow(/open nothing at/);
    await expect(wrong).rejects.toBeInstanceOf(EnvRefused);
  });
});

describe.runIf(real !== null)('npm run files:copy', () => {
  const contentOf = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 40);
  const texts = Array.from({ length: 60 }, (_, at) => `the file ${at} `.repeat(500 + at));

  /** @returns the exit code; null when it was killed */
  async function copy(to: 'store' | 'disk', dataDir: string, url: string, kill?: (end: () => void) => void) {
    const env = {
      PATH: process.env.PATH,
      DATA_DIR: dataDir,
      STORAGE_URL: url,
      STORAGE_SECRET: real?.secret,
      DERIVED_GB: '1',
    };
    const child = spawn(process.execPath, ['src/server/services/files-copy-command.ts', '--to', to], { env });
    kill?.(() => child.kill('SIGKILL'));
    const [code] = (await once(child, 'exit')) as [number | null];
    return code;
  }

  test('moves all files there and back, although it is killed again and again', async () => {
    if (real === null) return;
    const faulty = await openFaultyStore(real.host, onTestFinished);
    const url = real.url(`films/${places++}`).replace(real.host, faulty.host);
    const [dataDir, other, stranger] = [temporaryFolder(), temporaryFolder(), temporaryFolder()];
    for (const folder of [dataDir, stranger]) {
      const database = openDatabase({ kind: 'sqlite', file: databaseFile(folder) });
      await migrate(database, systemClock);
      await database.close();
    }
    expect(await copy('store', other, url)).toBe(1);
    const folderOf = (of: string, content: string) => join(of, 'derived/encodings', content.slice(0, 2));
    for (const text of texts) {
      mkdirSync(folderOf(dataDir, contentOf(text)), { recursive: true });
      writeFileSync(join(folderOf(dataDir, contentOf(text)), `${contentOf(text)}.mp4`), text);
    }
    const video = 'uploads/videos/0a/01a22213-2dc5-7bcb-bbcb-9185906c660a.mp4';
    mkdirSync(dirname(join(dataDir, video)), { recursive: true });
    copyFileSync(largeVideo(), join(dataDir, video));
    for (const to of ['store', 'disk'] as const) {
      const into = to === 'store' ? dataDir : other;
      for (const after of [3, 40, 90]) {
        const killed = copy(to, into, url, (end) => {
          const from = faulty.calls.length;
          faulty.decide(() => {
            if (faulty.calls.length - from === after) end();
            return 'pass';
          });
        });
        expect(await killed).toBeNull();
      }
      faulty.decide(() => 'pass');
      expect(await copy(to, into, url)).toBe(0);
    }
    // The place belongs to the site that copied first.
    expect(await copy('store', stranger, url)).toBe(1);
    for (const text of texts)
      expect(readFileSync(join(folderOf(other, contentOf(text)), `${contentOf(text)}.mp4`), 'utf8')).toBe(text);
    expect(
      readdirSync(join(other, 'derived/encodings'), { recursive: true }).filter((name) =>
        String(name).endsWith('.mp4'),
      ),
    ).toHaveLength(60);
    // Its time is part of its address.
    const factsOf = (of: string) => fileVersionOf(statSync(join(of, video), { bigint: true }));
    expect(factsOf(other)).toEqual(factsOf(dataDir));
    expect(readFileSync(join(other, video)).equals(readFileSync(largeVideo()))).toBe(true);
  });
});

async function joinAll(bytes: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  return Buffer.concat(chunks);
}

/** @returns a port whose listener takes no more connections, so that the system drops what comes to it */
async function listenDeaf(): Promise<number> {
  const program = `const { createServer } = require('node:net');
    const server = createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => {
      process.stdout.write(String(server.address().port));
      process.kill(process.pid, 'SIGSTOP');
    });`;
  const child = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  const [port] = (await once(child.stdout, 'data')) as [Buffer];
  await vi.waitFor(() => expect(isStopped(child.pid ?? 0)).toBe(true));
  const waiting = Array.from({ length: 4 }, () => connect(Number(port), '127.0.0.1').on('error', () => {}));
  onTestFinished(() => waiting.forEach((socket) => void socket.destroy()));
  await vi.waitFor(() => expect(waiting.filter(({ connecting }) => !connecting).length).toBeGreaterThanOrEqual(2));
  return Number(port);
}

async function* inOnePiece(bytes: Buffer) {
  yield bytes;
}
