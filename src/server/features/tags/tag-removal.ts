import type { Executor } from '../../database/tables.ts';
import { bumpRevision } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { JobRun } from '../../jobs/job.ts';
import type { JobQueue } from '../../jobs/job-queue.ts';
import { deleteTag, findTag, setTagActive } from './tag-repository.ts';

export interface TagRemovalDeps {
  idSets: IdSets;
  queue: JobQueue;
}

/** Tags that go for good. */
export interface TagRemoval {
  /** Says to the queue how it is done. */
  open(): void;
  /**
   * Gone for everybody when it returns; its links, of which there may be half a million, go in the background. False
   * when there is no such tag.
   */
  remove(tagId: string): Promise<boolean>;
}

const kind = 'tag-removal';

export function createTagRemoval({ idSets, queue }: TagRemovalDeps): TagRemoval {
  async function removeLinks({ job, signal }: JobRun): Promise<void> {
    const number = Number(job.subject);
    await idSets.removeTagLinks(number, signal);
    await idSets.write((transaction) => deleteTag(transaction, number));
  }

  /** The row stays until its links are gone: the database would take them all along with it at once. */
  async function hide(transaction: Executor, number: number): Promise<void> {
    await setTagActive(transaction, number, 0);
    await bumpRevision(transaction, 'tags');
    await queue.addWithin(transaction, [{ kind, subject: String(number) }]);
  }

  return {
    open: () => queue.register({ kind, lane: 'light', attemptsMax: 3, run: removeLinks }),

    async remove(tagId) {
      const isFound = await idSets.write(async (transaction, changes) => {
        const tag = await findTag(transaction, tagId);
        if (tag === null) return false;
        await hide(transaction, tag.number);
        changes.clear(tag.number);
        return true;
      });
      if (isFound) queue.wake();
      return isFound;
    },
  };
}
