import { z } from 'zod';
import type { Clock } from '../../clock.ts';
import type { Executor } from '../../database/tables.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import type { Ids } from '../../ids.ts';
import type { JobKind, JobRun, NewJob } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { tagChangeRepository } from './changes/change-repository.ts';
import { folderLinks } from './folder-links.ts';
import { tagRepository } from './tag-repository.ts';
import { refuseMerging } from './write-tags.ts';

interface TagRemovalDeps {
  idSets: IdSets;
  queue: JobQueue;
  clock: Clock;
}

/** Deletes tags for good. */
export interface TagRemoval {
  /** Registers the job with the queue. */
  open(): void;
  /**
   * Deletes a tag for everybody at once. Its links, up to half a million, are deleted in the
   * background. False when there is no such tag.
   * @param actorId null: the site itself
   * @throws Refusal 409 while it is being merged
   */
  remove(tagId: string, actorId: string | null): Promise<boolean>;
  /** Deletes a tag in a transaction. The caller wakes the queue afterwards. */
  removeWithin(transaction: Executor, changes: SetChanges, tagNumber: number): Promise<void>;
  /** Deletes the links of a merged tag in a transaction. Its id still stands for the other tag. */
  emptyWithin(transaction: Executor, changes: SetChanges, tagNumber: number): Promise<void>;
}

const attemptsMax = 3;

const removalJob = 'tag-removal';
const removalPayloadSchema = z.object({ isRowKept: z.boolean() }).nullable();

export function createTagRemoval({ idSets, queue, clock }: TagRemovalDeps): TagRemoval {
  async function removeLinks({ job, signal }: JobRun): Promise<void> {
    const number = Number(job.subject);
    await idSets.removeTagLinks(number, signal);
    if (removalPayloadSchema.parse(job.payload)?.isRowKept) return;
    await idSets.write((transaction) => tagRepository.delete(transaction, number));
  }

  /**
   * The row stays until its links are deleted, because the database would delete them all at once
   * with it.
   */
  async function removeWithin(transaction: Executor, changes: SetChanges, number: number): Promise<void> {
    await tagRepository.setActive(transaction, number, 0);
    await tagRepository.setMerged(transaction, number, null);
    await folderLinks.markChannelRemoved(transaction, number, 1);
    await tagChangeRepository.forgetTag(transaction, number);
    await bumpRevision(transaction, 'tags');
    changes.clear(number);
    await queue.addWithin(transaction, [{ kind: removalJob, subject: String(number) }]);
  }

  return {
    open: () => queue.register({ kind: removalJob, lane: 'light', attemptsMax, run: removeLinks }),
    removeWithin,

    async emptyWithin(transaction, changes, number) {
      changes.clear(number);
      await queue.addWithin(transaction, [{ kind: removalJob, subject: String(number), payload: { isRowKept: true } }]);
    },

    async remove(tagId, actorId) {
      const isFound = await idSets.write(async (transaction, changes) => {
        const tag = await tagRepository.find(transaction, tagId);
        if (tag === null) return false;
        await refuseMerging(transaction, tag);
        await recordActivity(
          transaction,
          { actorId, kind: 'tag_removed', subject: tag.name, detail: 'for good' },
          clock.now(),
        );
        await removeWithin(transaction, changes, tag.number);
        return true;
      });
      if (isFound) queue.wake();
      return isFound;
    },
  };
}

const alignmentJob = 'tag-alignment';
const alignmentPayloadSchema = z.object({ tag: z.number() });

/**
 * Updates the set of untagged videos after a tag, possibly on half a million videos, became active
 * or inactive.
 */
export function toAlignmentJob(ids: Pick<Ids, 'short'>, tagNumber: number): NewJob {
  // A running job may already have passed this tag, so each change queues a job of its own.
  return { kind: alignmentJob, subject: `${tagNumber} ${ids.short()}`, payload: { tag: tagNumber } };
}

export function alignmentKind(idSets: Pick<IdSets, 'alignUntagged'>): JobKind {
  return {
    kind: alignmentJob,
    lane: 'light',
    attemptsMax,
    run: ({ job, signal }) => idSets.alignUntagged(alignmentPayloadSchema.parse(job.payload).tag, signal),
  };
}
