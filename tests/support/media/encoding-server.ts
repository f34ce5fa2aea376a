import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, vi } from 'vitest';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import type { SettableClock } from '#tests/support/settable-clock.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import type { AtEnd } from '#tests/support/temporary-folder.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { CopyingEncoder } from './copying-encoder.ts';
import { admin, jobTimes, patient } from './poster-server.ts';
import { putFile } from './videos.ts';

/** What no browser plays, told apart by a number. */
export function putAvi(folder: string, name: string, number = 7, bytes = 500): void {
  putFile(folder, name, Buffer.concat([Buffer.from('RIFF\0\0\0\0AVI LIST'), Buffer.alloc(bytes, number)]));
}

export interface EncodingServer extends ServerUnderTest {
  encoder: CopyingEncoder;
  clock: SettableClock;
  folder: string;
  disk: { free: number; total: number };
}

/** A server whose encodings are at work, by an encoder that copies. */
export async function startEncoding(
  folder = temporaryFolder(),
  env: Record<string, string> = {},
  atEnd?: AtEnd,
  more: { betweenMs?: number } = {},
): Promise<EncodingServer> {
  const encoder = new CopyingEncoder(join(temporaryFolder(atEnd), 'work'));
  const clock = settableClock();
  const disk = { free: 1e12, total: 2e12 };
  const overrides = {
    clock,
    jobTimes,
    identifyCaller: async () => admin,
    encodings: { tools: { encoder, diskSpace: { read: async () => disk }, ...more } },
  };
  const server = await startServer({ library: [folder], env, overrides }, atEnd);
  await server.services.encodings.open();
  return { ...server, encoder, clock, folder, disk };
}

export const encodeJobs = (server: ServerUnderTest) =>
  server.services.database.reader.selectFrom('jobs').selectAll().where('kind', '=', 'encode').orderBy('id').execute();

export async function untilEncoded(server: ServerUnderTest): Promise<void> {
  await vi.waitFor(async () => {
    const states = (await encodeJobs(server)).map(({ state }) => state);
    expect(states.filter((state) => state === 'queued' || state === 'running')).toEqual([]);
  }, patient);
}

/** Finds what is new in the library, and waits until all is encoded. */
export async function encodeAll(server: ServerUnderTest): Promise<void> {
  await server.services.scanner.request();
  await server.services.encodings.queueUnplayable();
  await untilEncoded(server);
}

/** Puts a file into the library, and waits until it is encoded. */
export async function addAvi(server: EncodingServer, name: string, number = 7) {
  putAvi(server.folder, name, number);
  await encodeAll(server);
  return videoNamed(server, name);
}

/** The newest that encodes a video. */
export async function jobOf(server: ServerUnderTest, videoNumber: number) {
  return (await encodeJobs(server)).findLast((job) => job.video_number === videoNumber);
}

export async function videoNamed(server: ServerUnderTest, filename: string) {
  return server.services.database.reader
    .selectFrom('videos')
    .selectAll()
    .where('filename', '=', filename)
    .executeTakeFirstOrThrow();
}

export const rowsOf = (server: ServerUnderTest, videoNumber: number) =>
  server.services.database.reader
    .selectFrom('encodings')
    .selectAll()
    .where('video_number', '=', videoNumber)
    .orderBy('rendition')
    .execute();

/** Names of all files that were derived. */
export function derivedFiles(server: ServerUnderTest): string[] {
  const { derived } = server.services.folders;
  if (!existsSync(derived)) return [];
  return readdirSync(derived, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => name)
    .sort();
}
