import { limits } from '#contract/limits.ts';
import type { Database } from '../../../database/connection.ts';
import type { SweepTime } from '../../../database/sweep-time.ts';
import type { Executor } from '../../../database/tables.ts';
import { repeatableAnswerRepository } from '../../../http/pipeline/repeatable-answer-repository.ts';
import { deleteRetiredKeys } from '../../../http/signing.ts';
import { attemptRepository } from '../../../limits/attempt-repository.ts';
import type { Log } from '../../../log.ts';
import type { Lease } from '../../../nodes/lease.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import { settingRepository } from '../../../settings-repository.ts';
import { activityRepository } from '../../activity/activity-repository.ts';
import { reportRepository } from '../../reports/report-repository.ts';
import { userChangeRepository } from '../../users/user-change-repository.ts';
import { watchedRepository } from '../../watched/watched-repository.ts';
import { deviceSignInRepository } from '../device-sign-in-repository.ts';
import { invitationRepository } from '../invitation-repository.ts';
import { providerRepository } from '../providers/provider-repository.ts';
import { sessionRepository } from './session-repository.ts';

interface Sweeper {
  start(): void;
  /** Waits for a running sweep. */
  stop(): Promise<void>;
}

const everyMs = 3_600_000;
const dayMs = 86_400_000;
const knownForMs = 400 * dayMs;
/**
 * Rows per transaction. Anonymous clients can create many, and other writes get a turn between
 * slices.
 */
const slice = 500;

/**
 * Deletes expired rows, on which nothing depends but which would fill the database. Rows that users
 * would miss are deleted by the late time of the sweeps.
 * @param replaceExpired replaces expired values that are still needed; it never throws
 */
export function createSweeper(
  {
    database,
    sweepTime,
    sweeps,
    log,
  }: { database: Database; sweepTime: SweepTime; sweeps: Pick<Lease, 'isHeld' | 'seek'>; log: Log },
  replaceExpired: () => Promise<void>,
): Sweeper {
  let timer: Repetition | null = null;
  let sweeping = Promise.resolve();

  const sweep = async () => {
    await replaceExpired();
    if (!sweeps.isHeld) return;
    try {
      const [until, late] = [await sweepTime.read(), await sweepTime.readLate()];
      await database.write(async (transaction) => {
        await sessionRepository.deleteExpired(transaction, late);
        await deleteRetiredKeys(transaction, late);
        await providerRepository.deleteExpiredVisits(transaction, until);
        await providerRepository.deleteExpiredTickets(transaction, until);
        await deviceSignInRepository.deleteExpired(transaction, until);
        await invitationRepository.deleteBefore(transaction, late);
        await sessionRepository.deleteDevicesUnusedSince(transaction, until - knownForMs);
        await userChangeRepository.deleteChangesBefore(transaction, until - everyMs);
      });
      await deleteInSlices(database, (transaction) =>
        repeatableAnswerRepository.deleteForgotten(transaction, until, slice),
      );
      await deleteInSlices(database, (transaction) => attemptRepository.deleteForgotten(transaction, until, slice));
      const recordedBefore = until - limits.activityDays * dayMs;
      await deleteInSlices(database, (transaction) =>
        activityRepository.deleteBefore(transaction, recordedBefore, slice),
      );
      const changedBefore = late - limits.settingChangeDays * dayMs;
      await deleteInSlices(database, (transaction) =>
        settingRepository.deleteChangesBefore(transaction, changedBefore, slice),
      );
      const reportedBefore = until - limits.reportDays * dayMs;
      await deleteInSlices(database, (transaction) =>
        reportRepository.deleteBefore(transaction, reportedBefore, slice),
      );
      const watchedBefore = until - limits.watchedDays * dayMs;
      const unusedSince = { browser: until - limits.watchedBrowserDays * dayMs, account: watchedBefore };
      await deleteInSlices(database, (transaction) =>
        watchedRepository.deleteUnusedSince(transaction, unusedSince, slice),
      );
      await deleteInSlices(database, (transaction) =>
        watchedRepository.deleteChunksBefore(transaction, watchedBefore, slice),
      );
    } catch (error) {
      log.warn({ err: error }, 'what has run out could not be removed; it is tried again in an hour');
    }
  };
  const next = () => {
    sweeping = sweeping.then(sweep);
  };

  return {
    start() {
      timer ??= repeat(next, everyMs);
      sweeping = sweeps.seek();
      next();
    },
    async stop() {
      timer?.stop();
      timer = null;
      await sweeping;
    },
  };
}

async function deleteInSlices(database: Database, remove: (transaction: Executor) => Promise<number>): Promise<void> {
  while ((await database.write(remove)) === slice);
}
