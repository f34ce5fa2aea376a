import type { Selectable } from 'kysely';
import { countAll, inListLength } from '../database/dialect.ts';
import type { JobsTable } from '../database/tables/job-tables.ts';
import type { Executor } from '../database/tables.ts';
import type { Job, JobState } from './job.ts';

export async function findJob(executor: Executor, id: string): Promise<Job | null> {
  const row = await executor.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toJob(row);
}

/** A job in a list, with the public id of its video. */
export interface ListedJob extends Job {
  videoId: string | null;
}

/** Newest first. */
export async function listJobs(
  executor: Executor,
  state: JobState | undefined,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedJob[]> {
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
  const rows = await executor
    .selectFrom('jobs')
    .select('id')
    .where('state', '=', state)
    .where('finished_at', '<', before)
    .limit(inListLength)
    .execute();
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

/** A row as the rest of the house knows it. */
export function toJob(row: Selectable<JobsTable>): Job {
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
