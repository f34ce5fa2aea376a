import { z } from 'zod';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { Ids } from '../../../ids.ts';
import type { Job, JobKind, JobRun, NewJob } from '../../../jobs/job.ts';
import { JobFailure } from '../../../jobs/job.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import type { TagRemoval } from '../tag-removal.ts';
import { setTagMerged } from '../tag-repository.ts';
import type { WriteTags } from '../write-tags.ts';
import type { TagChange } from './change-repository.ts';
import { listChangeTags, readChange, updateChange } from './change-repository.ts';

export interface TagChangeDeps {
  database: Database;
  idSets: IdSets;
  clock: Clock;
  ids: Ids;
  jobs: JobQueue;
  tagRemoval: TagRemoval;
  writeTags: WriteTags;
}

/**
 * `tag-merge` copies links, `tag-sidecars` plans them, `tag-change-links` makes planned ones, `tag-undo` takes back what
 * a change did, `tag-person-undo` all that one person did.
 */
export const changeJobNames = ['tag-merge', 'tag-sidecars', 'tag-change-links', 'tag-undo', 'tag-person-undo'] as const;
export type ChangeJobName = (typeof changeJobNames)[number];

const attemptsMax = 3;
const failed = 'This went wrong; what was done of it can be undone.';

/** Queued in the transaction that records the change, or that begins to undo it. */
export function toChangeJob(kind: ChangeJobName, changeNumber: number, facts: object = {}): NewJob {
  return { kind, subject: String(changeNumber), payload: facts };
}

/**
 * A job that does a change, in as many transactions as it needs; it may be done again from the beginning.
 * @param work it ends with the state of the change, which is the last of what it writes, or with what may be repeated
 */
export function changeKind(
  deps: TagChangeDeps,
  kind: ChangeJobName,
  work: (change: TagChange, run: JobRun) => Promise<void>,
): JobKind {
  return {
    kind,
    lane: 'light',
    attemptsMax,
    async run(run) {
      const { job, signal } = run;
      const change = await readChange(deps.database.reader, Number(job.subject));
      if (change === null) return;
      try {
        await work(change, run);
      } catch (error) {
        // The queue does not say so of what nobody expected.
        if (job.attempts >= job.attemptsMax && !signal.aborted && !(error instanceof JobFailure))
          await failChange(deps, change.number, failed);
        throw error;
      }
    },
    gaveUp: (job: Job, error) => failChange(deps, Number(job.subject), error),
  };
}

/** What it concerns is free for other changes; undoing it takes back what it did. */
export async function failChange({ clock, writeTags }: TagChangeDeps, number: number, error: string): Promise<void> {
  await writeTags(async (transaction) => {
    const change = await readChange(transaction, number);
    if (change === null || !isUnfinished(change)) return;
    for (const tag of await listChangeTags(transaction, number)) await setTagMerged(transaction, tag, null, 1);
    await updateChange(transaction, number, { state: 'failed', error, finished_at: clock.now() });
  });
}

function isUnfinished({ state }: Pick<TagChange, 'state'>): boolean {
  return state === 'running' || state === 'undoing';
}

export const mergePayloadSchema = z.object({ from: z.number(), into: z.number() });
