import type { Selectable } from 'kysely';
import { countAll, inListLength } from '../database/dialect.ts';
import type { JobsTable } from '../database/tables/job-tables.ts';
import type { Executor } from '../database/tables.ts';
import type { Job, JobLane, JobState } from './job.ts';

export async function findJob(executor: Executor, id: string): Promise<Job | null> {
  const row = await executor.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
  return row === undefined ? null : toJob(row);
}

/** A job in a list, with the public id of its video. */
export interface ListedJob extends Job {
  videoId: string | null;
}

/** Which jobs are listed or counted; absent: of every kind, in every state. */
export interface JobFilter {
  kind?: string | undefined;
  state?: JobState | undefined;
}

/** Newest first. */
export async function listJobs(
  executor: Executor,
  { kind, state }: JobFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedJob[]> {
  const rows = await executor
    .selectFrom('jobs')
    .leftJoin('videos', 'videos.number', 'jobs.video_number')
    .selectAll('jobs')
    .select('videos.id as video_id')
    .$if(kind !== undefined, (query) => query.where('jobs.kind', '=', kind ?? ''))
    .$if(state !== undefined, (query) => query.where('jobs.state', '=', state ?? 'queued'))
    .orderBy('jobs.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
  return rows.map((row) => ({ ...toJob(row), videoId: row.video_id }));
}

/** States that no job is in are left out. @param kind absent: of every kind */
export async function countJobs(executor: Executor, kind?: string): Promise<Map<JobState, number>> {
  const rows = await executor
    .selectFrom('jobs')
    .select(['state', countAll().as('count')])
    .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
    .groupBy('state')
    .execute();
  return new Map(rows.map((row) => [row.state, row.count]));
}

/** All kinds that there are jobs of, with how many are in which state. Counted in the index, however many there are. */
export async function countJobKinds(executor: Executor): Promise<Map<string, Map<JobState, number>>> {
  const rows = await executor
    .selectFrom('jobs')
    .select(['kind', 'state', countAll().as('count')])
    .groupBy(['kind', 'state'])
    .orderBy('kind')
    .execute();
  const kinds = new Map<string, Map<JobState, number>>();
  for (const { kind, state, count } of rows) kinds.set(kind, (kinds.get(kind) ?? new Map()).set(state, count));
  return kinds;
}

/** The one of a kind that has ended last in a state; null when there is none. */
export async function findLastEnded(executor: Executor, kind: string, state: JobState): Promise<Job | null> {
  const row = await executor
    .selectFrom('jobs')
    .selectAll()
    .where('kind', '=', kind)
    .where('state', '=', state)
    .orderBy('finished_at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row === undefined ? null : toJob(row);
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
    lane: row.lane as JobLane,
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
