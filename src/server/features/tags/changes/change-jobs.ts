import type { TagChangeKind } from '#contract/rules/tag.ts';
import type { Clock } from '../../../clock.ts';
import type { Database } from '../../../database/connection.ts';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { IdSets } from '../../../id-sets/id-sets.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import type { Ids } from '../../../ids.ts';
import type { JobKind, JobRun, NewJob, StoredJob } from '../../../jobs/job.ts';
import { JobFailure } from '../../../jobs/job.ts';
import type { JobQueue } from '../../../jobs/job-queue.ts';
import { activityRepository } from '../../activity/activity-repository.ts';
import type { LinkSlice } from '../link-repository.ts';
import { tagLinkRepository } from '../link-repository.ts';
import type { TagRemoval } from '../tag-removal.ts';
import { tagRepository } from '../tag-repository.ts';
import type { WriteTags } from '../write-tags.ts';
import type { TagChange } from './change-repository.ts';
import { tagChangeRepository } from './change-repository.ts';
import { areEqual, videoDetailsRepository } from './video-details-repository.ts';

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
 * `tag-merge` copies links, `tag-sidecars` plans links, `tag-change-links` makes planned links,
 * `tag-undo` undoes a change, and `tag-person-undo` undoes all changes of one person.
 */
export const changeJobNames = ['tag-merge', 'tag-sidecars', 'tag-change-links', 'tag-undo', 'tag-person-undo'] as const;
type ChangeJobName = (typeof changeJobNames)[number];

const attemptsMax = 3;
const failureSentence = 'This went wrong; what was done of it can be undone.';

/** A job to queue in the transaction that records the change or starts to undo it. */
export function toChangeJob(kind: ChangeJobName, changeNumber: number, facts: object = {}): NewJob {
  return { kind, subject: String(changeNumber), payload: facts };
}

/**
 * A job that makes a change in as many transactions as it needs. It can be repeated from the
 * beginning.
 * @param work its last write is the new state of the change, or can be repeated
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
      const change = await tagChangeRepository.read(deps.database.reader, Number(job.subject));
      if (change === null) return;
      try {
        await work(change, run);
      } catch (error) {
        // The queue reports no failure for an unexpected error, so the change is marked as failed
        // here.
        if (job.attempts >= job.attemptsMax && !signal.aborted && !(error instanceof JobFailure))
          await failChange(deps, change.number, failureSentence);
        throw error;
      }
    },
    gaveUp: (job: StoredJob, error) => failChange(deps, Number(job.subject), error),
  };
}

/**
 * Marks a change as failed. Its tags are free for other changes, and undoing it takes back what was
 * done.
 */
export async function failChange({ clock, writeTags }: TagChangeDeps, number: number, error: string): Promise<void> {
  await writeTags(async (transaction) => {
    const change = await tagChangeRepository.read(transaction, number);
    if (change === null || !isUnfinished(change)) return;
    for (const tag of await tagChangeRepository.listTags(transaction, number))
      await tagRepository.setMerged(transaction, tag, null, 1);
    await tagChangeRepository.update(transaction, number, { state: 'failed', error, finished_at: clock.now() });
  });
}

function isUnfinished({ state }: Pick<TagChange, 'state'>): boolean {
  return state === 'running' || state === 'undoing';
}

interface NewTagChange {
  kind: TagChangeKind;
  /** Name of the tag, or of the file. */
  subject: string;
  /** Name of the tag that it is merged into. */
  detail?: string | null;
  actorId: string;
  /** Numbers of the tags that it removes, merges or creates. */
  tags: readonly number[];
  links: number;
  /** `running`: a job makes the change, with `change` in its payload. */
  state: 'running' | 'done';
}

/**
 * Records a change in the transaction that makes or queues it.
 * @returns its number
 */
export async function recordChange(
  transaction: Executor,
  { clock, ids }: { clock: Clock; ids: Ids },
  { actorId, tags, detail = null, ...change }: NewTagChange,
): Promise<number> {
  const now = clock.now();
  const number = await tagChangeRepository.insert(transaction, {
    ...change,
    id: ids.long(),
    detail,
    made_by: await activityRepository.findUsername(transaction, actorId),
    created_at: now,
    finished_at: change.state === 'done' ? now : null,
    tags: tags.length,
    error: null,
  });
  await tagChangeRepository.insertTags(transaction, number, tags);
  return number;
}

interface ChangeLinksDeps {
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'writeInSlices'>;
}

/** Processes links of a change that have the same state. */
type LinkWork = (transaction: Executor, changes: SetChanges, slice: LinkSlice) => Promise<void>;

/** Goes through the links of a change by tag and video, in transactions of some milliseconds. */
export async function workThroughLinks(
  { database, idSets }: ChangeLinksDeps,
  changeNumber: number,
  work: Partial<Record<'planned' | 'added', LinkWork>>,
  signal: AbortSignal,
): Promise<void> {
  const next = (after: number) => tagLinkRepository.findNextTag(database.reader, changeNumber, after);
  for (let tag = await next(0); tag !== null; tag = await next(tag)) {
    const tagNumber = tag;
    await idSets.writeInSlices(async (transaction, changes, { after, length }) => {
      const links = await tagLinkRepository.listOfChange(transaction, { changeNumber, tagNumber }, after, length);
      for (const state of ['planned', 'added'] as const) {
        const numbers = links.filter((link) => link.state === state).map((link) => link.videoNumber);
        for (let from = 0; from < numbers.length; from += inListLength) {
          const videoNumbers = numbers.slice(from, from + inListLength);
          await work[state]?.(transaction, changes, { changeNumber, tagNumber, videoNumbers });
        }
      }
      return links.at(-1)?.videoNumber ?? null;
    }, signal);
  }
}

/**
 * Gives the videos of a change its texts, or those from before it, in transactions of some
 * milliseconds. Texts that somebody has changed meanwhile stay. It can be repeated.
 */
export async function workThroughDetails(
  { idSets }: Pick<ChangeLinksDeps, 'idSets'>,
  changeNumber: number,
  direction: 'apply' | 'takeBack',
  signal: AbortSignal,
): Promise<void> {
  await idSets.writeInSlices(async (transaction, changes, { after, length }) => {
    const videos = await videoDetailsRepository.listOfChange(transaction, changeNumber, after, length);
    for (const { videoNumber, old, texts, current } of videos) {
      const [from, to] = direction === 'apply' ? [old, texts] : [texts, old];
      if (areEqual(current, from)) await videoDetailsRepository.write(transaction, changes, videoNumber, to);
    }
    return videos.at(-1)?.videoNumber ?? null;
  }, signal);
}
