import type { JobQueue } from '../../jobs/job-queue.ts';
import { recordActivity } from '../activity/activity-log.ts';
import { recordChange } from './changes/record-change.ts';
import type { TagEditDeps } from './edit-tags.ts';
import { readActiveTag } from './edit-tags.ts';
import { markFolderChannelRemoved } from './folder-links.ts';
import { refuseMerging } from './refuse-merging.ts';
import { toAlignmentJob } from './tag-alignment.ts';
import { setTagActive } from './tag-repository.ts';

/**
 * Gone for everybody when it returns, and can be brought back for a while. Which videos are untagged by that is found
 * out in the background. @throws NotFound @throws Refusal 409 while it is being merged
 */
export async function removeTag(deps: TagEditDeps & { jobs: JobQueue }, id: string, actorId: string): Promise<void> {
  const { clock, ids, idSets, jobs } = deps;
  await deps.writeTags(async (transaction) => {
    const tag = await readActiveTag(transaction, id);
    await refuseMerging(transaction, tag);
    await setTagActive(transaction, tag.number, 0);
    await markFolderChannelRemoved(transaction, tag.number, 1);
    await recordActivity(transaction, { actorId, kind: 'tag_removed', subject: tag.name }, clock.now());
    await recordChange(transaction, deps, {
      kind: 'removal',
      subject: tag.name,
      actorId,
      tags: [tag.number],
      links: idSets.countOnTag(tag.number),
      state: 'done',
    });
    await jobs.addWithin(transaction, [toAlignmentJob(ids, tag.number)]);
  });
  jobs.wake();
}
