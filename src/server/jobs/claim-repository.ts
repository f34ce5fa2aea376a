import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Dialect } from '../database/dialect.ts';
import type { JobsTable } from '../database/tables/job-tables.ts';
import type { Executor } from '../database/tables.ts';
import type { ClaimedJob, Job, JobLane } from './job.ts';
import { toJob } from './job-repository.ts';

export interface Claim {
  lane: JobLane;
  kinds: readonly string[];
  /** Names this claim. */
  lease: string;
  leaseUntil: number;
  node: string;
  now: number;
}

/** Takes the next job of a lane, or null. One statement, so that two nodes never take the same. */
export async function claimJob(
  executor: Executor,
  dialect: Dialect,
  { lane, kinds, lease, leaseUntil, node, now }: Claim,
): Promise<ClaimedJob | null> {
  const next = sql`select id from jobs
    where state = 'queued' and lane = ${lane} and kind in (${sql.join(kinds)}) and run_at <= ${now}
    order by priority, run_at, id limit 1 ${dialect.skipLocked}`;
  const { rows } = await sql<Selectable<JobsTable>>`update jobs
    set state = 'running', lease = ${lease}, lease_until = ${leaseUntil}, leased_by = ${node}, attempts = attempts + 1, progress = 0, started_at = ${now}
    where id = (${next}) returning *`.execute(executor);
  return rows[0] === undefined ? null : { ...toJob(rows[0]), lease };
}

/** The heartbeat. False when the job is no longer ours: cancelled, or taken by somebody who thought us dead. */
export async function renewLease(
  executor: Executor,
  { id, lease }: ClaimedJob,
  leaseUntil: number,
  progress: number,
): Promise<boolean> {
  const result = await executor
    .updateTable('jobs')
    .set({ lease_until: leaseUntil, progress })
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('lease', '=', lease)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** How a run ended, as it is stored. */
export type Ending =
  | { state: 'done' }
  | { state: 'failed'; error: string }
  | { state: 'queued'; error: string | null; runAt: number; isAttempt: boolean; lane?: JobLane };

/** False when the job was no longer ours; then nothing has changed. */
export async function endRun(
  executor: Executor,
  { id, lease }: ClaimedJob,
  ending: Ending,
  now: number,
): Promise<boolean> {
  const result = await executor
    .updateTable('jobs')
    .set({ lease: null, lease_until: null, ...endingColumns(ending, now) })
    .$if(ending.state === 'queued' && !ending.isAttempt, (query) =>
      query.set((row) => ({ attempts: row('attempts', '-', 1) })),
    )
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('lease', '=', lease)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

function endingColumns(ending: Ending, now: number) {
  if (ending.state === 'done')
    return { state: ending.state, active_key: null, progress: 100, error: null, finished_at: now };
  if (ending.state === 'failed')
    return { state: ending.state, active_key: null, error: ending.error, finished_at: now };
  const lane = ending.lane === undefined ? {} : { lane: ending.lane };
  return { state: ending.state, progress: 0, error: ending.error, run_at: ending.runAt, ...lane };
}

/**
 * Jobs whose runner has died go back to the queue. @returns those for which it was the last attempt: they have failed
 */
export async function releaseExpired(executor: Executor, now: number, error: string): Promise<Job[]> {
  const expired = () => executor.updateTable('jobs').where('state', '=', 'running').where('lease_until', '<', now);
  const gone = { lease: null, lease_until: null, error };
  const failed = await expired()
    .whereRef('attempts', '>=', 'attempts_max')
    .set({ ...gone, state: 'failed', active_key: null, finished_at: now })
    .returningAll()
    .execute();
  await expired()
    .set({ ...gone, state: 'queued', progress: 0, run_at: now })
    .execute();
  return failed.map(toJob);
}
