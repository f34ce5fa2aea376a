import { setTimeout as pause } from 'node:timers/promises';
import type { Clock } from '../clock.ts';
import type { Log } from '../log.ts';
import type { Database } from './connection.ts';

/** The database did not answer when the server started. The message tells whoever runs the server what to do. */
export class DatabaseUnreachable extends Error {
  constructor(cause: unknown) {
    super(
      `its database did not answer for ${patienceMs / 1000} seconds (${wordsOf(cause)}). See that PostgreSQL runs, and that DATABASE_URL leads to it.`,
      {
        cause,
      },
    );
  }
}

export interface WaitDeps {
  database: Pick<Database, 'ping' | 'dialect'>;
  clock: Clock;
  log: Log;
  wait?: (ms: number) => Promise<unknown>;
}

/** After a power cut the machines of a house start in any order. */
const patienceMs = 30_000;
const retryMs = 500;

/**
 * Waits until the database answers.
 * @throws DatabaseUnreachable after half a minute
 * @throws what it refuses us with, at once: waiting does not make a password right
 */
export async function waitForDatabase({ database, clock, log, wait = pause }: WaitDeps): Promise<void> {
  const startedAt = clock.elapsed();
  for (let tries = 0; ; tries += 1) {
    try {
      await database.ping();
      if (tries > 0) log.info('the database answers');
      return;
    } catch (error) {
      if (!database.dialect.isUnreachable(error)) throw error;
      if (clock.elapsed() - startedAt >= patienceMs) throw new DatabaseUnreachable(error);
      if (tries === 0)
        log.warn(
          `the database does not answer (${wordsOf(error)}); it is waited for, for up to ${patienceMs / 1000} seconds`,
        );
    }
    await wait(retryMs);
  }
}

/** Several addresses that refuse make an error without words. */
function wordsOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
