import { limits } from '#contract/limits.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { Executor } from '../../../database/tables.ts';
import { deleteForgottenAnswers } from '../../../http/pipeline/repeatable-answer-repository.ts';
import { deleteForgottenAttempts } from '../../../http/protection/attempt-repository.ts';
import { deleteRetiredKeys } from '../../../http/signing/signing-keys.ts';
import type { Log } from '../../../log.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import { deleteActivitiesBefore } from '../../activity/activity-repository.ts';
import { deleteInvitationsBefore } from '../invitations/invitation-repository.ts';
import { deleteDevicesUnusedSince } from '../password/known-device-repository.ts';
import { deleteExpiredTickets } from '../providers/link-ticket-repository.ts';
import { deleteExpiredVisits } from '../providers/visit-repository.ts';
import { deleteExpiredDevices } from '../tv/device-sign-in-repository.ts';
import { deleteExpiredSessions } from './session-repository.ts';
import { readSweepTime, writeSweepTime } from './sweep-time-repository.ts';

export interface Sweeper {
  start(): void;
  /** Waits for a sweep that runs. */
  stop(): Promise<void>;
}

const everyMs = 3_600_000;
const dayMs = 86_400_000;
const knownForMs = 400 * dayMs;
/** What people would miss is kept so long after it has run out. */
const lateMs = 30 * dayMs;
/** The time of the sweeps runs at most so many times as fast as the server does. */
const catchUp = 10;
/** Strangers can leave many of these: one transaction removes so many, and lets others write before the next. */
const slice = 500;

/**
 * Removes what has run out: nothing depends on it, but it would fill the database. A clock that is set years ahead by
 * mistake must not empty it, so the time of the sweeps follows the wall clock only as fast as `catchUp` allows: with
 * `lateMs`, nothing is lost while the mistake is mended within three days.
 * @param replaceExpired renews what others wait for; it never throws
 */
export function createSweeper(
  { database, clock, log }: { database: Database; clock: Clock; log: Log },
  replaceExpired: () => Promise<void>,
): Sweeper {
  let timer: Repetition | null = null;
  let sweeping = Promise.resolve();
  let sweptAt = clock.elapsed();

  const sweep = async () => {
    await replaceExpired();
    const elapsed = clock.elapsed();
    try {
      const until = await database.write(async (transaction) => {
        const before = await readSweepTime(transaction);
        const time = before === null ? clock.now() : Math.min(clock.now(), before + catchUp * (elapsed - sweptAt));
        await deleteExpiredSessions(transaction, time - lateMs);
        await deleteRetiredKeys(transaction, time - lateMs);
        await deleteExpiredVisits(transaction, time);
        await deleteExpiredTickets(transaction, time);
        await deleteExpiredDevices(transaction, time);
        await deleteInvitationsBefore(transaction, time - lateMs);
        await deleteDevicesUnusedSince(transaction, time - knownForMs);
        await writeSweepTime(transaction, time, clock.now());
        return time;
      });
      sweptAt = elapsed;
      await deleteInSlices(database, (transaction) => deleteForgottenAnswers(transaction, until, slice));
      await deleteInSlices(database, (transaction) => deleteForgottenAttempts(transaction, until, slice));
      const recordedBefore = until - limits.activityDays * dayMs;
      await deleteInSlices(database, (transaction) => deleteActivitiesBefore(transaction, recordedBefore, slice));
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
