import { readFileSync } from 'node:fs';
import { beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { readEnv } from '#server/env.ts';
import type { KnownRoot } from '#server/features/library/root-repository.ts';
import { RootEmpty, StoreRoot } from '#server/features/library/scan/store-root.ts';
import { RootUnreadable } from '#server/features/library/scan/walk.ts';
import { createProber } from '#server/media/prober.ts';
import { openLibraryStores } from '#server/storage/stores/library-store.ts';
import { readS3Address } from '#server/storage/stores/s3-address.ts';
import { S3Client } from '#server/storage/stores/s3-client.ts';
import { admin, jobTimes, patient, untilIdle, withoutEncodings } from '#tests/support/media/poster-server.ts';
import { findValue, parseMetrics } from '#tests/support/metrics-text.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import type { FaultyStore, StoreCall } from '#tests/support/storage/faulty-store.ts';
import { openFaultyStore } from '#tests/support/storage/faulty-store.ts';
import { openListingStore } from '#tests/support/storage/listing-store.ts';
import { openStore } from '#tests/support/storage/swift-store.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';

const real = await openStore(afterFile);
await real?.makeBucket('films');
const token = 'a-token-for-the-monitor';

describe.runIf(real !== null)('a library in a store', () => {
  let faulty: FaultyStore;
  let server: ServerUnderTest;
  let client: S3Client;

  beforeAll(async () => {
    if (real === null) return;
    faulty = await openFaultyStore(real.host, afterFile);
    client = new S3Client(readS3Address(real.url('films/mine'), real.secret));
    await put('hue 30.mp4', fixture('hue-030'));
    await put('günter/brief+1.mp4', fixture('brief-120'));
    await put('günter/notes.txt', Buffer.from('No film.'));
    await put('.hidden/brief.mp4', fixture('brief-060'));
    await put('strange//brief.mp4', fixture('brief-060'));
    const LIBRARY_URLS = real.url('films/mine').replace(real.host, faulty.host);
    const env = { ...withoutEncodings, LIBRARY_URLS, LIBRARY_SECRET: real.secret, METRICS_TOKEN: token };
    const overrides = { jobTimes, identifyCaller: async () => admin };
    server = await startServer({ isDemo: true, env, overrides }, afterFile);
    await server.services.startWork();
    await untilIdle(server);
  });
  beforeEach(() => faulty?.decide(() => 'pass'));

  const put = (key: string, bytes: Buffer) => client.put(key, bytes, 'video/mp4');
  const scan = () => server.services.scanner.request();
  const rows = () =>
    server.services.database.reader
      .selectFrom('videos')
      .select(['id', 'path', 'size', 'etag', 'available', 'missing_since', 'modified_us', 'reason'])
      .orderBy('path')
      .execute();
  const rowOf = async (path: string) => (await rows()).find((row) => row.path === path);
  const play = async (path: string, headers = {}) => {
    const reply = await server.get(`/api/videos/${(await rowOf(path))?.id}`);
    return reply.statusCode === 200 ? server.get(reply.json().video.url, headers) : reply;
  };
  const callsOf = async (work: () => Promise<unknown>): Promise<StoreCall[]> => {
    const from = faulty.calls.length;
    await work();
    return faulty.calls.slice(from);
  };

  test('shows its videos, and leaves out what is hidden, strange or no video', async () => {
    expect((await rows()).map(({ path, available, size }) => [path, available, size])).toEqual([
      ['günter/brief+1.mp4', 1, fixture('brief-120').length],
      ['hue 30.mp4', 1, fixture('hue-030').length],
    ]);
    const { roots } = (await server.get('/api/admin/library')).json();
    expect(roots).toMatchObject([{ name: 'mine', kind: 'store', missing_since: null, free_bytes: null }]);
    expect(roots[0].folder).toBe(`http://${faulty.host}/films/mine/`);
    expect(server.logged()).toContain('whose names lead nowhere, and are left out: 1.');
    expect(server.logged()).not.toContain(real?.secret);
  });

  test('plays the same bytes, whole and by ranges, each by one call', async () => {
    await server.services.copies.clear();
    const film = fixture('hue-030');
    expect((await play('hue 30.mp4')).rawPayload.equals(film)).toBe(true);
    const calls = await callsOf(async () => {
      const part = await play('hue 30.mp4', { range: 'bytes=100-1099' });
      expect([part.statusCode, part.rawPayload.equals(film.subarray(100, 1_100))]).toEqual([206, true]);
    });
    const { etag } = (await rowOf('hue 30.mp4')) ?? {};
    expect(calls).toMatchObject([{ method: 'GET', headers: { range: 'bytes=100-1099', 'if-match': etag } }]);
  });

  test('counts its calls, those of scans apart', async () => {
    await play('hue 30.mp4');
    const headers = { authorization: `Bearer ${token}` };
    const read = async () => parseMetrics((await server.get('/metrics', headers)).body);
    const counted = (families: Awaited<ReturnType<typeof read>>, store: string, kind: string) =>
      findValue(families, 'fourfold_store_calls_total', { store, kind, outcome: 'done' });
    await vi.waitFor(async () => {
      const families = await read();
      expect(counted(families, 'library 1', 'get')).toBeGreaterThan(0);
      expect(counted(families, 'library 1, scans', 'list')).toBeGreaterThan(0);
      expect(findValue(families, 'fourfold_store_away', { store: 'library 1, scans' })).toBe(0);
    }, patient);
  });

  test('is listed again without reading an object', async () => {
    const calls = await callsOf(async () => expect(await scan()).toMatchObject({ found: 2, read: 0, unread: 0 }));
    expect(calls.map(({ method, path }) => [method, path.includes('list-type=2')])).toEqual([['GET', true]]);
  });

  test('reads a new file by a few ranges, and gives it a poster, also after the cache was cleared', async () => {
    expect((await server.call('POST', '/api/clear-cache')).statusCode).toBe(200);
    await untilIdle(server);
    await put('new.mp4', fixture('hue-060'));
    const sent = faulty.sentBytes();
    const calls = await callsOf(async () => expect(await scan()).toMatchObject({ found: 3, read: 1 }));
    expect(calls.filter(({ path }) => path.includes('new.mp4')).length).toBeLessThanOrEqual(8);
    expect(faulty.sentBytes() - sent).toBeLessThan(600_000);
    await server.services.posters.queueMissing();
    await untilIdle(server);
    const { database } = server.services;
    const posters = database.reader.selectFrom('posters').selectAll().where('content', 'is not', null);
    expect(await posters.execute()).toHaveLength(3);
  });

  test('takes a file that was replaced anew, and sends no byte of it under the old address', async () => {
    const before = await rowOf('new.mp4');
    const url = (await server.get(`/api/videos/${before?.id}`)).json().video.url;
    await put('new.mp4', fixture('hue-090'));
    // A copy of the former bytes may be here, and plays.
    await server.services.copies.clear();
    expect((await server.get(url)).statusCode).toBe(503);
    // Whoever finds it changed has it looked at.
    await vi.waitFor(async () => expect((await rowOf('new.mp4'))?.etag).not.toBe(before?.etag), patient);
    expect((await rowOf('new.mp4'))?.modified_us).not.toBe(before?.modified_us);
    expect((await play('new.mp4')).rawPayload.equals(fixture('hue-090'))).toBe(true);
  });

  test('is listed once a minute for those who ask for files that are gone, however often they ask', async () => {
    const place = real?.url('films/asked') ?? '';
    const asked = new S3Client(readS3Address(place, real?.secret ?? ''));
    const names = ['hue-120', 'hue-150', 'hue-180'];
    for (const name of names) await asked.put(`${name}.mp4`, fixture(name), 'video/mp4');
    const LIBRARY_URLS = place.replace(real?.host ?? '', faulty.host);
    const env = { ...withoutEncodings, LIBRARY_URLS, LIBRARY_SECRET: real?.secret ?? '' };
    const clock = settableClock();
    const other = await startServer({ isDemo: true, env, overrides: { clock } });
    const { scanner, database } = other.services;
    const found = await database.reader.selectFrom('videos').select('id').orderBy('path').execute();
    const urls = await Promise.all(
      found.map(async ({ id }) => (await other.get(`/api/videos/${id}`)).json().video.url as string),
    );
    const countListings = () => faulty.calls.filter(({ path }) => path.includes('list-type=2')).length;
    const before = countListings();
    const ask = async (url = '', listings = 0) => {
      expect((await other.get(url)).statusCode).toBe(404);
      await vi.waitFor(() => expect(countListings() - before).toBe(listings), patient);
      await vi.waitFor(() => expect(scanner.facts().isRunning).toBe(false), patient);
    };
    await asked.delete('hue-120.mp4');
    await ask(urls[0], 1);
    await asked.delete('hue-150.mp4');
    for (let time = 0; time < 2; time += 1) await ask(urls[1], 1);
    clock.pass(60_000);
    await ask(urls[1], 2);
    expect(countListings() - before).toBe(2);
  });

  test('loses a removed file, and has it back under its id, also by another name', async () => {
    const { id } = (await rowOf('new.mp4')) ?? {};
    await client.delete('new.mp4');
    await scan();
    expect(await rowOf('new.mp4')).toMatchObject({ id, available: 0, missing_since: expect.any(Number) });
    expect((await play('new.mp4')).statusCode).toBe(404);
    await put('a/moved.mp4', fixture('hue-090'));
    await scan();
    expect(await rowOf('a/moved.mp4')).toMatchObject({ id, available: 1, missing_since: null });
    expect(await rowOf('new.mp4')).toBeUndefined();
  });

  test('says of an object that the key may not read that the store refuses it, and tries again', async () => {
    await put('secret.mp4', fixture('brief-180'));
    faulty.decide(({ path }) => (path.includes('secret.mp4') ? 'forbid' : 'pass'));
    await scan();
    expect(await rowOf('secret.mp4')).toMatchObject({ available: 0, reason: 'refused' });
    const { videos } = (await server.get('/api/admin/library/unplayable')).json();
    expect(videos).toMatchObject([{ path: 'secret.mp4', reason: 'The store refuses to give this file.' }]);
    faulty.decide(() => 'pass');
    await scan();
    expect(await rowOf('secret.mp4')).toMatchObject({ available: 1, reason: null });
    await client.delete('secret.mp4');
    await scan();
  });

  test('is missing after three listings that failed, and back with the next', async () => {
    const before = await rows();
    faulty.decide(({ path }) => (path.includes('list-type=2') ? 'forbid' : 'pass'));
    for (const isMissing of [false, false, true]) {
      await scan();
      const { roots } = (await server.get('/api/admin/library')).json();
      // Counts of roots may be some moments old.
      const { available } = (await rowOf('hue 30.mp4')) ?? {};
      expect([roots[0].missing_since !== null, available]).toEqual([isMissing, isMissing ? 0 : 1]);
    }
    expect((await play('hue 30.mp4')).statusCode).toBe(404);
    faulty.decide(() => 'pass');
    await scan();
    expect(await rows()).toEqual(before);
    expect((await play('hue 30.mp4')).statusCode).toBe(200);
  });

  test('has the subtitles that lie beside its videos, and lists them once a minute', async () => {
    await put('hue 30.de.srt', Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nGuten Tag\n'));
    await put('hue 300.srt', Buffer.from('1\n00:00:01,000 --> 00:00:02,000\nOf another one\n'));
    const { id } = (await rowOf('hue 30.mp4')) ?? {};
    const list = async () => (await server.get(`/api/videos/${id}/subtitles`)).json().tracks;
    await vi.waitFor(async () => expect(await list()).toMatchObject([{ language: 'de' }]), patient);
    expect((await server.get((await list())[0].url)).payload).toContain('Guten Tag');
    expect(await callsOf(list)).toEqual([]);
  });

  test('has the titles and descriptions that lie beside its videos, and new ones with the next scan', async () => {
    const details = async () => {
      await scan();
      const video = await server.services.database.reader
        .selectFrom('videos')
        .select(['found_title', 'found_description'])
        .where('path', '=', 'hue 30.mp4')
        .executeTakeFirst();
      return [video?.found_title, video?.found_description];
    };
    const put = (name: string, text: string) => client.put(name, Buffer.from(text), 'text/plain');
    await put('hue 30.nfo', '<movie><title>A hue</title><plot>It changes.</plot></movie>');
    await put('hue 30.info.json', JSON.stringify({ title: 'Never seen' }));
    await put('hue.nfo', '<movie><title>Of another one</title></movie>');
    expect(await details()).toEqual(['A hue', 'It changes.']);
    expect(await callsOf(scan)).toHaveLength(1);
    await put('hue 30.nfo', '<movie><title>Another hue</title></movie>');
    faulty.decide(({ path }) => (path.includes('.info.json') ? 'forbid' : 'pass'));
    expect(await details()).toEqual(['Another hue', null]);
    faulty.decide(() => 'pass');
    for (const name of ['hue 30.nfo', 'hue 30.info.json', 'hue.nfo']) await client.delete(name);
    expect(await details()).toEqual([null, null]);
  });

  test('answers 503 while the store is away, and plays once it is back', async () => {
    const { url } = (await server.get(`/api/videos/${(await rowOf('günter/brief+1.mp4'))?.id}`)).json().video;
    await server.services.copies.clear();
    faulty.decide(() => 'refuse');
    const reply = await server.get(url);
    expect([reply.statusCode, reply.headers['retry-after']]).toEqual([503, '5']);
    faulty.decide(() => 'pass');
    await vi.waitFor(async () => expect((await server.get(url)).statusCode).toBe(200), patient);
  });

  test('nothing is ever written there', () => {
    expect(faulty.calls.filter(({ method }) => method !== 'GET' && method !== 'HEAD')).toEqual([]);
  });
});

test('many objects are listed by one call for a thousand, and a new one is all that is read of them', async () => {
  const store = await openListingStore({ count: 1_500, video: fixture('brief-000') }, onTestFinished);
  const env = { ...withoutEncodings, LIBRARY_URLS: store.url, LIBRARY_SECRET: 'secret' };
  const server = await startServer({ isDemo: true, env });
  const { scanner } = server.services;
  const first = store.take();
  expect(first.lists).toBe(2);
  expect(first.gets).toBeLessThanOrEqual(8 * 1_500);
  expect(await scanner.request()).toMatchObject({ found: 1_500, read: 0, unread: 0 });
  expect(store.take()).toEqual({ lists: 2, gets: 0, objectBytes: 0 });
  store.add();
  expect(await scanner.request()).toMatchObject({ found: 1_501, read: 1, unread: 0 });
  const { lists, gets, objectBytes } = store.take();
  expect([lists, gets > 0 && gets <= 8, objectBytes > 0 && objectBytes <= 600_000]).toEqual([2, true, true]);
});

describe('a place in a store', () => {
  const storeOf = (...keys: string[]) => ({
    place: 'https://s3.example.org/films/',
    async *list() {
      for (const key of keys) yield { key, bytes: 1, modifiedUs: 1_000_000, etag: `"${key}"` };
    },
    read: async () => Buffer.alloc(1),
  });
  const rootOf = (...keys: string[]) => new StoreRoot(storeOf(...keys), createProber());
  const walk = async (root: StoreRoot, mayBeEmpty = true) => {
    const paths: string[] = [];
    for await (const { path } of root.walk(mayBeEmpty)) paths.push(path);
    return paths;
  };

  test('is read in the order of the bytes of its names, and in no other', async () => {
    // UTF-16 sorts the last two the other way round.
    expect(await walk(rootOf('a-b.mp4', 'a.mp4', 'a/b.mp4', '\uffee.mp4', '😀.mp4'))).toHaveLength(5);
    for (const keys of [
      ['a/b.mp4', 'a.mp4'],
      ['😀.mp4', '\uffee.mp4'],
      ['a.mp4', 'a.mp4'],
    ])
      await expect(walk(rootOf(...keys))).rejects.toThrow(RootUnreadable);
  });

  test('is no empty library where videos were', async () => {
    await expect(walk(rootOf(), false)).rejects.toThrow(RootEmpty);
    expect(await walk(rootOf('notes.txt'), false)).toEqual([]);
  });

  test('is passed over for a while, unless its last listing failed', async () => {
    const root = rootOf('b.mp4', 'a.mp4');
    const scanned = (missingSince: number | null = null) => ({ scannedAt: 5, missingSince }) as KnownRoot;
    expect([root.isFresh(scanned(), 4), root.isFresh(scanned(), 5), root.isFresh(scanned(), null)]).toEqual([
      true,
      false,
      false,
    ]);
    expect(root.isFresh(scanned(1), 4)).toBe(false);
    await walk(root).catch(() => {});
    expect(root.isFresh(scanned(), 4)).toBe(false);
  });

  test('is refused at the start for an address that is none, and where the server keeps its files', () => {
    const url = 's3://key@s3.example.org/films/mine';
    const open = (address: string, secret = 'secret', own?: string) =>
      openLibraryStores([{ url: address, secret }], own ?? null);
    expect([...open(url).keys()]).toEqual(['https://s3.example.org/films/mine/']);
    expect(() => open('s3://s3.example.org/films')).toThrow('LIBRARY_URLS has to name a key before the host');
    expect(() => open('s3://key:secret@s3.example.org/films')).toThrow('which belongs into LIBRARY_SECRET');
    expect(() => open(url, '')).toThrow('LIBRARY_SECRET has to be set with LIBRARY_URLS');
    for (const own of ['films/', 'films/mine/', 'films/mine/server/'])
      expect(() => open(url, 'secret', `https://s3.example.org/${own}`)).toThrow("the server's own files");
    expect(open(url, 'secret', 'https://s3.example.org/films/mine-too/').size).toBe(1);
    expect(() => readEnv({ LIBRARY_URLS: '/films' })).toThrow('LIBRARY_URLS has to be addresses that start with s3://');
  });
});

function fixture(name: string): Buffer {
  return readFileSync(new URL(`../../fixtures/videos/${name}.mp4`, import.meta.url));
}
