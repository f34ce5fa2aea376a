import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { deleteForgottenAttempts } from '../../http/attempt-repository.ts';
import { deleteForgottenAnswers } from '../../http/repeatable-answer-repository.ts';
import type { Log } from '../../log.ts';
import { deleteExpiredDevices } from './device-sign-in-repository.ts';
import { deleteDevicesUnusedSince } from './known-device-repository.ts';
import { deleteExpiredSessions } from './session-repository.ts';
import { deleteExpiredVisits } from './visit-repository.ts';

export interface Sweeper {
  start(): void;
  /** Waits for a sweep that runs. */
  stop(): Promise<void>;
}

const everyMs = 3_600_000;
const knownForMs = 400 * 86_400_000;
/** What has just run out may still be explained to whoever shows it. */
const delayMs = limits.accessTokenMinutes * 60_000;

/** Removes what has run out: nothing depends on it, but it would fill the database. */
export function createSweeper({ database, clock, log }: { database: Database; clock: Clock; log: Log }): Sweeper {
  let timer: NodeJS.Timeout | null = null;
  let sweeping = Promise.resolve();

  const sweep = async () => {
    const now = clock.now();
    try {
      await database.write(async (transaction) => {
        await deleteExpiredSessions(transaction, now - delayMs);
        await deleteExpiredVisits(transaction, now);
        await deleteExpiredDevices(transaction, now);
        await deleteForgottenAnswers(transaction, now);
        await deleteForgottenAttempts(transaction, now);
        await deleteDevicesUnusedSince(transaction, now - knownForMs);
      });
    } catch (error) {
      log.warn({ err: error }, 'what has run out could not be removed; it is tried again in an hour');
    }
  };
  const next = () => {
    sweeping = sweeping.then(sweep);
  };

  return {
    start() {
      timer ??= setInterval(next, everyMs).unref();
      next();
    },
    async stop() {
      if (timer !== null) clearInterval(timer);
      timer = null;
      await sweeping;
    },
  };
}
