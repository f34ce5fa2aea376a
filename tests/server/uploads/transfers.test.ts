import { createHash, randomBytes } from 'node:crypto';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:http';
import type { Socket } from 'node:net';
import { connect } from 'node:net';
import { beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import type { BodyPlace } from '#server/features/uploads/receiving/upload-room.ts';
import { placeLimits } from '#server/features/uploads/receiving/upload-room.ts';
import { listen, stopGently } from '#server/http/pipeline/listen.ts';
import type { FileCalls } from '#server/storage/disk-storage.ts';
import { systemFileCalls } from '#server/storage/disk-storage.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, tus, videoBytes } from '#tests/support/uploads.ts';

let server: ServerUnderTest;
let ada: Person;
let port: number;

beforeAll(async () => {
  server = await startServer({}, afterFile);
  port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  ada = await putUploader(server, 'ada');
});

const patchHeaders = (offset: number) => ({
  ...tus,
  'content-type': 'application/offset+octet-stream',
  'upload-offset': String(offset),
});

/** A request over a real connection, whose body is written by the test. */
function open(
  upload: SentUpload,
  method: string,
  headers: Record<string, string | number> = {},
  at = port,
  file = 0,
): ClientRequest {
  const opened = request({
    host: '127.0.0.1',
    port: at,
    path: upload.addressOf(file),
    method,
    headers: { ...upload.key, ...headers },
    agent: false,
  });
  opened.on('error', () => {});
  return opened;
}

/** Also of one whose connection fails after its answer, or while that is on its way. */
function statusOf(sent: ClientRequest): Promise<number | undefined> {
  const { promise, resolve } = Promise.withResolvers<number | undefined>();
  sent.once('close', () => resolve(undefined));
  sent.once('response', (reply: IncomingMessage) => {
    reply.resume();
    resolve(reply.statusCode);
  });
  return promise;
}

function closing(sent: ClientRequest): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  sent.on('close', resolve);
  return promise;
}

/** Until so many bytes lie on the disk. */
const untilStored = (upload: SentUpload, bytes: number, file = 0) =>
  vi.waitFor(async () => expect((await upload.storedBytes(file))?.length).toBe(bytes), { interval: 5 });

const size = 400_000;
const bytes = randomBytes(size);
const startOne = () => SentUpload.start(server, ada, [{ file_size: size }]);

describe('a connection that is cut', () => {
  test.each([0, 1, 65_536, size / 2, size - 1])('after %d bytes loses none of them', async (sent) => {
    const upload = await startOne();
    const cut = open(upload, 'PUT', { 'content-length': size });
    cut.write(bytes.subarray(0, sent));
    cut.flushHeaders();
    await untilStored(upload, sent);
    cut.destroy();
    expect(await upload.offset()).toBe(sent);
    // Clients go away all the time.
    expect(server.logged()).not.toContain('a request failed');
    expect((await upload.patch(sent, bytes.subarray(sent))).statusCode).toBe(204);
    expect(await upload.storedBytes()).toEqual(bytes);
  });

  test('in a part with a checksum: nothing of that part counts', async () => {
    const upload = await startOne();
    await upload.patch(0, bytes.subarray(0, 1_000));
    const rest = bytes.subarray(1_000);
    const checksum = `sha1 ${createHash('sha1').update(rest).digest('base64')}`;
    const cut = open(upload, 'PATCH', {
      ...patchHeaders(1_000),
      'upload-checksum': checksum,
      'content-length': rest.length,
    });
    cut.write(rest.subarray(0, 200_000));
    await untilStored(upload, 201_000);
    cut.destroy();
    expect(await upload.offset()).toBe(1_000);
    expect((await upload.patch(1_000, rest, { 'upload-checksum': checksum })).statusCode).toBe(204);
    expect(await upload.storedBytes()).toEqual(bytes);
  });
});

test('a request that comes later ends the one that still stands, and goes on where it was', async () => {
  const upload = await startOne();
  const stalled = open(upload, 'PATCH', { ...patchHeaders(0), 'content-length': size });
  stalled.write(bytes.subarray(0, 100_000));
  const ended = closing(stalled);
  await untilStored(upload, 100_000);
  expect(await upload.offset()).toBe(100_000);
  await ended;
  await upload.patch(100_000, bytes.subarray(100_000));
  expect(await upload.storedBytes()).toEqual(bytes);
});

test('a chunked body without an end is cut at the declared length', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: 1_000 }]);
  const endless = open(upload, 'PUT', { 'transfer-encoding': 'chunked' });
  endless.write(Buffer.alloc(1_500));
  expect(await statusOf(endless)).toBe(413);
  endless.destroy();
  expect(await upload.offset()).toBeLessThanOrEqual(1_000);
});

test('a chunked part with the right checksum goes no further than the declared length, and leaves nothing', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: 1_000 }]);
  const much = Buffer.alloc(300_000, 1);
  const checksum = `sha1 ${createHash('sha1').update(much).digest('base64')}`;
  const large = open(upload, 'PATCH', {
    ...patchHeaders(0),
    'upload-checksum': checksum,
    'transfer-encoding': 'chunked',
  });
  large.end(much);
  expect(await statusOf(large)).toBe(413);
  expect(await upload.offset()).toBe(0);
  expect(await upload.storedBytes()).toHaveLength(0);
});

test('a chunked body that ends early is no file, and goes on', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: 1_000 }]);
  const short = open(upload, 'PUT', { 'transfer-encoding': 'chunked' });
  short.end(Buffer.alloc(600));
  expect(await statusOf(short)).toBe(400);
  expect(await upload.offset()).toBe(600);
});

test('a body that is refused while it comes is thrown away for a moment, so that the answer arrives', async () => {
  const upload = await startOne();
  const large = open(upload, 'PUT', { 'content-length': 50_000_000 });
  const ended = closing(large);
  const sending = setInterval(() => large.write(Buffer.alloc(4 * 1024)), 5);
  onTestFinished(() => clearInterval(sending));
  expect(await statusOf(large)).toBe(413);
  await ended;
});

test.each(['close', 'keep-alive'])(
  'a body (connection: %s) that is refused in its middle gets the reason, and its connection ends although it goes on sending',
  async (connection) => {
    const upload = await SentUpload.start(server, ada, [{ file_size: 1_000 }]);
    const endless = open(upload, 'PUT', { 'transfer-encoding': 'chunked', connection });
    const ended = closing(endless);
    endless.write(Buffer.alloc(500));
    await untilStored(upload, 500);
    const sending = setInterval(() => endless.write(Buffer.alloc(64 * 1024)), 5);
    onTestFinished(() => clearInterval(sending));
    expect(await statusOf(endless)).toBe(413);
    await ended;
  },
);

test('of a part that was sent twice nothing more is read', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: 1_000_000_000 }]);
  const headers = { host: 'localhost', ...upload.key, ...patchHeaders(1), 'content-length': 900_000_000 };
  const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  const accepted = new Promise<Socket>((resolve) => server.app.server.once('connection', resolve));
  const again = connect(port, '127.0.0.1').on('error', () => {});
  let answer = '';
  again.on('data', (text) => {
    answer += String(text);
  });
  const ended = new Promise((resolve) => again.once('close', resolve));
  again.write(`PATCH ${upload.addressOf()} HTTP/1.1\r\n${head.join('')}\r\n`);
  const piece = Buffer.alloc(1024 * 1024);
  const send = (error?: Error | null) => {
    if (!error) again.write(piece, send);
  };
  send();
  await ended;
  // A client that still writes may lose it with the connection.
  if (answer !== '') expect(answer).toMatch(/^HTTP\/1.1 409/);
  // What had come before the refusal; the system holds some more, which nobody reads.
  expect((await accepted).bytesRead).toBeLessThanOrEqual(piece.length);
});

test('5 GB and a byte are refused before they are read', async () => {
  const upload = await startOne();
  const large = open(upload, 'PUT', { 'content-length': 5_368_709_121 });
  large.flushHeaders();
  expect(await statusOf(large)).toBe(413);
  expect(await upload.storedBytes()).toBeNull();
});

test('completing it meanwhile lists the file as not there yet, and does not disturb it', async () => {
  const film = videoBytes();
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  const running = open(upload, 'PUT', { 'content-length': film.length });
  running.write(film.subarray(0, 1_000));
  const early = await upload.complete(ada);
  // Its first bytes have been taken, or not yet.
  const status = expect.stringMatching(/^(pending|uploading)$/);
  expect(early.json()).toEqual({
    success: false,
    videos: [],
    files: [{ id: expect.any(String), filename: 'a film.mp4', status, video_id: null, message: null }],
    failed: [{ filename: 'a film.mp4', message: 'This file has not fully arrived.' }],
  });
  running.end(film.subarray(1_000));
  expect(await statusOf(running)).toBe(201);
  expect((await upload.complete(ada)).json()).toMatchObject({ success: true, failed: [] });
});

test('bodies of one person that stand leave the others their places; one that brings nothing is told so, and goes on later', async () => {
  const eve = await putUploader(server, 'eve-of-many');
  const files = Array.from({ length: placeLimits.perPerson + 1 }, () => ({ file_size: size }));
  const many = await SentUpload.start(server, eve, files);
  const stalled = files.slice(1).map((_, file) => open(many, 'PUT', { 'content-length': size }, port, file));
  for (const one of stalled) one.write(bytes.subarray(0, 1_000));
  for (const [file] of stalled.entries()) await untilStored(many, 1_000, file);
  expect((await many.put(bytes, placeLimits.perPerson)).statusCode).toBe(429);
  const upload = await startOne();
  expect((await upload.put(bytes)).statusCode).toBe(201);
  const answers = stalled.map(statusOf);
  for (let look = 0; look <= placeLimits.looks; look += 1) server.services.uploads.receiver.places.look();
  expect(new Set(await Promise.all(answers))).toEqual(new Set([503]));
  expect((await many.put(bytes, placeLimits.perPerson)).statusCode).toBe(201);
  for (const one of stalled) one.destroy();
  expect(await many.offset()).toBe(1_000);
});

test('two files of one session come at the same time, and are not mixed', async () => {
  const upload = await SentUpload.start(server, ada, [{ file_size: size }, { file_size: size }]);
  const others = randomBytes(size);
  await Promise.all([upload.put(bytes), upload.put(others, 1)]);
  expect(await upload.storedBytes()).toEqual(bytes);
  expect(await upload.storedBytes(1)).toEqual(others);
});

test('the session of a device ends meanwhile: the key goes on', async () => {
  const eve = await putUploader(server, 'eve');
  const upload = await SentUpload.start(server, eve, [{ file_size: size }]);
  await upload.patch(0, bytes.subarray(0, 1_000));
  await server.call('POST', '/auth/logout', { headers: eve.headers });
  expect((await upload.patch(1_000, bytes.subarray(1_000))).statusCode).toBe(204);
});

test('the disk runs full meanwhile: 507 before it is, what had come stays, and it goes on once there is room', async () => {
  const space = { free: 10 ** 12, total: 10 ** 12 };
  const asked: number[] = [];
  const read = async () => {
    asked.push(space.free);
    // Enough when it begins, too little after the first 16 MiB.
    const { free } = space;
    if (asked.length === 2) space.free = 1_000;
    return { ...space, free };
  };
  const own = await startServer({ overrides: { uploads: { diskSpace: { read } } } });
  const large = 36 * 1024 * 1024;
  const upload = await SentUpload.start(own, await putUploader(own, 'ada'), [{ file_size: large }]);
  const full = open(upload, 'PUT', { 'content-length': large }, await listen(own.app, { host: '127.0.0.1', port: 0 }));
  full.end(Buffer.alloc(large, 1));
  expect([await statusOf(full), asked.length]).toEqual([507, 3]);
  space.free = 10 ** 12;
  const offset = await upload.offset();
  expect(offset).toBeGreaterThanOrEqual(15 * 1024 * 1024);
  expect((await upload.patch(offset, Buffer.alloc(large - offset, 1))).statusCode).toBe(204);
});

test('the server stops: what has come stays, and the next one goes on', async () => {
  const own = await startServer();
  const ownPort = await listen(own.app, { host: '127.0.0.1', port: 0 });
  const upload = await SentUpload.start(own, await putUploader(own, 'ada'), [{ file_size: size }]);
  const running = open(upload, 'PUT', { 'content-length': size }, ownPort);
  running.write(bytes.subarray(0, 200_000));
  await untilStored(upload, 200_000);
  const stopped = stopGently(own.app, own.services.streams);
  own.services.streams.cutAll();
  await stopped;
  expect((await upload.storedBytes())?.equals(bytes.subarray(0, 200_000))).toBe(true);
});

test('a body whose bytes the disk takes slowly is not slow itself, however often it is looked at', async () => {
  const { promise: turn, resolve: go } = Promise.withResolvers<void>();
  const write: FileCalls['write'] = async (...bytes) => {
    await turn;
    return systemFileCalls.write(...bytes);
  };
  const slow = await startServer({ overrides: { uploads: { files: { ...systemFileCalls, write } } } });
  const at = await listen(slow.app, { host: '127.0.0.1', port: 0 });
  const film = randomBytes(4 * 1024 * 1024);
  const upload = await SentUpload.start(slow, await putUploader(slow, 'eve'), [{ file_size: film.length }]);
  const sending = open(upload, 'PUT', { 'content-length': film.length }, at);
  const answer = statusOf(sending);
  sending.end(film);
  const { places } = slow.services.uploads.receiver;
  const { taken } = places as unknown as { taken: { all(): Iterable<BodyPlace> } };
  await vi.waitFor(() => expect([...taken.all()].map(({ wasHeldUp }) => wasHeldUp)).toEqual([true]));
  for (let look = 0; look <= 3 * placeLimits.looks; look += 1) places.look();
  go();
  expect(await answer).toBe(201);
});
