import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Dialect } from '../database/dialect.ts';
import { countAll, inListLength } from '../database/dialect.ts';
import type { Executor, Tables } from '../database/tables.ts';
import type { ClaimedJob, JobLane, JobState, StoredJob } from './job.ts';

/** A job in a list, with the public id of its video. */
export interface ListedJob extends StoredJob {
  videoId: string | null;
}

/** The kind and state of the jobs to list or count. An absent field matches everything. */
export interface JobFilter {
  kind?: string | undefined;
  state?: JobState | undefined;
}

/** The end of a run, as it is stored. */
export type Ending =
  | { state: 'done' }
  | { state: 'failed'; error: string }
  | { state: 'queued'; error: string | null; runAt: number; isAttempt: boolean; lane?: JobLane };

/** Stored jobs, their leases and their ends. */
export const jobRepository = {
  async find(executor: Executor, id: string): Promise<StoredJob | null> {
    const row = await executor.selectFrom('jobs').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toJob(row);
  },

  /** Newest first, at most `inListLength`. The rows before the page are skipped in an index. */
  async list(
    executor: Executor,
    { kind, state }: JobFilter,
    { limit, offset, total = Number.POSITIVE_INFINITY }: JobRange,
  ): Promise<ListedJob[]> {
    const length = Math.min(limit, total - offset);
    if (length <= 0) return [];
    const left = total - offset - length;
    const isFromEnd = left < offset;
    const page = await executor
      .selectFrom('jobs')
      .select('id')
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
      .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'queued'))
      .orderBy('id', isFromEnd ? 'asc' : 'desc')
      .limit(length)
      .offset(isFromEnd ? left : offset)
      .execute();
    if (page.length === 0) return [];
    const rows = await executor
      .selectFrom('jobs')
      .leftJoin('videos', 'videos.number', 'jobs.video_number')
      .selectAll('jobs')
      .select('videos.id as video_id')
      .where(
        'jobs.id',
        'in',
        page.map(({ id }) => id),
      )
      .orderBy('jobs.id', 'desc')
      .execute();
    return rows.map((row) => ({ ...toJob(row), videoId: row.video_id }));
  },

  /** Jobs per state, without the states that no job is in. @param kind absent: of every kind */
  async countByState(executor: Executor, kind?: string): Promise<Map<JobState, number>> {
    const rows = await executor
      .selectFrom('jobs')
      .select(['state', countAll().as('count')])
      .$if(kind !== undefined, (query) => query.where('kind', '=', kind ?? ''))
      .groupBy('state')
      .execute();
    return new Map(rows.map((row) => [row.state, row.count]));
  },

  /** Jobs per kind and state. The index alone answers this, however many jobs there are. */
  async countKinds(executor: Executor): Promise<Map<string, Map<JobState, number>>> {
    const rows = await executor
      .selectFrom('jobs')
      .select(['kind', 'state', countAll().as('count')])
      .groupBy(['kind', 'state'])
      .orderBy('kind')
      .execute();
    const kinds = new Map<string, Map<JobState, number>>();
    for (const { kind, state, count } of rows) kinds.set(kind, (kinds.get(kind) ?? new Map()).set(state, count));
    return kinds;
  },

  /** The job of a kind that was the last to end in a state, or null. */
  async findLastEnded(executor: Executor, kind: string, state: JobState): Promise<StoredJob | null> {
    const row = await executor
      .selectFrom('jobs')
      .selectAll()
      .where('kind', '=', kind)
      .where('state', '=', state)
      .orderBy('finished_at', 'desc')
      .limit(1)
      .executeTakeFirst();
    return row === undefined ? null : toJob(row);
  },

  /** Deletes one slice of the jobs of a state that ended before an instant. @returns how many */
  async deleteEnded(executor: Executor, state: JobState, before: number): Promise<number> {
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
  },

  /**
   * Takes the next job of a lane, or null. It is one statement, so two nodes never take the same
   * job.
   */
  async claim(
    executor: Executor,
    dialect: Dialect,
    { lane, kinds, lease, leaseUntil, node, now }: Claim,
  ): Promise<ClaimedJob | null> {
    const next = sql`select id from jobs
      where state = 'queued' and lane = ${lane} and kind in (${sql.join(kinds)}) and run_at <= ${now}
      order by priority, run_at, id limit 1 ${dialect.skipLocked}`;
    const { rows } = await sql<Selectable<Tables['jobs']>>`update jobs
      set state = 'running', lease = ${lease}, lease_until = ${leaseUntil}, leased_by = ${node}, attempts = attempts + 1, progress = 0, started_at = ${now}
      where id = (${next}) returning *`.execute(executor);
    return rows[0] === undefined ? null : { ...toJob(rows[0]), lease };
  },

  /**
   * Renews a job's lease as its heartbeat. False if the job was cancelled, or released because its
   * lease had expired.
   */
  async renewLease(
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
  },

  /** Stores the end of a run. False, and nothing is changed, if the lease was lost. */
  async endRun(executor: Executor, { id, lease }: ClaimedJob, ending: Ending, now: number): Promise<boolean> {
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
  },

  /**
   * Returns jobs with an expired lease to the queue. Those without an attempt left fail. @returns
   * the failed ones
   */
  async releaseExpired(executor: Executor, now: number, error: string): Promise<StoredJob[]> {
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
  },
};

/** A page of the filtered jobs, newest first. */
interface JobRange {
  limit: number;
  offset: number;
  /**
   * Number of matching jobs, if known. The page is then reached from the nearer end of the list.
   */
  total?: number;
}

function toJob(row: Selectable<Tables['jobs']>): StoredJob {
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

interface Claim {
  lane: JobLane;
  kinds: readonly string[];
  /** Identifies this claim. */
  lease: string;
  leaseUntil: number;
  node: string;
  now: number;
}

function endingColumns(ending: Ending, now: number) {
  if (ending.state === 'done')
    return { state: ending.state, active_key: null, progress: 100, error: null, finished_at: now };
  if (ending.state === 'failed')
    return { state: ending.state, active_key: null, error: ending.error, finished_at: now };
  const lane = ending.lane === undefined ? {} : { lane: ending.lane };
  return { state: ending.state, progress: 0, error: ending.error, run_at: ending.runAt, ...lane };
}
