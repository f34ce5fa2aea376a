import { once } from 'node:events';
import type { Server } from 'node:http';
import { createServer, get } from 'node:http';
import type { ClientHttp2Session, Http2Server } from 'node:http2';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { connect as connectTcp } from 'node:net';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ByteSender } from '#server/features/streaming/byte-sender.ts';
import type { ByteResponse, FileSource } from '#server/features/streaming/chunk-reader.ts';
import { Unavailable } from '#server/http/pipeline/errors.ts';
import { createOpenStreams } from '#server/http/pipeline/listen.ts';

const mebibyte = 1024 * 1024;
/** Nobody counts what the system is given. */
const unread = { given() {} };
const viewer = unread;

interface PatternSource extends FileSource {
  reads: number;
  reading: number;
  /** Bytes of the largest read that was asked for. */
  largest: number;
}

/** A file whose byte at each place tells the place. */
function patternSource(size: number, onRead: (call: number) => number | undefined = () => undefined): PatternSource {
  const source = {
    reads: 0,
    reading: 0,
    largest: 0,
    async read(into: Buffer, position: number) {
      source.reads += 1;
      source.largest = Math.max(source.largest, into.length);
      source.reading += 1;
      try {
        const most = onRead(source.reads) ?? into.length;
        await new Promise(setImmediate);
        const length = Math.max(0, Math.min(into.length, most, size - position));
        fillPlaces(into, position, length);
        return length;
      } finally {
        source.reading -= 1;
      }
    },
  };
  return source;
}

/** Each byte tells its place; after so many it begins anew. */
const places = Buffer.alloc(16 * mebibyte);
for (let place = 0; place < places.length; place += 1) places[place] = place ^ (place >> 8) ^ (place >> 16);

function fillPlaces(into: Buffer, position: number, length: number): void {
  for (let done = 0; done < length; ) {
    const from = (position + done) % places.length;
    done += places.copy(into, done, from, from + length - done);
  }
}

function isRight(bytes: Buffer, start: number): boolean {
  const right = Buffer.alloc(bytes.length);
  fillPlaces(right, start, right.length);
  return right.equals(bytes);
}

interface Sending {
  sender: ByteSender;
  port: number;
  /** Answers whose sending has ended. */
  ended: () => number;
  /** What was told of answers that were cut. */
  readFailures: unknown[];
  streams: ReturnType<typeof createOpenStreams>;
}

async function serve(source: FileSource, size: number, protocol: 1 | 2 = 1, limits = {}): Promise<Sending> {
  const streams = createOpenStreams();
  const sender = new ByteSender(streams, unread, limits);
  const readFailures: unknown[] = [];
  let ended = 0;
  const answer = async (response: ByteResponse) => {
    const sendHead = () => void response.setHeader('content-length', size);
    await sender
      .send({ response, viewer, sendHead, readFailed: (error) => readFailures.push(error) }, source, {
        start: 0,
        end: size - 1,
      })
      .catch((error: unknown) => {
        response.statusCode = error instanceof Unavailable ? 503 : 500;
        response.end();
      });
    ended += 1;
  };
  const server: Server | Http2Server =
    protocol === 1
      ? createServer((_, response) => answer(response))
      : createHttp2Server((_, response) => answer(response));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  return { sender, streams, port: (server.address() as AddressInfo).port, ended: () => ended, readFailures };
}

interface Fetched {
  /** 0: no head came. */
  status: number;
  bytes: Buffer;
  /** Whether they are all that was promised. */
  isWhole: boolean;
}

async function fetchHttp1(port: number): Promise<Fetched> {
  const { promise, resolve } = Promise.withResolvers<Fetched>();
  const request = get({ port, host: '127.0.0.1', agent: false }, (answer) => {
    const parts: Buffer[] = [];
    answer.on('data', (part: Buffer) => parts.push(part)).on('error', () => {});
    answer.on('close', () =>
      resolve({ status: answer.statusCode ?? 0, bytes: Buffer.concat(parts), isWhole: answer.complete }),
    );
  });
  request.on('error', () => resolve({ status: 0, bytes: Buffer.alloc(0), isWhole: false }));
  return promise;
}

async function fetchHttp2(port: number): Promise<Fetched> {
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => {});
  const stream = session.request({ ':path': '/' });
  let status = 0;
  stream.on('response', (headers) => {
    status = Number(headers[':status']);
  });
  const parts: Buffer[] = [];
  stream.on('data', (part: Buffer) => parts.push(part)).on('error', () => {});
  const isEnded = new Promise<boolean>((resolve) => stream.on('close', () => resolve(stream.rstCode === 0)));
  const isWhole = await isEnded;
  session.destroy();
  return { status, bytes: Buffer.concat(parts), isWhole };
}

const protocols = [
  ['HTTP/1.1', 1, fetchHttp1],
  ['HTTP/2', 2, fetchHttp2],
] as const;

describe.each(protocols)('a client over %s', (_, protocol, fetch) => {
  test('gets exactly the bytes of the file, and nothing is held afterwards', async () => {
    const source = patternSource(5 * mebibyte + 321);
    const { port, sender, streams } = await serve(source, 5 * mebibyte + 321, protocol);
    const { bytes, isWhole } = await fetch(port);
    expect([bytes.length, isWhole]).toEqual([5 * mebibyte + 321, true]);
    expect(isRight(bytes, 0)).toBe(true);
    await vi.waitFor(() => expect([sender.pool.inFlight, streams.size, source.reading]).toEqual([0, 0, 0]));
  });

  test('gets exactly the bytes of the file when reads come short', async () => {
    const source = patternSource(mebibyte, (call) => (call % 3 === 0 ? 1 : 70_001));
    const { bytes, isWhole } = await fetch((await serve(source, mebibyte, protocol)).port);
    expect([bytes.length, isWhole]).toEqual([mebibyte, true]);
    expect(isRight(bytes, 0)).toBe(true);
  });

  test('sees that an answer is not whole when the file turns out shorter', async () => {
    const { port, sender } = await serve(patternSource(mebibyte), 3 * mebibyte, protocol);
    const { bytes, isWhole } = await fetch(port);
    expect(isWhole).toBe(false);
    expect(bytes.length).toBeLessThanOrEqual(mebibyte);
    expect(isRight(bytes, 0)).toBe(true);
    await vi.waitFor(() => expect(sender.pool.inFlight).toBe(0));
  });

  test('is told when the first read fails, and sees that an answer is not whole at whichever later one the disk fails', async () => {
    const together = 2_000;
    const size = 55 * together;
    let failing = 0;
    const source = patternSource(size, (call) => {
      if (call === failing) throw Object.assign(new Error('EIO: i/o error, read'), { code: 'EIO' });
      return together;
    });
    const { port, sender, streams, ended, readFailures } = await serve(source, size, protocol);
    for (failing = 1; failing <= 50; failing += 1) {
      source.reads = 0;
      const { status, bytes, isWhole } = await fetch(port);
      expect([failing, status === 200, isWhole, isRight(bytes, 0)]).toEqual([
        failing,
        failing > 1 && bytes.length > 0,
        failing === 1,
        true,
      ]);
      expect(bytes.length).toBeLessThanOrEqual((failing - 1) * together);
      await vi.waitFor(
        () => expect([ended(), sender.pool.inFlight, streams.size, source.reading]).toEqual([failing, 0, 0, 0]),
        { interval: 1 },
      );
      // A first read that fails has an answer of its own, and later ones are told of once.
      expect(readFailures).toHaveLength(failing - 1);
    }
  });
});

test.each([
  ['HTTP/1.1', 1, mebibyte, fetchHttp1],
  ['HTTP/2, where others share its connection', 2, mebibyte / 4, fetchHttp2],
] as const)('what a quick client over %s gets at a time grows up to a limit', async (_, protocol, limit, fetch) => {
  const source = patternSource(32 * mebibyte);
  const { port } = await serve(source, 32 * mebibyte, protocol);
  expect((await fetch(port)).isWhole).toBe(true);
  expect(source.largest).toBe(limit);
});

test('what a connection over HTTP/2 takes at a time is remembered from one answer to the next', async () => {
  const source = patternSource(mebibyte);
  const { port } = await serve(source, mebibyte, 2);
  const session = connect(`http://127.0.0.1:${port}`).on('error', () => {});
  onTestFinished(() => session.destroy());
  for (const reads of [16, 4]) {
    source.reads = 0;
    await once(session.request({ ':path': '/' }).resume(), 'close');
    expect(source.reads).toBe(reads);
  }
});

test('a client that asks for a few bytes again and again is given no more at a time for it', async () => {
  const source = patternSource(mebibyte);
  const streams = createOpenStreams();
  const sender = new ByteSender(streams, unread);
  const ends = [9, 9, 9, 9, mebibyte - 1];
  const server = createHttp2Server(async (_, response) => {
    const end = ends.shift() ?? 0;
    await sender.send(
      { response, viewer, sendHead: () => void response.setHeader('content-length', end + 1), readFailed() {} },
      source,
      { start: 0, end },
    );
  });
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const session = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`).on('error', () => {});
  onTestFinished(() => session.destroy());
  for (const _ of [...ends]) await once(session.request({ ':path': '/' }).resume(), 'close');
  expect(source.largest).toBe(64 * 1024);
});

test('answers that follow one another on a connection come in their order', async () => {
  const size = 3 * mebibyte;
  const { port, sender, streams } = await serve(patternSource(size), size);
  const socket = connectTcp(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  await once(socket, 'close');
  let answers = Buffer.concat(parts);
  for (let answer = 0; answer < 3; answer += 1) {
    const bodyAt = answers.indexOf('\r\n\r\n') + 4;
    expect([answer, isRight(answers.subarray(bodyAt, bodyAt + size), 0)]).toEqual([answer, true]);
    answers = answers.subarray(bodyAt + size);
  }
  expect([answers.length, streams.size, sender.pool.inFlight]).toEqual([0, 0, 0]);
});

describe('a client that goes away', () => {
  test('at any moment leaves nothing behind', async () => {
    const size = 64 * mebibyte;
    const source = patternSource(size);
    const { port, sender, ended, streams } = await serve(source, size);
    for (const most of [0, 1, 65_536, mebibyte, 3 * mebibyte]) {
      const before = ended();
      const socket = connectTcp(port, '127.0.0.1');
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      let came = 0;
      socket.on('data', (part) => {
        came += part.length;
        if (came >= most) socket.destroy();
      });
      await vi.waitFor(() =>
        expect([ended(), streams.size, sender.pool.inFlight, source.reading]).toEqual([before + 1, 0, 0, 0]),
      );
    }
  });

  test('while its answer waits behind another one is noticed too', async () => {
    const source = patternSource(64 * mebibyte);
    const { port, streams, ended } = await serve(source, 64 * mebibyte);
    const socket = connectTcp(port, '127.0.0.1').pause();
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n'.repeat(2));
    await vi.waitFor(() => expect(streams.size).toBe(2));
    socket.destroy();
    await vi.waitFor(() => expect([streams.size, ended()]).toEqual([0, 2]));
  });
});

describe('clients that do not read', () => {
  test('do not keep others waiting, though they hold more than may be in flight', async () => {
    const size = 32 * mebibyte;
    const source = patternSource(size);
    const { port, sender, streams } = await serve(source, size, 1, { inFlightBytes: mebibyte / 2, stalledAfterMs: 20 });
    const stalled = Array.from({ length: 12 }, () => {
      const socket = connectTcp(port, '127.0.0.1').pause();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket;
    });
    onTestFinished(() => stalled.forEach((socket) => void socket.destroy()));
    await vi.waitFor(() => expect([streams.size, sender.pool.inFlight]).toEqual([12, 0]));
    expect(sender.stalls.stalledBytes).toBeGreaterThan(mebibyte / 2);
    expect((await fetchHttp1(port)).isWhole).toBe(true);
  });

  test('go on where they stopped, with exactly the bytes of the file', async () => {
    const size = 24 * mebibyte;
    const source = patternSource(size);
    const { port, sender } = await serve(source, size, 1, { stalledAfterMs: 20 });
    const { promise, resolve } = Promise.withResolvers<Buffer>();
    get({ port, host: '127.0.0.1', agent: false }, (answer) => {
      answer.pause();
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part)).on('end', () => resolve(Buffer.concat(parts)));
      answer.pause();
      vi.waitFor(() => expect(sender.stalls.stalledBytes).toBeGreaterThan(0)).then(() => answer.resume());
    });
    const bytes = await promise;
    expect(bytes.length).toBe(size);
    expect(isRight(bytes, 0)).toBe(true);
  });

  test('are cut, the longest stalled first, when together they hold too much', async () => {
    const size = 32 * mebibyte;
    const { port, sender, streams, ended } = await serve(patternSource(size), size, 1, {
      stalledAfterMs: 20,
      stalledBytes: mebibyte,
    });
    const sockets = Array.from({ length: 30 }, () => {
      const socket = connectTcp(port, '127.0.0.1').pause();
      socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
      return socket;
    });
    onTestFinished(() => sockets.forEach((socket) => void socket.destroy()));
    await vi.waitFor(() => expect(ended()).toBeGreaterThan(0));
    await vi.waitFor(() => expect(sender.stalls.stalledBytes).toBeLessThanOrEqual(mebibyte));
    expect(streams.size).toBeGreaterThan(0);
  });
});

/** Opens an answer over a connection whose window is shut. */
function askUnread(session: ClientHttp2Session): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  session
    .request({ ':path': '/' })
    .on('response', (headers) => resolve(Number(headers[':status'])))
    .on('error', () => {});
  return promise;
}

function openShut(port: number): ClientHttp2Session {
  const session = connect(`http://127.0.0.1:${port}`, { settings: { initialWindowSize: 0 } }).on('error', () => {});
  onTestFinished(() => session.destroy());
  return session;
}

describe('answers that nobody takes', () => {
  const size = 4 * mebibyte;

  test('are so many on one connection and no more; another connection has its own', async () => {
    const { port, streams } = await serve(patternSource(size), size, 2, { answersPerConnection: 3 });
    const session = openShut(port);
    const statuses = await Promise.all([1, 2, 3, 4].map(() => askUnread(session)));
    expect(statuses.sort()).toEqual([200, 200, 200, 503]);
    expect(await askUnread(openShut(port))).toBe(200);
    expect(streams.size).toBe(4);
  });

  test('are so many in all; then whoever has stalled for the longest makes room', async () => {
    const { port, sender, streams } = await serve(patternSource(size), size, 2, { answers: 3, stalledAfterMs: 20 });
    const session = openShut(port);
    await Promise.all([1, 2, 3].map(() => askUnread(session)));
    await vi.waitFor(() => expect(sender.stalls.stalledBytes).toBe(3 * 64 * 1024));
    expect((await fetchHttp2(port)).isWhole).toBe(true);
    await vi.waitFor(() => expect([streams.size, sender.stalls.stalledBytes]).toEqual([2, 2 * 64 * 1024]));
  });

  test('keep nobody waiting for memory behind them, and their place is free as soon as they go', async () => {
    // Memory for one at a time, and nobody counts as stalled.
    const limits = { inFlightBytes: 64 * 1024, stalledAfterMs: 1_000_000 };
    const { port, sender, streams, ended } = await serve(patternSource(size), size, 2, limits);
    const many = openShut(port);
    const first = askUnread(many);
    await first;
    for (let index = 0; index < 10; index += 1) void askUnread(many);
    await vi.waitFor(() => expect(streams.size).toBe(11));
    const other = fetchHttp2(port);
    await vi.waitFor(() => expect(streams.size).toBe(12));
    many.destroy();
    expect((await other).isWhole).toBe(true);
    await vi.waitFor(() => expect([ended(), streams.size, sender.pool.inFlight]).toEqual([12, 0, 0]));
  });
});
