import { setImmediate as breathe } from 'node:timers/promises';
import type { Database } from '../database/connection.ts';
import { deleteEnded } from './job-repository.ts';

const day = 24 * 3_600_000;
/** How long jobs that ended are remembered, in milliseconds. */
const memory = { done: day, cancelled: 7 * day, failed: 30 * day } as const;

/**
 * Forgets jobs that ended long ago, in slices.
 * @param until the time of the sweeps
 */
export async function forgetEnded(database: Database, until: number, signal: AbortSignal): Promise<void> {
  for (const [state, keptMs] of Object.entries(memory) as [keyof typeof memory, number][]) {
    while (
      !signal.aborted &&
      (await database.write((transaction) => deleteEnded(transaction, state, until - keptMs))) > 0
    )
      await breathe();
  }
}
