import { readdirSync, readlinkSync, renameSync, writeFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { get } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { systemClock } from '#server/clock.ts';
import { listen } from '#server/http/pipeline/listen.ts';
import { sharedFilesLimits } from '#server/storage/shared-files.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import type { ServerOptions, ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

interface Theatre {
  server: ServerUnderTest;
  port: number;
  film: string;
  size: number;
}

async function openTheatre(options: ServerOptions = {}): Promise<Theatre> {
  const library = temporaryFolder();
  const size = putHugeVideo(library, 'film.mp4');
  const server = await startServer({ library: [library], ...options });
  const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  return { server, port, film: join(library, 'film.mp4'), size };
}

const path = '/api/video/stream?path=film.mp4';

/** A client that asks and then reads no further. */
function ask(port: number): Socket {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  socket.pause().write(`GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`);
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** What an answer brings up to `most` bytes, where its reader hangs up. */
async function readSome(
  port: number,
  headers: Record<string, string>,
  most = Number.POSITIVE_INFINITY,
): Promise<{ bytes: Buffer; answer: IncomingMessage }> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  get({ port, host: '127.0.0.1', path, headers, agent: false }, resolve).on('error', reject);
  const answer = await promise;
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of answer) {
    parts.push(part);
    length += part.length;
    if (length >= most) break;
  }
  return { bytes: Buffer.concat(parts).subarray(0, most), answer };
}

/** What came of an answer, and whether it is all that was promised. */
async function readToTheEnd(
  port: number,
  headers: Record<string, string>,
): Promise<{ bytes: Buffer; isWhole: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ bytes: Buffer; isWhole: boolean }>();
  const parts: Buffer[] = [];
  get({ port, host: '127.0.0.1', path, headers, agent: false }, (answer) => {
    answer.on('data', (part: Buffer) => parts.push(part)).on('error', () => {});
    answer.on('close', () => resolve({ bytes: Buffer.concat(parts), isWhole: answer.complete }));
  }).on('error', () => resolve({ bytes: Buffer.concat(parts), isWhole: false }));
  return promise;
}

/** The files of the test that this process has open. */
function openFiles(file: string): number {
  const targets = readdirSync('/proc/self/fd').map((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`);
    } catch {
      return '';
    }
  });
  return targets.filter((target) => target.startsWith(file)).length;
}

describe('two hundred clients that do not read', () => {
  test('cost little memory and one descriptor, keep nobody waiting, and leave nothing when they go', async () => {
    const { server, port, film } = await openTheatre();
    const { streams, sender, files } = server.services;
    const before = process.memoryUsage().arrayBuffers;
    const stalled = Array.from({ length: 200 }, () => ask(port));
    await vi.waitFor(() => expect([streams.size, sender.pool.inFlight]).toEqual([200, 0]));
    expect(openFiles(film)).toBe(1);
    expect(sender.stalls.stalledBytes).toBeLessThan(40 * 1024 * 1024);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(80 * 1024 * 1024);

    const { bytes, answer } = await readSome(port, { range: 'bytes=0-1048575' });
    expect([answer.statusCode, bytes.length]).toEqual([206, 1_048_576]);

    for (const socket of stalled) socket.destroy();
    await vi.waitFor(() =>
      expect([streams.size, sender.stalls.stalledBytes, files.size, openFiles(film)]).toEqual([0, 0, 0, 0]),
    );
  });
});

test('a client that is cut at any byte goes on from there and gets exactly the bytes of the file', async () => {
  const { port, server } = await openTheatre();
  const whole = (await readSome(port, { range: 'bytes=0-3000000' })).bytes;
  const { etag = '' } = (await server.call('HEAD', path)).headers;
  for (const cutAt of [1, 65_536, 1_000_001, 2_999_999]) {
    const { bytes } = await readSome(port, { range: 'bytes=0-3000000' }, cutAt);
    const rest = await readSome(port, { range: `bytes=${cutAt}-3000000`, 'if-range': String(etag) });
    expect(rest.answer.statusCode).toBe(206);
    expect(Buffer.concat([bytes, rest.bytes]).equals(whole)).toBe(true);
  }
});

test('a file that is replaced while it is sent is sent to its end as it was, and a second later to nobody else', async () => {
  let ahead = 0;
  const clock = { now: systemClock.now, elapsed: () => systemClock.elapsed() + ahead };
  const { port, film, size } = await openTheatre({ overrides: { clock } });
  const { promise, resolve } = Promise.withResolvers<IncomingMessage>();
  get({ port, host: '127.0.0.1', path, agent: false }, resolve);
  const answer = await promise;
  answer.pause();
  writeFileSync(`${film}.new`, Buffer.alloc(size, 1));
  renameSync(`${film}.new`, film);
  ahead = sharedFilesLimits.trustMs;
  expect((await readSome(port, { range: 'bytes=0-9' })).answer.statusCode).toBe(503);
  let [length, ones] = [0, 0];
  for await (const part of answer) {
    length += part.length;
    ones += part.includes(Buffer.alloc(64, 1)) ? 1 : 0;
  }
  expect([length, ones]).toEqual([size, 0]);
});

/** Makes one read of the film fail, and the others bring little, so that there are many. */
function failRead(server: ServerUnderTest, failing: number): void {
  const { files } = server.services;
  const open = files.open.bind(files);
  let call = 0;
  onTestFinished(() => void vi.restoreAllMocks());
  vi.spyOn(files, 'open').mockImplementation(async (...asked) => {
    const opened = await open(...asked);
    if (opened.kind !== 'opened') return opened;
    const read = async (into: Buffer, position: number) => {
      call += 1;
      if (call === failing) throw Object.assign(new Error(`EIO: i/o error, read '${asked[1].file}'`), { code: 'EIO' });
      return opened.file.read(into.subarray(0, 1_000), position);
    };
    return { kind: 'opened', file: { ...opened.file, read } };
  });
}

/** Lines about answers that could not be read to their end; each names its request. */
function countFailures(server: ServerUnderTest): number {
  return (
    server.logged().match(/"request_id":"[^"]+","msg":"a video could not be read to the end of an answer"/g)?.length ??
    0
  );
}

describe('a disk that fails', () => {
  test('at the first read is said in the usual form, with no path and none of the video’s headers', async () => {
    const { server, port } = await openTheatre();
    failRead(server, 1);
    const { bytes, answer } = await readSome(port, { range: 'bytes=0-9999' });
    expect(answer.statusCode).toBe(500);
    expect(answer.headers).toMatchObject({
      'content-type': 'application/json; charset=utf-8',
      'cache-control': 'no-store',
    });
    expect([answer.headers.etag, answer.headers['content-range']]).toEqual([undefined, undefined]);
    expect(JSON.parse(bytes.toString())).toEqual({
      error: 'internal',
      message: expect.any(String),
      request_id: answer.headers['x-request-id'],
    });
    expect(server.logged()).toContain('EIO');
  });

  test('at whichever later read ends the connection before the bytes that were promised, and the next request is served', async () => {
    const { server, port } = await openTheatre();
    const { files, streams, sender } = server.services;
    const whole = (await readSome(port, { range: 'bytes=0-200999' })).bytes;
    for (let failing = 2; failing <= 200; failing += 1) {
      const told = countFailures(server);
      failRead(server, failing);
      const came = await readToTheEnd(port, { range: 'bytes=0-200999' });
      expect([failing, came.isWhole, came.bytes.equals(whole.subarray(0, came.bytes.length))]).toEqual([
        failing,
        false,
        true,
      ]);
      expect(came.bytes.length).toBeLessThan((failing - 1) * 1_000 + 1);
      vi.restoreAllMocks();
      await vi.waitFor(() => expect(countFailures(server)).toBe(told + 1), { interval: 1 });
    }
    expect((await readSome(port, { range: 'bytes=0-200999' })).bytes.equals(whole)).toBe(true);
    await vi.waitFor(() => expect([streams.size, sender.pool.inFlight, files.size]).toEqual([0, 0, 0]));
  });
});

describe('a request that could be read in two ways', () => {
  test.each([
    [
      'a length and chunks',
      'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    [
      'chunks and a length',
      'Transfer-Encoding: chunked\r\nContent-Length: 4\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    ['two lengths', 'Content-Length: 4\r\nContent-Length: 5\r\n\r\nabcde'],
    [
      'an unknown encoding before chunks',
      'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\nGET /healthz HTTP/1.1\r\nHost: x\r\n\r\n',
    ],
    ['a space before the colon', 'Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n'],
  ])('with %s is refused with 400, and its connection ends', async (_, rest) => {
    const server = await startServer();
    const port = await listen(server.app, { host: '127.0.0.1', port: 0 });
    const socket = connect(port, '127.0.0.1').setEncoding('utf8');
    let text = '';
    socket.on('data', (part) => {
      text += part;
    });
    socket.write(`POST /api/refresh HTTP/1.1\r\nHost: x\r\n${rest}`);
    await new Promise((resolve) => socket.once('close', resolve));
    expect(text.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 400']);
    expect(text).toMatch(/"error":"bad_request"/);
  });
});
