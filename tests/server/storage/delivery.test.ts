import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { systemClock } from '#server/clock.ts';
import { DirectAddresses } from '#server/storage/s3/direct-addresses.ts';
import { readS3Address } from '#server/storage/s3/s3-address.ts';
import { storeEncoding } from '#tests/support/media/stored-encodings.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { startSwift } from '#tests/support/storage/swift-store.ts';
import { putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const hourMs = 3_600_000;
const film = videoBytes();
const swift = await startSwift(afterAll);
await swift?.makeBucket('films');

describe.runIf(swift !== null)('videos that a store delivers itself', () => {
  let server: ServerUnderTest;
  let ada: Person;
  let path: string;

  beforeAll(async () => {
    if (swift === null) return;
    const STORAGE_URL = swift.url('films/our films');
    const env = { STORAGE_URL, STORAGE_SECRET: swift.secret, DERIVED_GB: '1', DELIVERY: 'store' };
    server = await startServer({ env }, afterAll);
    ada = await putUploader(server, 'ada');
    const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
    await upload.put(film);
    ({ path } = (await upload.complete(ada)).json().videos[0]);
  });

  const pick = async () => (await server.get('/api/video/top-left')).json();

  test('get an address there, which answers ranges for everybody', async () => {
    const { url } = await pick();
    expect(url).toMatch(new RegExp(`^http://${swift?.host}/films/our%20films/uploads/videos/`));
    const part = await fetch(url, { headers: { range: 'bytes=100-299' } });
    expect(part.status).toBe(206);
    expect(part.headers.get('content-range')).toBe(`bytes 100-299/${film.length}`);
    expect(part.headers.get('content-type')).toBe('video/mp4');
    expect(part.headers.get('cache-control')).toBe('public, max-age=31536000, immutable');
    expect(Buffer.from(await part.arrayBuffer()).equals(film.subarray(100, 300))).toBe(true);
    const listed = await server.get('/api/videos/by-tags', ada.headers);
    expect(listed.json().videos[0].url).toBe(url);
    expect(listed.body).not.toContain(swift?.secret);
  });

  test('send no byte through the server, and neither do their encodings', async () => {
    const bytes = Buffer.alloc(300_000, 'light');
    const content = await storeEncoding(server, path.split('/').slice(1).join('/'), 'grid', bytes);
    const before = server.services.store?.facts().receivedBytes;
    const { url, rendition } = await pick();
    expect(rendition).toBe('grid');
    expect(url).toContain(`/derived/encodings/${content.slice(0, 2)}/${content}.mp4?rendition=grid&version=${content}`);
    const answer = await fetch(url);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
    const asked = { path, quadrant: 'top-left', quality: 'source' };
    const resolved = await server.call('POST', resolveVideoUrl.path, { payload: asked });
    expect((await fetch(resolved.json().url)).headers.get('content-length')).toBe(String(film.length));
    expect(server.services.store?.facts().receivedBytes).toBe(before);
  });

  test('have addresses that end, and that nobody can make or change', async () => {
    if (swift === null) return;
    const { url } = await pick();
    const place = readS3Address(swift.url('films/our films'), swift.secret);
    const { pathname } = new URL(url);
    const key = decodeURIComponent(pathname.slice('/films/our%20films/'.length));
    const addressOf = (now: number, secret = swift.secret) => {
      const clock = { now: () => now };
      const deps = { delivery: { kind: 'store' }, clock, clockOffMs: () => 0 } as const;
      return new DirectAddresses({ ...deps, place: { ...place, secret } }).of(key, {});
    };
    const statusOf = async (address: string) => (await fetch(address)).status;
    const now = systemClock.now();
    expect(await statusOf(await addressOf(now - 2 * hourMs))).toBe(200);
    expect(await statusOf(await addressOf(now - 3 * hourMs))).toBe(403);
    expect(await statusOf(await addressOf(now, 'another'))).toBe(403);
    expect(await statusOf(`${url}&piece=65536`)).toBe(403);
  });

  test('may be reached by the page from exactly their origin', async () => {
    if (swift === null) return;
    const { secret: STORAGE_SECRET, url: urlOf, host } = swift;
    const network = { DELIVERY: 'https://media.example', DELIVERY_SIGNING: 'bunny', DELIVERY_KEY: 'k' };
    const settings: [Record<string, string>, string][] = [
      [{}, ''],
      [{ DELIVERY: 'store' }, ` http://${host}`],
      [network, ' https://media.example'],
    ];
    const policies = settings.map(async ([delivery], at) => {
      const store = { STORAGE_URL: urlOf(`films/page-${at}`), STORAGE_SECRET, DERIVED_GB: '1' };
      const own = await startServer({ env: { ...store, ...delivery } }, afterAll);
      return String((await own.get('/')).headers['content-security-policy']).split(';');
    });
    for (const [at, policy] of (await Promise.all(policies)).entries()) {
      const [, origin] = settings[at] ?? [];
      expect(policy).toContain(`media-src 'self' blob:${origin}`);
      expect(policy).toContain(`connect-src 'self'${origin}`);
      expect(policy).toContain("img-src 'self' blob: data:");
    }
  });
});
