import type { SweepTime } from '../../../database/sweep-time.ts';
import type { Executor } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import type { JobKind } from '../../../jobs/job.ts';
import type { Repetition } from '../../../repeat.ts';
import { repeat } from '../../../repeat.ts';
import type { LinkSlice } from '../link-repository.ts';
import { tagLinkRepository } from '../link-repository.ts';
import { tagRepository } from '../tag-repository.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { changeJobNames, failChange, workThroughLinks } from './change-jobs.ts';
import type { TagChange } from './change-repository.ts';
import { tagChangeRepository } from './change-repository.ts';
import { undoableMs } from './undo-change.ts';
import { videoDetailsRepository } from './video-details-repository.ts';

const kind = 'tag-change-sweep';
const everyMs = 86_400_000;
const changesTogether = 100;
const detailsTogether = 500;
const interrupted = 'This was interrupted; what was done of it can be undone.';

type SweepDeps = TagChangeDeps & { sweepTime: SweepTime };

/**
 * Runs once a day: deletes changes that can no longer be undone, and deletes removed tags for good.
 */
export class TagChangeSweep {
  private readonly deps: SweepDeps;
  private timer: Repetition | undefined;

  constructor(deps: SweepDeps) {
    this.deps = deps;
  }

  async start(): Promise<void> {
    this.timer ??= repeat(() => this.queue(), everyMs);
    await this.queue();
  }

  stop(): void {
    this.timer?.stop();
  }

  kind(): JobKind {
    return {
      kind,
      lane: 'light',
      attemptsMax: 3,
      isOneForAll: true,
      run: async ({ signal }) => {
        await this.failInterrupted();
        for (let expired = await this.readExpired(); expired.length > 0; expired = await this.readExpired())
          for (const change of expired) await this.forget(change, signal);
      },
    };
  }

  private queue(): Promise<void> {
    return this.deps.jobs.add([{ kind, subject: 'all' }]);
  }

  private async readExpired(): Promise<TagChange[]> {
    const { database, sweepTime } = this.deps;
    return tagChangeRepository.listExpired(database.reader, (await sweepTime.readLate()) - undoableMs, changesTogether);
  }

  /** Fails changes whose job was cancelled, or whose process died in its last attempt. */
  private async failInterrupted(): Promise<void> {
    const { database, jobs } = this.deps;
    const peopleUndone = new Set<string>();
    const isPerson = ({ kind }: TagChange) => kind === 'person';
    const unfinished = await tagChangeRepository.listUnfinished(database.reader);
    // Changes of the kind `person` come first, because their jobs also undo the changes of these
    // people.
    for (const change of [...unfinished.filter(isPerson), ...unfinished.filter((change) => !isPerson(change))]) {
      const { number } = change;
      const active = await Promise.all(changeJobNames.map((name) => jobs.isActive(name, String(number))));
      if (isPerson(change) && active.includes(true)) peopleUndone.add(change.subject);
      const isUndone = change.state === 'undoing' && peopleUndone.has(change.made_by ?? '');
      if (!active.includes(true) && !isUndone) await failChange(this.deps, number, interrupted);
    }
  }

  private async forget(change: TagChange, signal: AbortSignal): Promise<void> {
    const { database, jobs, tagRemoval, writeTags } = this.deps;
    await workThroughLinks(this.deps, change.number, { planned: forgetLinks, added: forgetLinks }, signal);
    for (let count = detailsTogether; count === detailsTogether; )
      count = await database.write((transaction) =>
        videoDetailsRepository.deleteOfChange(transaction, change.number, detailsTogether),
      );
    await writeTags(async (transaction, changes) => {
      const isOver = change.kind === 'removal' || change.kind === 'merge';
      for (const number of isOver ? await tagChangeRepository.listTags(transaction, change.number) : []) {
        const tag = await tagRepository.findByNumber(transaction, number);
        if (tag === null || tag.isActive) continue;
        if (tag.mergedInto === null) await tagRemoval.removeWithin(transaction, changes, number);
        else await tagRemoval.emptyWithin(transaction, changes, number);
      }
      await tagChangeRepository.delete(transaction, change.number);
    });
    jobs.wake();
  }
}

function forgetLinks(transaction: Executor, _: SetChanges, slice: LinkSlice): Promise<void> {
  return tagLinkRepository.deleteOfChange(transaction, slice);
}
