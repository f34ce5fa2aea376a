import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startPostgres } from '#tests/support/database/postgres.ts';
import type { InstalledServer } from '#tests/support/installation.ts';
import { makeInstallation } from '#tests/support/installation.ts';
import { runServer } from '#tests/support/processes/server-process.ts';

const patient = { interval: 50 };

/** What is acknowledged has to be in the log's file, or a server that is killed would lose it by itself. */
async function startOwnPostgres() {
  const postgres = await startPostgres(['synchronous_commit=on']);
  onTestFinished(postgres.stop);
  return postgres;
}

describe('while PostgreSQL is restarted', () => {
  /** Writes side by side until told to stop, so that connections are in use whenever it happens. */
  function keepWriting(server: InstalledServer, from: number) {
    const statuses = new Set<number>();
    let isOver = false;
    let seconds = from;
    const writer = async () => {
      for (let left = 5_000; left > 0 && !isOver; left -= 1) {
        seconds += 1;
        // 0: no answer at all.
        statuses.add(await server.write(seconds).catch(() => 0));
      }
    };
    const writers = Promise.all(Array.from({ length: 8 }, writer));
    return {
      statuses,
      async stop() {
        isOver = true;
        await writers;
        return [...statuses].sort();
      },
    };
  }

  test.each(['SIGINT', 'SIGQUIT'] as const)(
    'by %s, again and again, writes are told to come again, picks go on, and all is well by itself afterwards',
    async (signal) => {
      const postgres = await startOwnPostgres();
      const server = await (await makeInstallation(postgres.url)).run();
      expect(await server.pick()).toBe(200);
      for (let restarts = 1; restarts <= 3; restarts += 1) {
        const writing = keepWriting(server, restarts * 10_000);
        await vi.waitFor(() => expect(writing.statuses).toContain(200), patient);
        await postgres.halt(signal);
        await vi.waitFor(() => expect(writing.statuses).toContain(503), patient);
        for (let picks = 0; picks < 10; picks += 1) expect(await server.pick()).toBe(200);
        expect(await writing.stop()).toEqual([200, 503]);
        await postgres.start();
        await vi.waitFor(async () => expect(await server.write(restarts + 100)).toBe(200), patient);
        expect(await server.read()).toBe(restarts + 100);
      }
      server.kill('SIGTERM');
      expect(await server.ended()).toBe(0);
    },
    120_000,
  );
});

test('a server that is started before PostgreSQL waits for it, and says so', async () => {
  const postgres = await startOwnPostgres();
  const { env } = await makeInstallation(postgres.url);
  await postgres.halt('SIGINT');
  const server = runServer(env);
  expect(await server.says(/database does not answer/)).toContain('it is waited for');
  await postgres.start();
  await server.says(/Looked through/);
});
