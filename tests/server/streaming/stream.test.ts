import { execFileSync } from 'node:child_process';
import { copyFileSync, readFileSync, rmSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { largeVideo, putFile, putVideos } from '#tests/support/media/videos.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';

const folder = temporaryFolder(afterFile);
copyFileSync(largeVideo(), join(folder, 'film.mp4'));
putVideos(folder, 'shows/a.mp4', '100%41.mp4', 'new\nline.mp4', '日本 🎬.mp4');
putFile(folder, 'page.mp4', '<!doctype html><script>alert(1)</script>');
putFile(folder, 'list.mp4', '#EXTM3U\nhttp://127.0.0.1/secret');
putFile(folder, 'notes.txt', 'notes');
putFile(folder, '.env', 'SECRET=1');
const bytes = readFileSync(join(folder, 'film.mp4'));
const size = bytes.length;

const server = await startServer({ library: [folder] }, afterFile);
const film = '/api/video/stream?path=film.mp4';
const stream = (path: string) => server.get(`/api/video/stream?path=${encodeURIComponent(path)}`);

describe('the whole video', () => {
  test('is sent without a range', async () => {
    const reply = await server.get(film);
    expect(reply.statusCode).toBe(200);
    expect(reply.rawPayload.equals(bytes)).toBe(true);
    expect(reply.headers).toMatchObject({
      'accept-ranges': 'bytes',
      'content-length': String(size),
      'content-type': 'video/mp4',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "sandbox; default-src 'none'",
      'cache-control': 'private, no-cache',
      'last-modified': new Date(Math.floor(statSync(join(folder, 'film.mp4')).mtimeMs)).toUTCString(),
    });
    expect(reply.headers.etag).toMatch(/^"[\w-]+"$/);
    expect(reply.headers['x-request-id']).toBeTruthy();
  });

  test('is described by HEAD, without its bytes and whatever range is asked for', async () => {
    const reply = await server.call('HEAD', film, { headers: { range: 'bytes=0-9' } });
    expect(reply.statusCode).toBe(200);
    expect(reply.headers['content-length']).toBe(String(size));
    expect(reply.rawPayload.length).toBe(0);
  });

  test('may be kept when the address names its version', async () => {
    const { url } = (await server.get('/api/video/top-left')).json();
    const reply = await server.get(url);
    expect(reply.headers['cache-control']).toBe('private, max-age=43200, immutable');
  });

  test('is sent for a unit other than bytes, and for several ranges', async () => {
    for (const range of [
      'items=0-1',
      'bytes=0-1,5-6',
      `bytes=${Array.from({ length: 1_000 }, () => '0-').join(',')}`,
    ]) {
      const reply = await server.get(film, { range });
      expect([reply.statusCode, reply.rawPayload.length]).toEqual([200, size]);
    }
  });
});

describe('a range', () => {
  test.each([
    ['bytes=0-9', 0, 9],
    ['bytes=5-5', 5, 5],
    ['bytes=1000-', 1000, size - 1],
    ['bytes=-10', size - 10, size - 1],
    [`bytes=-${size * 2}`, 0, size - 1],
    [`bytes=0-${size * 2}`, 0, size - 1],
    [`bytes=${size - 1}-${'9'.repeat(400)}`, size - 1, size - 1],
  ])('%s is answered exactly', async (range, first, last) => {
    const reply = await server.get(film, { range });
    expect(reply.statusCode).toBe(206);
    expect(reply.headers['content-range']).toBe(`bytes ${first}-${last}/${size}`);
    expect(reply.rawPayload.equals(bytes.subarray(first, last + 1))).toBe(true);
  });

  test.each([
    'bytes=5-1',
    `bytes=${size}-`,
    'bytes=-0',
    `bytes=${2 ** 53}-`,
    'bytes=--5',
    `bytes=1${'0'.repeat(400)}-`,
    'bytes=abc',
    'bytes=',
  ])('%s is refused with 416', async (range) => {
    const reply = await server.get(film, { range });
    expect(reply.statusCode).toBe(416);
    expect(reply.headers['content-range']).toBe(`bytes */${size}`);
    expect(reply.json()).toMatchObject({ error: 'range_not_satisfiable' });
  });

  test('is shortened to the piece that the address allows, open-ended or not', async () => {
    const piece = 262_144;
    for (const start of [0, 100, piece])
      for (const range of [`bytes=${start}-`, `bytes=${start}-${size - 1}`]) {
        const reply = await server.get(`${film}&piece=${piece}`, { range });
        expect(reply.headers['content-range']).toBe(`bytes ${start}-${start + piece - 1}/${size}`);
        expect(reply.rawPayload.length).toBe(piece);
      }
  });

  test.each(['1', '262143', '16777217', 'many', '-1', '1e6'])('with a piece of %s is refused', async (piece) => {
    const reply = await server.get(`${film}&piece=${piece}`, { range: 'bytes=0-' });
    expect(reply.json()).toMatchObject({ error: 'validation_failed', details: [{ field: 'piece' }] });
  });

  test('holds while If-Range names the present bytes, else the whole is sent', async () => {
    const { etag = '', 'last-modified': modified = '' } = (await server.call('HEAD', film)).headers;
    const statusFor = async (condition: string) =>
      (await server.get(film, { range: 'bytes=0-9', 'if-range': condition })).statusCode;
    expect(await statusFor(etag)).toBe(206);
    expect(await statusFor(modified)).toBe(206);
    expect(await statusFor('"stale"')).toBe(200);
    expect(await statusFor(`W/${etag}`)).toBe(200);
    expect(await statusFor('Thu, 01 Jan 1970 00:00:00 GMT')).toBe(200);
  });
});

test('a client that has the present bytes gets 304', async () => {
  const { etag = '', 'last-modified': modified = '' } = (await server.call('HEAD', film)).headers;
  const headers: Record<string, string>[] = [
    { 'if-none-match': etag },
    { 'if-none-match': `"other", W/${etag}` },
    { 'if-none-match': '*' },
    { 'if-modified-since': modified },
  ];
  for (const condition of headers)
    expect((await server.get(film, { ...condition, range: 'bytes=0-' })).statusCode).toBe(304);
  expect((await server.get(film, { 'if-none-match': '"other"', 'if-modified-since': modified })).statusCode).toBe(200);
});

describe('a path', () => {
  test.each(['shows/a.mp4', '100%41.mp4', 'new\nline.mp4', '日本 🎬.mp4'])(
    '%j is served as it is named',
    async (path) => {
      expect((await stream(path)).statusCode).toBe(200);
    },
  );

  test.each([
    'no-such.mp4',
    '../../etc/passwd',
    '..',
    '/etc/passwd',
    'shows/../film.mp4',
    './film.mp4',
    'shows//a.mp4',
    '%2e%2e%2fetc%2fpasswd',
    '..\\film.mp4',
    '....//film.mp4',
    'file:///etc/passwd',
    'C:\\film.mp4',
    '\u2215etc\u2215passwd',
    'FILM.MP4',
    'notes.txt',
    '.env',
    'page.mp4',
    'list.mp4',
    "film.mp4' or 1=1 --",
  ])('%j names no video', async (path) => {
    const reply = await stream(path);
    expect(reply.statusCode).toBe(404);
    expect(reply.json()).toEqual({ error: 'not_found', message: 'This video does not exist.' });
  });

  test.each([
    ['with a NUL', 'path=film.mp4%00.txt'],
    ['longer than 4096 bytes', `path=${'a'.repeat(4_097)}`],
    ['longer than 4096 bytes in UTF-8', `path=${encodeURIComponent('ü'.repeat(2_049))}`],
    ['given twice', 'path=film.mp4&path=film.mp4'],
    ['that is empty', 'path='],
    ['that is missing', ''],
    ['that is no UTF-8', 'path=%c0%ae%c0%ae'],
    ['with a broken escape', 'path=%zz'],
  ])('%s is refused with 400', async (_, query) => {
    const reply = await server.get(`/api/video/stream?${query}`);
    expect(reply.statusCode).toBe(400);
    expect(['validation_failed', 'bad_request']).toContain(reply.json().error);
  });
});

test('an encoding that does not exist answers 404', async () => {
  expect((await server.get(`${film}&rendition=grid`)).statusCode).toBe(404);
  expect((await server.get(`${film}&rendition=8k`)).statusCode).toBe(400);
});

describe('a file that changed since it was scanned', () => {
  async function serverWithOne() {
    const library = temporaryFolder();
    putVideos(library, 'one.mp4');
    return { library, one: join(library, 'one.mp4'), changing: await startServer({ library: [library] }) };
  }

  test('is not sent, and is served again once it was looked at', async () => {
    const { one, changing } = await serverWithOne();
    copyFileSync(largeVideo(), one);
    utimesSync(one, 1, 1);
    const refused = await changing.get('/api/video/stream?path=one.mp4');
    expect(refused.statusCode).toBe(503);
    expect(refused.headers['retry-after']).toBe('5');
    await changing.services.scanner.request();
    expect((await changing.get('/api/video/stream?path=one.mp4')).rawPayload.length).toBe(size);
  });

  test('and became a link out of the library answers 404', async () => {
    const { library, changing } = await serverWithOne();
    const outside = temporaryFolder();
    putVideos(outside, 'one.mp4');
    rmSync(join(library, 'one.mp4'));
    symlinkSync(join(outside, 'one.mp4'), join(library, 'one.mp4'));
    expect((await changing.get('/api/video/stream?path=one.mp4')).statusCode).toBe(404);
  });

  test('and became a pipe answers 404 without waiting for it', async () => {
    const { one, changing } = await serverWithOne();
    rmSync(one);
    execFileSync('mkfifo', [one]);
    expect((await changing.get('/api/video/stream?path=one.mp4')).statusCode).toBe(404);
  });

  test('and is gone answers 404, and is no longer picked after the next look', async () => {
    const { one, changing } = await serverWithOne();
    rmSync(one);
    expect((await changing.get('/api/video/stream?path=one.mp4')).statusCode).toBe(404);
    await changing.services.scanner.request();
    // A folder that has lost its last file may be a mount point without its disk: its videos are waited for.
    expect((await changing.get('/api/video/top-left')).json()).toMatchObject({ available: false });
  });
});
