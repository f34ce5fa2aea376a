import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Dialect } from '../database/dialect.ts';
import { countAll, inListLength } from '../database/dialect.ts';
import type { Executor, JobsTable } from '../database/tables.ts';
import type { ClaimedJob, Job, JobLane, JobState } from './job.ts';

/** Queues jobs. One whose kind and subject are queued or running already is that one, at the better of the two priorities. */
export async function insertJobs(executor: Executor, jobs: readonly Insertable<JobsTable>[]): Promise<void> {
  for (let from = 0; from < jobs.length; from += rowsPerInsert) {
    await executor
      .insertInto('jobs')
      .values(jobs.slice(from, from + rowsPerInsert))
      .onConflict((conflict) =>
        conflict
          .column('active_key')
          .doUpdateSet((row) => ({ priority: row.ref('excluded.priority') }))
          .whereRef('excluded.priority', '<', 'jobs.priority'),
      )
      .execute();
  }
}

/** A row has some twenty values, and both databases have a limit on them. */
const rowsPerInsert = 100;

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
export async function claimJob(executor: Executor, dialect: Dialect, { lane, kinds, lease, leaseUntil, node, now }: Claim): Promise<ClaimedJob | null> {
  const next = sql`select id from jobs
    where state = 'queued' and lane = ${lane} and kind in (${sql.join(kinds)}) and run_at <= ${now}
    order by priority, run_at, id limit 1 ${dialect.skipLocked}`;
  const { rows } = await sql<Selectable<JobsTable>>`update jobs
    set state = 'running', lease = ${lease}, lease_until = ${leaseUntil}, leased_by = ${node}, attempts = attempts + 1, progress = 0, started_at = ${now}
    where id = (${next}) returning *`.execute(executor);
  return rows[0] === undefined ? null : { ...toJob(rows[0]), lease };
}

/** The heartbeat. False when the job is no longer ours: cancelled, or taken by somebody who thought us dead. */
export async function renewLease(executor: Executor, { id, lease }: ClaimedJob, leaseUntil: number, progress: number): Promise<boolean> {
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
export type Ending = { state: 'done' } | { state: 'failed'; error: string } | { state: 'queued'; error: string | null; runAt: number; isAttempt: boolean };

/** False when the job was no longer ours; then nothing has changed. */
export async function endRun(executor: Executor, { id, lease }: ClaimedJob, ending: Ending, now: number): Promise<boolean> {
  const result = await executor
    .updateTable('jobs')
    .set({ lease: null, lease_until: null, ...endingColumns(ending, now) })
    .$if(ending.state === 'queued' && !ending.isAttempt, (query) => query.set((row) => ({ attempts: row('attempts', '-', 1) })))
    .where('id', '=', id)
    .where('state', '=', 'running')
    .where('lease', '=', lease)
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

function endingColumns(ending: Ending, now: number) {
  if (ending.state === 'done') return { state: ending.state, active_key: null, progress: 100, error: null, finished_at: now };
  if (ending.state === 'failed') return { state: ending.state, active_key: null, error: ending.error, finished_at: now };
  return { state: ending.state, progress: 0, error: ending.error, run_at: ending.runAt };
}

/** Jobs whose runner has died go back to the queue. @returns those for which it was the last attempt: they have failed */
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

/** False when it is neither queued nor running. */
export async function cancelActive(executor: Executor, id: string, now: number): Promise<boolean> {
  const result = await executor
    .updateTable('jobs')
    .set({ state: 'cancelled', active_key: null, lease: null, lease_until: null, finished_at: now })
    .where('id', '=', id)
    .where('state', 'in', ['queued', 'running'])
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

/** Queues a job anew that failed or was cancelled. False when it is neither. @throws a conflict when another of its kind and subject is active */
export async function requeueEnded(executor: Executor, id: string, now: number): Promise<boolean> {
  const result = await executor
    .updateTable('jobs')
    .set({ state: 'queued', active_key: sql`kind || ':' || subject`, attempts: 0, progress: 0, error: null, run_at: now, started_at: null, finished_at: null })
    .where('id', '=', id)
    .where('state', 'in', ['failed', 'cancelled'])
    .executeTakeFirst();
  return result.numUpdatedRows > 0n;
}

export function activeKeyOf(kind: string, subject: string): string {
  return `${kind}:${subject}`;
}

export async function findJob(executor: Executor, id: string): Promise<Job | null> {
  const row = await executor.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toJob(row);
}

/** A job in a list, with the public id of its video. */
export interface ListedJob extends Job {
  videoId: string | null;
}

/** Newest first. */
export async function listJobs(executor: Executor, state: JobState | undefined, { limit, offset }: { limit: number; offset: number }): Promise<ListedJob[]> {
  const rows = await executor
    .selectFrom('jobs')
    .leftJoin('videos', 'videos.number', 'jobs.video_number')
    .selectAll('jobs')
    .select('videos.id as video_id')
    .$if(state !== undefined, (query) => query.where('jobs.state', '=', state ?? 'queued'))
    .orderBy('jobs.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => ({ ...toJob(row), videoId: row.video_id }));
}

/** States that no job is in are left out. */
export async function countJobs(executor: Executor): Promise<Map<JobState, number>> {
  const rows = await executor
    .selectFrom('jobs')
    .select(['state', countAll().as('count')])
    .groupBy('state')
    .execute();
  return new Map(rows.map((row) => [row.state, row.count]));
}

/** Forgets jobs of a state that ended before. @returns how many of at most one slice */
export async function deleteEnded(executor: Executor, state: JobState, before: number): Promise<number> {
  const rows = await executor.selectFrom('jobs').select('id').where('state', '=', state).where('finished_at', '<', before).limit(inListLength).execute();
  if (rows.length > 0)
    await executor
      .deleteFrom('jobs')
      .where('state', '=', state)
      .where(
        'id',
        'in',
        rows.map((row) => row.id),
      )
      .execute();
  return rows.length;
}

function toJob(row: Selectable<JobsTable>): Job {
  return {
    id: row.id,
    kind: row.kind,
    subject: row.subject,
    state: row.state,
    attempts: row.attempts,
    attemptsMax: row.attempts_max,
    progress: row.progress,
    error: row.error,
    videoNumber: row.video_number,
    payload: JSON.parse(row.payload),
    createdAt: row.created_at,
    startedAt: row.started_at,
    finishedAt: row.finished_at,
  };
}
