import { readFileSync, statSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { UploadSession } from '#contract/entities/upload.ts';
import { putHugeVideo } from '#tests/support/media/huge-video.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import { environmentWith, runServer, startReading } from '#tests/support/processes/server-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload } from '#tests/support/uploads.ts';

/** A whole process starts and stops, on a machine that may be busy. */
const film = readFileSync(largeVideo());
const half = Math.floor(film.length / 2);

/** Half of the film is sent, and the rest does not come. @returns once the connection has ended */
function startSending(address: string, session: UploadSession): Promise<void> {
  const sending = request(`${address}${session.files[0]?.address}`, {
    method: 'PUT',
    headers: { accesskey: session.bunny_access_key, 'content-length': film.length },
    agent: false,
  });
  const { promise, resolve } = Promise.withResolvers<void>();
  sending.on('close', resolve).on('error', () => {});
  sending.write(film.subarray(0, half));
  return promise;
}

const untilHalfIsStored = (dataFolder: string, sessions: readonly UploadSession[]) =>
  vi.waitFor(
    () => {
      for (const { files } of sessions)
        expect(statSync(join(dataFolder, 'uploads', 'parts', files[0]?.id ?? '')).size).toBe(half);
    },
    { interval: 10 },
  );

async function isWhole(answer: IncomingMessage): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<void>();
  answer.on('error', () => {}).on('close', resolve);
  answer.resume();
  if (!answer.closed) await promise;
  return answer.complete;
}

test('a server that is told to stop while it sends 400 streams and takes 8 uploads ends by itself, and all of them go on', async () => {
  const library = temporaryFolder();
  const size = putHugeVideo(library, 'huge.mp4');
  const env = await environmentWith(library);
  const { DATA_DIR } = env;
  const ends: (() => unknown)[] = [];
  const before = await startServer({ library: [library], env: { DATA_DIR } }, (end) => ends.push(end));
  const ada = await putUploader(before, 'ada');
  const sessions: UploadSession[] = [];
  for (let count = 0; count < 8; count += 1)
    sessions.push((await SentUpload.start(before, ada, [{ file_size: film.length }])).session);
  for (const end of ends) await end();

  const stopping = runServer(env);
  const address = await stopping.address();
  const agent = new Agent();
  const streams = await Promise.all(
    Array.from({ length: 400 }, () => startReading(`${address}/api/video/stream?path=huge.mp4`, agent)),
  );
  expect(streams.every(({ headers }) => Number(headers['content-length']) === size)).toBe(true);
  const ended = sessions.map((session) => startSending(address, session));
  await untilHalfIsStored(DATA_DIR, sessions);
  stopping.kill('SIGTERM');
  // A server that cannot end in time is ended by its own watch, with another code.
  expect(await stopping.ended()).toBe(0);
  await Promise.all(ended);
  // Nobody takes a part for the whole.
  expect(new Set(await Promise.all(streams.map(isWhole)))).toEqual(new Set([false]));

  const next = await startServer({ library: [library], env: { DATA_DIR } });
  for (const session of sessions) {
    const upload = new SentUpload(next, session);
    expect(await upload.offset()).toBe(half);
    expect((await upload.patch(half, film.subarray(half))).statusCode).toBe(204);
    expect((await upload.storedBytes())?.equals(film)).toBe(true);
  }
});
