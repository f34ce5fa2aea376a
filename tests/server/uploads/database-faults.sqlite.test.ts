import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import Sqlite from 'better-sqlite3';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import type { Person } from '#tests/support/people.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { initiate, putUploader, SentUpload, videoBytes } from '#tests/support/uploads.ts';

const script = fileURLToPath(new URL('../../support/processes/holding-process.ts', import.meta.url));

async function start(): Promise<{ server: ServerUnderTest; ada: Person; file: string }> {
  // What the product waits for is 5 s.
  const server = await startServer({ overrides: { database: { writePatienceMs: 100 } } });
  return {
    server,
    ada: await putUploader(server, 'ada'),
    file: join(server.services.env.dataFolder, 'fourfold.sqlite'),
  };
}

/** Another process holds the database until it is told to let go. */
async function holdDatabase(file: string): Promise<() => Promise<void>> {
  const child = spawn(process.execPath, [script, file], { stdio: ['pipe', 'pipe', 'inherit'] });
  onTestFinished(() => void child.kill('SIGKILL'));
  await once(child.stdout, 'data');
  return async () => {
    child.stdin.end();
    await once(child, 'exit');
  };
}

test('another process holds the database: reads go on, what has to be written is told when to try again, and uploads go on afterwards', async () => {
  const { server, ada, file } = await start();
  const film = videoBytes();
  const half = Math.floor(film.length / 2);
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  await upload.patch(0, film.subarray(0, half));
  const release = await holdDatabase(file);

  expect((await server.get(`/api/upload/progress/${upload.id}`, ada.headers)).json().files).toMatchObject([
    { uploadedBytes: half },
  ]);
  const refused = [
    await initiate(server, ada),
    await upload.patch(half, film.subarray(half)),
    await upload.put(film),
    await upload.complete(ada),
    await server.call('DELETE', `/api/upload/cancel/${upload.id}`, { headers: ada.headers }),
  ];
  expect(refused.map(({ statusCode, headers }) => [statusCode, headers['retry-after']])).toEqual(
    refused.map(() => [503, '5']),
  );

  await release();
  expect(await upload.offset()).toBe(half);
  expect((await upload.patch(half, film.subarray(half))).statusCode).toBe(204);
  expect((await upload.complete(ada)).json()).toMatchObject({ success: true, videos: [{ size: film.length }] });
});

test('the database is full: 507, reads go on, what came is there once it has room, and the file is sound', async () => {
  const { server, ada, file } = await start();
  const { database } = server.services;
  const limitPages = (pages: number) =>
    database.write((writer) => sql.raw(`pragma max_page_count = ${pages}`).execute(writer));
  const film = Buffer.concat([videoBytes(), Buffer.from([0, 0, 0, 16]), Buffer.from('free'), randomBytes(8)]);
  const upload = await SentUpload.start(server, ada, [{ file_size: film.length }]);
  await limitPages(1);

  const statuses = new Set<number>();
  while (!statuses.has(507))
    statuses.add((await initiate(server, ada, [{ filename: `${'n'.repeat(200)}.mp4` }])).statusCode);
  expect([...statuses]).toEqual([201, 507]);
  expect((await server.get('/api/upload/history', ada.headers)).statusCode).toBe(200);
  const sent = await upload.put(film);
  const completed = await upload.complete(ada);
  for (const { statusCode, body } of [sent, completed])
    if (statusCode >= 400) expect([statusCode, JSON.parse(body).error]).toEqual([507, 'out_of_space']);

  await limitPages(1_000_000);
  if ((await upload.offset()) < film.length) expect((await upload.put(film)).statusCode).toBe(201);
  expect((await upload.complete(ada)).json()).toMatchObject({ success: true, videos: [{ size: film.length }] });
  const other = new Sqlite(file, { readonly: true });
  onTestFinished(() => void other.close());
  expect(other.pragma('integrity_check', { simple: true })).toBe('ok');
});
