import { once } from 'node:events';
import { closeSync, openSync, read, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server, Socket } from 'node:net';
import { connect } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { ByteSender } from '#server/features/streaming/byte-sender.ts';
import type { ByteResponse } from '#server/features/streaming/client-watch.ts';
import { createOpenStreams } from '#server/http/pipeline/open-streams.ts';
import type { SendFile } from '#server/storage/send-file.ts';
import { openSendFile } from '#server/storage/send-file.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';

const mebibyte = 1024 * 1024;
const fileBytes = 9 * mebibyte + 321;

/** Each byte tells its place. */
const pattern = Buffer.alloc(24 * mebibyte);
for (let place = 0; place < pattern.length; place += 1) pattern[place] = place ^ (place >> 8) ^ (place >> 16);

interface LocalFile {
  path: string;
  descriptor: number;
  bytes: Buffer;
}

/** Just written, so it lies in the page cache. */
function writeFile(bytes = fileBytes): LocalFile {
  const content = pattern.subarray(0, bytes);
  const path = join(temporaryFolder(), 'film.mp4');
  writeFileSync(path, content);
  const descriptor = openSync(path, 'r');
  onTestFinished(() => closeSync(descriptor));
  return { path, descriptor, bytes: content };
}

interface Sending {
  port: number;
  /** Bytes that this process has read. */
  carried: () => number;
  /** Bytes that were counted for the viewer. */
  counted: () => number;
  held: () => number[];
  ended: () => number;
}

/** Answers `/<start>-<end>` with these bytes, both included. */
async function serve(file: LocalFile, sendFile: SendFile | null, protocol: 1 | 2 = 1): Promise<Sending> {
  const streams = createOpenStreams();
  const sender = new ByteSender({ streams, sendFile, unread: { given() {} } }, { stalledAfterMs: 20 });
  let [carried, counted, ended] = [0, 0, 0];
  const viewer = {
    given(bytes: number) {
      counted += bytes;
    },
  };
  const source = {
    descriptor: file.descriptor,
    read: (into: Buffer, position: number) =>
      new Promise<number>((resolve, reject) => {
        read(file.descriptor, into, 0, into.length, position, (error, length) => {
          carried += length;
          if (error === null) resolve(length);
          else reject(error);
        });
      }),
  };
  const answer = async (url: string, response: ByteResponse) => {
    const [start = 0, end = 0] = url.slice(1).split('-').map(Number);
    await sender.send(
      { response, viewer, sendHead: () => void response.setHeader('content-length', end - start + 1), readFailed() {} },
      source,
      { start, end },
    );
    ended += 1;
  };
  const server: Server =
    protocol === 1
      ? createServer((request, response) => void answer(request.url ?? '', response))
      : createHttp2Server((request, response) => void answer(request.url, response));
  server.listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    port,
    carried: () => carried,
    counted: () => counted,
    held: () => [streams.size, sender.pool.inFlight, sender.stalls.stalledBytes],
    ended: () => ended,
  };
}

const ask = (windows: string[]) =>
  windows.map(
    (window, at) =>
      `GET /${window} HTTP/1.1\r\nHost: x\r\n${at === windows.length - 1 ? 'Connection: close\r\n' : ''}\r\n`,
  );

/**
 * Everything that comes on one connection, whose requests are all written at once. @param whenConnected may make the
 * client a slow one
 */
async function fetchRaw(
  port: number,
  windows: string[],
  whenConnected: (socket: Socket) => void = () => {},
): Promise<Buffer> {
  const socket = connect(port, '127.0.0.1');
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part)).on('error', () => {});
  whenConnected(socket);
  socket.write(ask(windows).join(''));
  await once(socket, 'close');
  return Buffer.concat(parts);
}

/** The bodies of answers that follow one another, by the length that each promises. */
function bodiesOf(answers: Buffer): Buffer[] {
  const bodies: Buffer[] = [];
  for (let at = 0; at < answers.length; ) {
    const bodyAt = answers.indexOf('\r\n\r\n', at) + 4;
    const length = Number(/content-length: (\d+)/i.exec(answers.toString('latin1', at, bodyAt))?.[1]);
    bodies.push(answers.subarray(bodyAt, bodyAt + length));
    at = bodyAt + length;
  }
  return bodies;
}

async function systemSendFile(): Promise<SendFile> {
  const sendFile = await openSendFile();
  if (sendFile === null) throw new Error('This system has no sendfile.');
  return sendFile;
}

/** Linux tells what lies in the page cache since 6.5. */
const isTold = async (file: LocalFile) => (await systemSendFile()).isCached(file.descriptor, 0, mebibyte);

const everything = `0-${fileBytes - 1}`;

/** What is cheaper changes; each way has to do alone. */
const eachWay = [
  ['handed over', (system: SendFile) => ({ ...system, copy: system.send })],
  ['copied', (system: SendFile) => ({ ...system, send: system.copy })],
] as const;

test.each(eachWay)(
  'bytes in the page cache reach the client as they are when %s, and this process need not carry them',
  async (_, byOneWay) => {
    const file = writeFile();
    const { port, carried, counted, held } = await serve(file, byOneWay(await systemSendFile()));
    const [body] = bodiesOf(await fetchRaw(port, [everything]));
    expect(body?.equals(file.bytes)).toBe(true);
    expect(counted()).toBe(fileBytes);
    expect(carried() < fileBytes).toBe(await isTold(file));
    await vi.waitFor(() => expect(held()).toEqual([0, 0, 0]));
  },
);

test.each(eachWay)(
  'any window reaches a client of any pace as it is when %s, wherever in it the page cache has a gap',
  async (_, byOneWay) => {
    const file = writeFile();
    const system = byOneWay(await systemSendFile());
    let isCached = (_position: number) => true;
    const { port, counted } = await serve(file, {
      ...system,
      isCached: (descriptor, position, bytes) => isCached(position) && system.isCached(descriptor, position, bytes),
    });
    const place = fc.nat(fileBytes - 1);
    const pauses = fc.array(fc.nat(3 * mebibyte), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(place, place, pauses, fc.nat(7), async (a, b, pauseAt, gaps) => {
        isCached = (position) => gaps === 0 || Math.floor(position / mebibyte) % (gaps + 1) !== 0;
        const [start, end] = a < b ? [a, b] : [b, a];
        const before = counted();
        const answers = await fetchRaw(port, [`${start}-${end}`], (socket) => pauseNowAndThen(socket, pauseAt));
        expect(counted() - before).toBe(end - start + 1);
        expect(bodiesOf(answers)[0]?.equals(file.bytes.subarray(start, end + 1))).toBe(true);
      }),
      { numRuns: 30 },
    );
  },
);

/** Reads nothing for a few turns of the loop at each of these places. */
function pauseNowAndThen(socket: Socket, places: number[]): void {
  const left = [...places].sort((a, b) => a - b);
  let came = 0;
  socket.on('data', (part) => {
    came += part.length;
    if (left[0] === undefined || came < left[0]) return;
    left.shift();
    socket.pause();
    setTimeout(() => socket.resume(), 5);
  });
}

test('a client that stops reading holds a small piece at most, and goes on with exactly the bytes of the file', async () => {
  const file = writeFile(pattern.length);
  const { port, held } = await serve(file, await openSendFile());
  const socket = connect(port, '127.0.0.1').pause();
  const parts: Buffer[] = [];
  socket.on('data', (part) => parts.push(part)).pause();
  socket.write(ask([`0-${file.bytes.length - 1}`]).join(''));
  const expected = (await isTold(file)) ? 64 * 1024 : expect.any(Number);
  await vi.waitFor(() => expect(held()).toEqual([1, 0, expected]));
  socket.resume();
  await once(socket, 'close');
  expect(bodiesOf(Buffer.concat(parts))[0]?.equals(file.bytes)).toBe(true);
});

test('a client that goes away at any moment leaves nothing behind', async () => {
  const file = writeFile();
  const { port, held, ended } = await serve(file, await openSendFile());
  for (const most of [0, 1, 65_536, mebibyte, 5 * mebibyte]) {
    const before = ended();
    const socket = connect(port, '127.0.0.1');
    let came = 0;
    socket.on('data', (part) => {
      came += part.length;
      if (came >= most) socket.destroy();
    });
    socket.write(ask([everything]).join(''));
    await vi.waitFor(() => expect([ended(), ...held()]).toEqual([before + 1, 0, 0, 0]));
  }
});

test('answers that follow one another on a connection come in their order', async () => {
  const file = writeFile();
  const { port } = await serve(file, await openSendFile());
  const windows = [
    [0, 2 * mebibyte],
    [5, 400_000],
    [3 * mebibyte, fileBytes - 1],
  ] as const;
  const bodies = bodiesOf(
    await fetchRaw(
      port,
      windows.map(([start, end]) => `${start}-${end}`),
    ),
  );
  expect(
    bodies.map((body, at) => body.equals(file.bytes.subarray(windows[at]?.[0], (windows[at]?.[1] ?? 0) + 1))),
  ).toEqual([true, true, true]);
});

test.each(eachWay)('an answer is cut where the file has become shorter when %s', async (_, byOneWay) => {
  const file = writeFile();
  truncateSync(file.path, 3 * mebibyte);
  // As it was when it was looked at.
  const { port, held } = await serve(file, { ...byOneWay(await systemSendFile()), isCached: () => true });
  const [body] = bodiesOf(await fetchRaw(port, [everything]));
  expect(body?.equals(file.bytes.subarray(0, body.length))).toBe(true);
  expect(body?.length).toBeLessThanOrEqual(3 * mebibyte);
  await vi.waitFor(() => expect(held()).toEqual([0, 0, 0]));
});

describe('everything is read and written', () => {
  const refuse = () => {
    throw new Error('The system sends nothing of this file.');
  };

  test('where the file system cannot do it', async () => {
    const file = writeFile();
    const { port, carried } = await serve(file, { isCached: () => true, begin: () => 0, send: refuse, copy: refuse });
    const [body] = bodiesOf(await fetchRaw(port, [everything]));
    expect([body?.equals(file.bytes), carried()]).toEqual([true, fileBytes]);
  });

  test('where the system does not tell what lies in the page cache', async () => {
    const file = writeFile();
    const { port, carried } = await serve(file, { isCached: () => false, begin: () => 0, send: refuse, copy: refuse });
    const [body] = bodiesOf(await fetchRaw(port, [everything]));
    expect([body?.equals(file.bytes), carried()]).toEqual([true, fileBytes]);
  });

  test('where many answers share a connection', async () => {
    const file = writeFile();
    const { port, carried, counted } = await serve(file, await openSendFile(), 2);
    const session = connectHttp2(`http://127.0.0.1:${port}`);
    onTestFinished(() => session.destroy());
    const parts: Buffer[] = [];
    const stream = session.request({ ':path': `/${everything}` }).on('data', (part: Buffer) => parts.push(part));
    await once(stream, 'close');
    expect([Buffer.concat(parts).equals(file.bytes), carried(), counted()]).toEqual([true, fileBytes, fileBytes]);
  });
});

test('what was never read, or lies past the end, is not in the page cache', async () => {
  const file = writeFile();
  const sendFile = await systemSendFile();
  expect(sendFile.isCached(file.descriptor, fileBytes - 10, 4 * 4_096)).toBe(false);
  truncateSync(file.path, 64 * mebibyte);
  expect(sendFile.isCached(file.descriptor, 32 * mebibyte, mebibyte)).toBe(false);
});
