import { expect, onTestFinished, test, vi } from 'vitest';
import { watchStatements } from '#tests/support/database/statements.ts';
import { findValue, parseMetrics } from '#tests/support/metrics-text.ts';
import type { ServerUnderTest } from '#tests/support/server-under-test.ts';
import { startServer } from '#tests/support/server-under-test.ts';
import { settableClock } from '#tests/support/settable-clock.ts';
import { temporaryFolder } from '#tests/support/temporary-folder.ts';
import { putUploader, SentUpload } from '#tests/support/uploads.ts';

const token = 'a-token-that-nobody-guesses';
const clock = settableClock();

async function scrape(server: ServerUnderTest) {
  // What the database counts is read anew.
  clock.pass(10_000);
  const reply = await server.get('/metrics', { authorization: `Bearer ${token}` });
  expect(reply.statusCode).toBe(200);
  return parseMetrics(reply.body);
}

test('uploads and jobs are counted in the database, and are missing while it does not answer', async () => {
  const server = await startServer({
    env: { METRICS_TOKEN: token },
    library: [temporaryFolder()],
    overrides: { clock },
  });
  const ada = await putUploader(server, 'ada');
  const upload = await SentUpload.start(server, ada);
  await SentUpload.start(server, ada);
  expect((await upload.patch(0, Buffer.alloc(300, 1))).statusCode).toBe(204);
  await server.services.database.write((transaction) =>
    transaction
      .insertInto('jobs')
      .values(
        ['scan', 'of-a-version-to-come', 'of-another'].map((kind, index) => ({
          id: `job-${index}`,
          kind,
          subject: 'none',
          active_key: null,
          state: 'failed' as const,
          lane: 'light' as const,
          priority: 1,
          run_at: 0,
          attempts: 1,
          attempts_max: 1,
          progress: 0,
          video_number: null,
          payload: 'null',
          created_at: 0,
        })),
      )
      .execute(),
  );

  const families = await scrape(server);
  expect(findValue(families, 'fourfold_database_up')).toBe(1);
  expect(findValue(families, 'fourfold_upload_sessions_open')).toBe(2);
  expect(findValue(families, 'fourfold_upload_received_bytes_total')).toBe(300);
  expect(findValue(families, 'fourfold_jobs', { kind: 'scan', state: 'failed' })).toBe(1);
  expect(findValue(families, 'fourfold_jobs', { kind: 'scan', state: 'done' })).toBe(1);
  expect(findValue(families, 'fourfold_jobs', { kind: 'other', state: 'failed' })).toBe(2);
  expect(findValue(families, 'fourfold_scan_finished_timestamp_seconds')).toBeGreaterThan(0);
  expect(findValue(families, 'fourfold_scan_duration_seconds')).toBeGreaterThanOrEqual(0);
  const connections = families.get('fourfold_database_connections')?.samples ?? [];
  expect(connections.map(({ labels }) => labels.kind)).toEqual(Array(2).fill(server.services.database.dialect.kind));
  expect(connections.reduce((sum, { value }) => sum + value, 0)).toBeGreaterThanOrEqual(1);

  const stop = watchStatements(() => {
    throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' });
  });
  onTestFinished(stop);
  const away = await scrape(server);
  expect(findValue(away, 'fourfold_database_up')).toBe(0);
  for (const name of ['fourfold_upload_sessions_open', 'fourfold_jobs', 'fourfold_videos_unplayable'])
    expect([name, away.get(name)?.samples]).toEqual([name, []]);
  expect(findValue(away, 'fourfold_videos_available')).toBe(0);
  expect(findValue(away, 'fourfold_upload_received_bytes_total')).toBe(300);
  stop();

  clock.pass(25 * 3_600_000);
  const later = await scrape(server);
  expect(findValue(later, 'fourfold_database_up')).toBe(1);
  expect(findValue(later, 'fourfold_upload_sessions_open')).toBe(0);
});

test('a connection that is held counts as used, and what waits for it as waiting', async () => {
  const { database } = (await startServer()).services;
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const first = database.write(() => {
    begun.resolve();
    return held.promise;
  });
  await begun.promise;
  const second = database.write(async () => {});
  const { used, waiting } = database.load();
  held.resolve();
  await Promise.all([first, second]);
  expect(used).toBeGreaterThanOrEqual(1);
  // PostgreSQL has ten connections.
  if (database.dialect.kind === 'sqlite') expect(waiting).toBeGreaterThanOrEqual(1);
  await vi.waitUntil(() => database.load().used === 0);
});
