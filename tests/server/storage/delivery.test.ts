import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { resolveVideoUrl } from '#contract/endpoints.ts';
import { systemClock } from '#server/clock.ts';
import { DirectAddresses, signForNginx } from '#server/storage/stores/direct-addresses.ts';
import { readS3Address } from '#server/storage/stores/s3-address.ts';
import { storeEncoding } from '#tests/support/media/stored-encodings.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { startDeliveringNginx } from '#tests/support/storage/delivering-nginx.ts';
import { openSwiftAccount } from '#tests/support/storage/swift-store.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const hourMs = 3_600_000;
const film = videoBytes();
const swift = await openSwiftAccount();
await swift?.makeBucket('films');

describe.runIf(swift !== null)('videos that a store delivers itself', () => {
  let server: ServerUnderTest;
  let ada: Person;
  let path: string;

  beforeAll(async () => {
    if (swift === null) return;
    const STORAGE_URL = swift.url('films/our films');
    const env = { STORAGE_URL, STORAGE_SECRET: swift.secret, DERIVED_GB: '1', DELIVERY: 'store' };
    server = await startServer({ env }, afterFile);
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
    const used = vi.spyOn(server.services.encodings, 'noteUse');
    const { url, rendition } = await pick();
    // Nobody tells when it is played.
    expect(used.mock.calls).toEqual([[content]]);
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

  test('are tried by a command, which says what the store lacks', async () => {
    if (swift === null) return;
    const store = { STORAGE_URL: swift.url('films/ours'), STORAGE_SECRET: swift.secret, DERIVED_GB: '1' };
    const { code, said } = await checkStorage({ ...store, DELIVERY: 'store' }, 'http://site.example');
    expect(said).toMatch(/good +CORS, preflight for Range/);
    expect(said).toMatch(/MISSING +Timing-Allow-Origin/);
    expect(said).toMatch(/put-bucket-cors .*--bucket films /);
    expect(code).toBe(0);
  });

  test('come from an nginx in front of the store, by addresses that it checks', async () => {
    if (swift === null) return;
    const key = 'a key of nginx';
    const from = await swift.makeOpenBucket('shown');
    const origin = await startDeliveringNginx({ from, key, site: 'http://site.example' }, onTestFinished);
    const store = { STORAGE_URL: swift.url('shown/our films'), STORAGE_SECRET: swift.secret, DERIVED_GB: '1' };
    const network = { DELIVERY: origin, DELIVERY_SIGNING: 'nginx', DELIVERY_KEY: key };
    const own = await startServer({ env: { ...store, ...network } }, onTestFinished);
    const ben = await putUploader(own, 'ben');
    const upload = await SentUpload.start(own, ben, [{ file_size: film.length }]);
    await upload.put(film);
    await upload.complete(ben);
    const { url } = (await own.get('/api/video/top-left')).json();
    expect(url.startsWith(`${origin}/our%20films/uploads/videos/`)).toBe(true);
    // The second answer comes from what nginx keeps.
    for (const _ of [1, 2]) {
      const part = await fetch(url, { headers: { range: 'bytes=100-299', origin: 'http://site.example' } });
      expect(part.status).toBe(206);
      expect(part.headers.get('access-control-allow-origin')).toBe('http://site.example');
      expect(Buffer.from(await part.arrayBuffer()).equals(film.subarray(100, 300))).toBe(true);
    }
    const { pathname } = new URL(url);
    const past = { key: decodeURIComponent(pathname.slice(1)), query: {}, expires: 1_000_000_000, secret: key };
    expect((await fetch(origin + signForNginx(past))).status).toBe(410);
    expect((await fetch(origin + signForNginx({ ...past, expires: 4_000_000_000, secret: 'x' }))).status).toBe(403);
    expect((await fetch(origin + pathname)).status).toBe(403);
    const checked = await checkStorage({ ...store, ...network }, 'http://site.example');
    expect(checked.code).toBe(0);
    expect(checked.said).toContain('Browsers of http://site.example get what they need.');
    const elsewhere = await checkStorage({ ...store, ...network, DELIVERY_KEY: 'x' }, 'http://other.example');
    expect(elsewhere.code).toBe(1);
    expect(elsewhere.said).toContain('A range was answered with 403, not with 206.');
    expect(elsewhere.said).toContain('CORS does not let http://other.example read.');
    expect(elsewhere.said).toContain('add_header Access-Control-Allow-Origin "http://other.example" always;');
    expect(elsewhere.said).not.toContain(swift.secret);
    const nowhere = await checkStorage(
      { ...store, ...network, DELIVERY: 'http://media.invalid' },
      'http://site.example',
    );
    expect(nowhere.said).toMatch(/http:\/\/media\.invalid, from which browsers .* does not answer \(getaddrinfo/);
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
      const own = await startServer({ env: { ...store, ...delivery } }, onTestFinished);
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

/** Runs the command as an operator does. */
async function checkStorage(settings: Record<string, string>, site: string): Promise<{ code: number; said: string }> {
  const env = { PATH: process.env.PATH, DATA_DIR: temporaryFolder(), ...settings };
  const child = spawn(process.execPath, ['src/server/services/storage-check-command.ts', site], { env });
  let said = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text: Buffer) => (said += text));
  const [code] = await once(child, 'close');
  return { code, said };
}
