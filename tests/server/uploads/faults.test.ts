import { randomBytes } from 'node:crypto';
import { existsSync, readdirSync } from 'node:fs';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { FileCalls } from '#server/storage/file-calls.ts';
import { systemFileCalls } from '#server/storage/file-calls.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

/** Calls count from 0 on; the one at `failsAt` fails. */
const faults = { calls: 0, failsAt: Number.POSITIVE_INFINITY, code: 'EIO' };

function count(): void {
  faults.calls += 1;
  if (faults.calls === faults.failsAt + 1) throw Object.assign(new Error(faults.code), { code: faults.code });
}

/** Those of the system, any of which may fail before it has done anything. */
const failingFiles = Object.fromEntries(
  Object.entries(systemFileCalls).map(([name, call]) => [
    name,
    async (...args: unknown[]) => {
      count();
      return (call as (...args: unknown[]) => Promise<unknown>)(...args);
    },
  ]),
) as unknown as FileCalls;

let server: ServerUnderTest;
let ada: Person;

beforeAll(async () => {
  const uploads = { files: failingFiles, lockTimes: { leaseMs: 300, renewMs: 100, patienceMs: 1_500, retryMs: 5 } };
  server = await startServer({ overrides: { uploads } }, afterAll);
  ada = await putUploader(server, 'ada');
  const { database } = server.services;
  const write = database.write.bind(database);
  let isCounting = false;
  database.write = (work) =>
    write(async (transaction) => {
      if (isCounting) count();
      const result = await work(transaction);
      // Before it is committed: all of it was in vain.
      if (isCounting) count();
      return result;
    });
  setCounting = (value) => {
    isCounting = value;
  };
});

let setCounting: (value: boolean) => void = () => {};

beforeEach(() => heal());

function heal(): void {
  Object.assign(faults, { calls: 0, failsAt: Number.POSITIVE_INFINITY, code: 'EIO' });
  setCounting(false);
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

/** Sends and completes with one fault. @returns whether there was a call to fail */
async function sendWithFault(failsAt: number): Promise<boolean> {
  const film = newFilm();
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  const [rows, files] = await rowsAndFiles();
  Object.assign(faults, { calls: 0, failsAt });
  setCounting(true);
  const half = Math.floor(film.length / 2);
  const replies = [
    await upload.patch(0, film.subarray(0, half)),
    await upload.patch(half, film.subarray(half)),
    await upload.complete(ada),
  ];
  const hadFault = faults.calls > failsAt;
  heal();
  // What was acknowledged is on the disk.
  const acknowledged = Number(replies[1]?.headers['upload-offset'] ?? replies[0]?.headers['upload-offset'] ?? 0);
  const isComplete = replies[2]?.statusCode === 200 && replies[2].json().success === true;
  for (const { statusCode, body } of replies)
    if (statusCode >= 500) expect(Object.keys(JSON.parse(body))).toEqual(expect.arrayContaining(['error', 'message']));
  if (!isComplete) {
    expect(await upload.offset()).toBeGreaterThanOrEqual(acknowledged);
    await finish(upload, film);
  }
  expect(await rowsAndFiles()).toEqual([rows + 1, files + 1]);
  return hadFault;
}

test('one call fails, of file system or database, whichever it is: nothing acknowledged is lost, and one row and one file come of it', async () => {
  let at = 0;
  while (await sendWithFault(at)) at += 1;
  expect(at).toBeGreaterThan(25);
});

test('a disk that is full is 507, what had come stays, and it goes on once there is room', async () => {
  const film = newFilm();
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  await upload.patch(0, film.subarray(0, 1_000));
  // Of one PATCH: opening, its sync, writing.
  Object.assign(faults, { calls: 0, failsAt: 2, code: 'ENOSPC' });
  const full = await upload.patch(1_000, film.subarray(1_000));
  expect([full.statusCode, full.json().error]).toEqual([507, 'out_of_space']);
  heal();
  expect(await upload.offset()).toBe(1_000);
  await finish(upload, film);
});

test('a sync that fails once is not acknowledged, and what it was about is sent again', async () => {
  const film = newFilm();
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  await upload.patch(0, film.subarray(0, 1_000));
  // Opening, its sync, writing, and the sync of what was written.
  Object.assign(faults, { calls: 0, failsAt: 3 });
  expect((await upload.patch(1_000, film.subarray(1_000, 2_000))).statusCode).toBe(500);
  expect((await upload.storedBytes())?.length).toBe(2_000);
  heal();
  expect(await upload.offset()).toBe(1_000);
  await finish(upload, film);
});
