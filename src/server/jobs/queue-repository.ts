import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Executor, Tables } from '../database/tables.ts';

/** A row has about twenty values, and both databases limit the values of a statement. */
const rowsPerInsert = 100;

/** A failed job that may be queued again. */
export interface RetriableJob {
  id: string;
  subject: string;
}

/** Jobs of one kind that are not running. */
export interface IdleJobs {
  kind: string;
  state: 'queued' | 'failed';
  /** Jobs with a lower number than this are left out. */
  fromPriority?: number;
}

/** Adds, cancels and retries jobs. */
export const jobQueueRepository = {
  /**
   * Queues jobs. If a job of the same kind and subject is active, it takes over a better priority
   * and, unless it is running, the lane that comes with it.
   */
  async insert(executor: Executor, jobs: readonly Insertable<Tables['jobs']>[]): Promise<void> {
    for (let from = 0; from < jobs.length; from += rowsPerInsert) {
      await executor
        .insertInto('jobs')
        .values(jobs.slice(from, from + rowsPerInsert))
        .onConflict((conflict) =>
          conflict
            .column('active_key')
            .doUpdateSet((row) => ({
              priority: row.ref('excluded.priority'),
              lane: sql<string>`case when jobs.state = 'running' then jobs.lane else excluded.lane end`,
            }))
            .whereRef('excluded.priority', '<', 'jobs.priority'),
        )
        .execute();
    }
  },

  async hasActive(executor: Executor, activeKey: string): Promise<boolean> {
    return (
      (await executor.selectFrom('jobs').select('id').where('active_key', '=', activeKey).executeTakeFirst()) !==
      undefined
    );
  },

  async hasCancelled(executor: Executor, kind: string, subject: string): Promise<boolean> {
    const row = await executor
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', kind)
      .where('state', '=', 'cancelled')
      .where('subject', '=', subject)
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** False if the job is neither queued nor running. */
  async cancelActive(executor: Executor, id: string, now: number): Promise<boolean> {
    const result = await executor
      .updateTable('jobs')
      .set({ state: 'cancelled', active_key: null, lease: null, lease_until: null, finished_at: now })
      .where('id', '=', id)
      .where('state', 'in', ['queued', 'running'])
      .executeTakeFirst();
    return result.numUpdatedRows > 0n;
  },

  /**
   * Queues failed or cancelled jobs again.
   * @returns how many
   * @throws a conflict if another job of the same kind and subject is active
   */
  async requeueEnded(executor: Executor, ids: readonly string[], now: number): Promise<number> {
    const result = await executor
      .updateTable('jobs')
      .set({
        state: 'queued',
        active_key: sql`kind || ':' || subject`,
        attempts: 0,
        progress: 0,
        error: null,
        run_at: now,
        started_at: null,
        finished_at: null,
      })
      .where('id', 'in', ids)
      .where('state', 'in', ['failed', 'cancelled'])
      .executeTakeFirst();
    return Number(result.numUpdatedRows);
  },

  /**
   * Failed jobs of a kind, newest first, without those whose subject has an active job.
   * @param beforeId only ids below this one; null: all
   */
  async listRetriable(
    executor: Executor,
    kind: string,
    beforeId: string | null,
    limit: number,
  ): Promise<RetriableJob[]> {
    return executor
      .selectFrom('jobs')
      .select(['id', 'subject'])
      .where('kind', '=', kind)
      .where('state', '=', 'failed')
      .$if(beforeId !== null, (query) => query.where('id', '<', beforeId ?? ''))
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('jobs as other')
              .select('other.id')
              .where('other.active_key', '=', sql<string>`jobs.kind || ':' || jobs.subject`),
          ),
        ),
      )
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
  },

  /** Cancels up to `limit` jobs that are not running. @returns how many */
  async cancelIdle(
    executor: Executor,
    { kind, state, fromPriority = 0 }: IdleJobs,
    limit: number,
    now: number,
  ): Promise<number> {
    const some = executor
      .selectFrom('jobs')
      .select('id')
      .where('kind', '=', kind)
      .where('state', '=', state)
      .where('priority', '>=', fromPriority)
      .orderBy('id')
      .limit(limit);
    const result = await executor
      .updateTable('jobs')
      .set({ state: 'cancelled', active_key: null, finished_at: now })
      .where('id', 'in', some)
      .where('state', '=', state)
      .executeTakeFirst();
    return Number(result.numUpdatedRows);
  },
};

export function activeKeyOf(kind: string, subject: string): string {
  return `${kind}:${subject}`;
}
