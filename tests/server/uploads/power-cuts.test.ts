import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { lockRepository } from '#server/features/uploads/receiving/lock-repository.ts';
import { listen } from '#server/http/pipeline/listen.ts';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { tryFaultPoints } from '#tests/support/soak.ts';
import { CallFaults } from '#tests/support/storage/call-faults.ts';
import { UnsyncedDisk } from '#tests/support/storage/unsynced-disk.ts';
import { afterFile, temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const mebibyte = 1024 * 1024;
const data = temporaryFolder(afterFile);
const folder = join(data, 'uploads');
const faults = new CallFaults();
let disk: UnsyncedDisk;
let server: ServerUnderTest;
let ada: Person;
let port: number;

beforeAll(async () => {
  mkdirSync(folder);
  disk = new UnsyncedDisk(folder);
  const uploads = { files: faults.filesOf(disk.calls) };
  server = await startServer({ env: { DATA_DIR: data }, overrides: { uploads } }, afterFile);
  expect(server.services.folders.uploads).toBe(folder);
  port = await listen(server.app, { host: '127.0.0.1', port: 0 });
  ada = await putUploader(server, 'ada');
  faults.watch(server.services.database);
});

function newFilm(paddingBytes = 8): Buffer {
  const padding = Buffer.alloc(8);
  padding.writeUInt32BE(paddingBytes + 8);
  padding.write('free', 4);
  return Buffer.concat([videoBytes(), padding, randomBytes(paddingBytes)]);
}

function listFiles(): string[] {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
}

async function countVideos(): Promise<number> {
  return (await server.services.database.reader.selectFrom('videos').select('number').execute()).length;
}

/**
 * From the call with this number on nothing happens any more, neither on the disk nor in the database; then only what
 * was synced is there. What the database has committed it has synced.
 * @returns whether there was such a call
 */
async function cutPower(): Promise<boolean> {
  const wasReached = faults.heal();
  disk.cutPower();
  // As a start does.
  await server.services.database.write(lockRepository.releaseAll);
  return wasReached;
}

async function sendUntilCut(at: number): Promise<boolean> {
  const film = newFilm();
  // Of one person there may be a few starts a second.
  const sender = await putUploader(server, `sender-${at}`);
  const half = Math.floor(film.length / 2);
  const upload = await SentUpload.start(server, sender, [{ file_size: film.length }]);
  const [videos, files] = [await countVideos(), listFiles().length];
  faults.plan(at, { isForGood: true });
  const sent = [await upload.patch(0, film.subarray(0, half)), await upload.patch(half, film.subarray(half))];
  const completed = await upload.complete(sender);
  const wasReached = await cutPower();

  const acknowledged = Math.max(...sent.map(({ headers }) => Number(headers['upload-offset'] ?? 0)));
  if (completed.statusCode !== 200 || !completed.json().success) await goOn(upload, film, acknowledged);
  const reply = (await upload.complete(sender)).json();
  expect(reply, `cut at ${at}`).toMatchObject({ success: true, videos: [{ size: film.length }] });
  expect((await server.get(reply.videos[0].url)).rawPayload.equals(film), `cut at ${at}`).toBe(true);
  expect([await countVideos(), listFiles().length], `cut at ${at}`).toEqual([videos + 1, files + 1]);
  return wasReached;
}

async function goOn(upload: SentUpload, film: Buffer, acknowledged: number): Promise<void> {
  const offset = await upload.offset();
  // A video that was stored although nobody was told has no part any more.
  const stored = await upload.storedBytes();
  if (stored !== null) expect(stored.equals(film.subarray(0, offset))).toBe(true);
  expect(offset).toBeGreaterThanOrEqual(acknowledged);
  if (offset < film.length) expect((await upload.patch(offset, film.subarray(offset))).statusCode).toBe(204);
}

test('the power is cut at one call, whichever it is: what was acknowledged is there, and one row and one file come of it', async () => {
  expect(await tryFaultPoints(8, sendUntilCut)).toBeGreaterThan(35);
});

/** Over a connection, so that its bytes come in many pieces. @returns the status; null when it was cut */
async function put(upload: SentUpload, bytes: Buffer): Promise<number | null> {
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const sent = request({
    host: '127.0.0.1',
    port,
    path: upload.addressOf(),
    method: 'PUT',
    headers: { ...upload.key, 'content-length': bytes.length },
    agent: false,
  });
  sent.on('response', (reply) => resolve(reply.resume().statusCode ?? null)).on('error', () => resolve(null));
  sent.end(bytes);
  return promise;
}

test('the power is cut while a large file comes: its offset falls back to a durability point, and what is before it is right', async () => {
  const film = newFilm(36 * mebibyte);
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  // While the second of them is made; those of opening come first.
  faults.plan(3, { call: 'sync', isForGood: true });
  expect(await put(upload, film)).toBe(500);
  const written = (await upload.storedBytes())?.length ?? 0;
  expect(await cutPower()).toBe(true);
  const offset = await upload.offset();
  expect(offset).toBeGreaterThanOrEqual(16 * mebibyte);
  expect(written - offset).toBeLessThanOrEqual(32 * mebibyte);
  expect((await upload.storedBytes())?.equals(film.subarray(0, offset))).toBe(true);
  expect((await upload.patch(offset, film.subarray(offset))).statusCode).toBe(204);
  expect((await upload.complete(ada)).json()).toMatchObject({ success: true, videos: [{ size: film.length }] });
});
