import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { migratedDatabaseUrl } from '#tests/support/database/test-database.ts';
import { largeVideo } from '#tests/support/media/videos.ts';
import type { UploadingRun } from '#tests/support/processes/uploading-process.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload } from '#tests/support/uploads.ts';

const script = fileURLToPath(new URL('../../support/processes/uploading-process.ts', import.meta.url));

async function run(upload: UploadingRun): Promise<unknown[]> {
  const child = spawn(process.execPath, [script, JSON.stringify(upload)], { stdio: ['ignore', 'ignore', 'inherit'] });
  return once(child, 'exit');
}

const film = largeVideo();
const bytes = readFileSync(film);

test.each<UploadingRun['kill']>([
  { call: 'open', count: 1, when: 'before' },
  { call: 'write', count: 1, when: 'after' },
  { call: 'write', count: 2, when: 'after' },
  { call: 'rename', count: 1, when: 'after' },
  { call: 'commit', count: 1, when: 'after' },
])('a server that is killed at %j: the next one goes on, and one row and one file come of it', async (kill) => {
  const env = {
    DATA_DIR: temporaryFolder(),
    LIBRARY_DIRS: temporaryFolder(),
    DATABASE_URL: (await migratedDatabaseUrl()) ?? '',
  };
  const ends: (() => unknown)[] = [];
  const before = await startServer({ env }, (end) => ends.push(end));
  const ada = await putUploader(before, 'ada');
  const { session } = await SentUpload.start(before, ada, [{ file_size: bytes.length }]);
  for (const end of ends) await end();

  const [address, key] = [session.files[0]?.address ?? '', session.bunny_access_key];
  const ended = await run({ env, address, key, sessionId: session.session_id, film, kill });
  expect(ended).toEqual([null, 'SIGKILL']);

  const after = await startServer({ env });
  await after.services.uploads.start();
  const upload = new SentUpload(after, session);
  const isCompleted = kill.call === 'commit';
  if (!isCompleted) {
    const offset = await upload.offset();
    expect((await upload.storedBytes())?.equals(bytes.subarray(0, offset))).toBe(true);
    if (offset < bytes.length) expect((await upload.patch(offset, bytes.subarray(offset))).statusCode).toBe(204);
  }
  const completed = (await upload.complete(ada)).json();
  expect(completed).toMatchObject({ success: true, videos: [{ size: bytes.length }] });
  expect((await after.get(completed.videos[0].url)).rawPayload.equals(bytes)).toBe(true);
  const rows = await after.services.database.reader.selectFrom('videos').select('number').execute();
  const { uploads } = after.services.folders;
  const files = readdirSync(uploads, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  expect([rows.length, files.length]).toEqual([1, 1]);
});
