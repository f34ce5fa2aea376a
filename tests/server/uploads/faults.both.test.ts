import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import type { LightMyRequestResponse } from 'fastify';
import { beforeAll, beforeEach, expect, test } from 'vitest';
import { sweepUploads } from '#server/features/uploads/session-end.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { tryFaultPoints } from '#tests/support/soak.ts';
import { CallFaults } from '#tests/support/storage/call-faults.ts';
import { afterFile } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, tus, videoBytes } from '#tests/support/uploads.ts';

const faults = new CallFaults();
let server: ServerUnderTest;
let ada: Person;
let made = 0;

beforeAll(async () => {
  const lockTimes = { leaseMs: 400, renewMs: 100, patienceMs: 3_000, retryMs: 5 };
  server = await startServer({ overrides: { uploads: { files: faults.filesOf(), lockTimes } } }, afterFile);
  ada = await newUploader();
  faults.watch(server.services.database);
});

beforeEach(() => void faults.heal());

/** One person starts few uploads a second. */
function newUploader(): Promise<Person> {
  made += 1;
  return putUploader(server, `uploader-${made}`);
}

/** No two of them are the same bytes. */
function newFilm(): Buffer {
  return Buffer.concat([videoBytes(), Buffer.from([0, 0, 0, 16]), Buffer.from('free'), randomBytes(8)]);
}

/** What a client does that never gives up, once everything works again: asks, goes on, completes. */
async function finish(upload: SentUpload, film: Buffer): Promise<void> {
  const offset = await upload.offset();
  expect(offset).toBeLessThanOrEqual(film.length);
  if (offset < film.length) expect((await upload.patch(offset, film.subarray(offset))).statusCode).toBe(204);
  const reply = await upload.complete(ada);
  expect(reply.json()).toMatchObject({ success: true, videos: [{ size: film.length }] });
  expect((await server.get(reply.json().videos[0].url)).rawPayload.equals(film)).toBe(true);
}

async function rowsAndFiles(): Promise<[rows: number, files: number]> {
  const { database, folders } = server.services;
  const rows = await database.reader.selectFrom('videos').select('number').execute();
  if (!existsSync(folders.uploads)) return [rows.length, 0];
  const files = readdirSync(folders.uploads, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return [rows.length, files.length];
}

function sha1Of(bytes: Buffer): Record<string, string> {
  return { 'upload-checksum': `sha1 ${createHash('sha1').update(bytes).digest('base64')}` };
}

type Sending = (upload: SentUpload, film: Buffer) => Promise<LightMyRequestResponse>[];

const inParts: Sending = (upload, film) => {
  const half = Math.floor(film.length / 2);
  const first = upload.patch(0, film.subarray(0, half));
  return [first, first.then(() => upload.patch(half, film.subarray(half)))];
};
const inPartsWithChecksums: Sending = (upload, film) => {
  const half = Math.floor(film.length / 2);
  const [one, two] = [film.subarray(0, half), film.subarray(half)];
  const first = upload.patch(0, one, sha1Of(one));
  return [first, first.then(() => upload.patch(half, two, sha1Of(two)))];
};
const whole: Sending = (upload, film) => [upload.put(film)];

/** How far the client knows that it is. */
function acknowledgedBy(replies: readonly LightMyRequestResponse[], film: Buffer): number {
  return Math.max(
    ...replies.map(({ statusCode, headers }) =>
      statusCode === 201 ? film.length : Number(headers['upload-offset'] ?? 0),
    ),
  );
}

function expectPlainWords({ statusCode, body }: LightMyRequestResponse): void {
  if (statusCode < 500) return;
  expect(JSON.parse(body)).toMatchObject({ error: expect.any(String), message: expect.any(String) });
  expect(body).not.toMatch(/planned|\.ts|\//);
}

/** Sends and completes with one fault. @returns whether it, or a machine that is too slow, was in the way */
async function sendWithFault(failsAt: number, code: string, send: Sending): Promise<boolean> {
  const film = newFilm();
  ada = await newUploader();
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  const [rows, files] = await rowsAndFiles();
  faults.plan(failsAt, { code });
  const sent = await Promise.all(send(upload, film));
  const completed = await upload.complete(ada);
  const hadFault = faults.heal();
  for (const reply of [...sent, completed]) expectPlainWords(reply);
  const isComplete = completed.statusCode === 200 && completed.json().success === true;
  if (!isComplete) {
    // What was acknowledged is on the disk.
    expect(await upload.offset()).toBeGreaterThanOrEqual(acknowledgedBy(sent, film));
    await finish(upload, film);
  }
  expect(await rowsAndFiles()).toEqual([rows + 1, files + 1]);
  return hadFault || !isComplete;
}

// The number of calls varies: 35 to 37 were counted for a whole file, 44 to 48 for parts.
test.each<[code: string, how: string, send: Sending, leastCalls: number]>([
  ['EIO', 'in parts', inParts, 40],
  ['ENOSPC', 'in parts with checksums', inPartsWithChecksums, 40],
  ['EROFS', 'as a whole', whole, 34],
])(
  'one call fails with %s, of file system or database, whichever it is, while a file comes %s: nothing acknowledged is lost, and one row and one file come of it',
  async (code, _, send, leastCalls) => {
    expect(await tryFaultPoints(8, (at) => sendWithFault(at, code, send))).toBeGreaterThan(leastCalls);
  },
);

test('one call fails, whichever it is, while a session is cancelled: cancelled again, nothing is left of it', async () => {
  const before = await rowsAndFiles();
  await tryFaultPoints(5, async (failsAt) => {
    ada = await newUploader();
    const upload = await SentUpload.start(server, ada, [{}, {}]);
    await upload.patch(0, Buffer.alloc(500));
    const cancel = () => server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: ada.headers });
    faults.plan(failsAt);
    const cancelled = await cancel();
    const hadFault = faults.heal();
    expectPlainWords(cancelled);
    expect((await cancel()).statusCode).toBe(204);
    await sweepUploads(server.services.uploads);
    expect(await rowsAndFiles()).toEqual(before);
    return hadFault;
  });
});

test('whoever cancels while the database has no room either gives the bytes back first, and has cancelled then', async () => {
  ada = await newUploader();
  const cancel = (upload: SentUpload) =>
    server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: ada.headers });
  const cancelFile = (upload: SentUpload) => upload.send('DELETE', { headers: tus });
  for (const attempt of [cancel, cancelFile]) {
    const upload = await SentUpload.start(server, ada);
    await upload.patch(0, Buffer.alloc(500));
    faults.plan(0, { code: 'SQLITE_FULL', call: 'statement' });
    expect((await attempt(upload)).statusCode).toBe(204);
    expect(faults.heal()).toBe(true);
    expect(await upload.storedBytes()).toBeNull();
  }
});

test('a disk that is full is 507, what had come stays, and it goes on once there is room', async () => {
  const film = newFilm();
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  await upload.patch(0, film.subarray(0, 1_000));
  faults.plan(0, { code: 'ENOSPC', call: 'write' });
  const full = await upload.patch(1_000, film.subarray(1_000));
  expect([full.statusCode, full.json().error]).toEqual([507, 'out_of_space']);
  faults.heal();
  expect(await upload.offset()).toBe(1_000);
  await finish(upload, film);
});

test('a sync that fails once is not acknowledged, and what it was about is sent again', async () => {
  const film = newFilm();
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  await upload.patch(0, film.subarray(0, 1_000));
  // After that of opening, that of what was written.
  faults.plan(1, { call: 'sync' });
  expect((await upload.patch(1_000, film.subarray(1_000, 2_000))).statusCode).toBe(500);
  expect((await upload.storedBytes())?.length).toBe(2_000);
  faults.heal();
  expect(await upload.offset()).toBe(1_000);
  await finish(upload, film);
});
