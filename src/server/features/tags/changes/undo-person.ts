import { z } from 'zod';
import { NotFound, Refusal } from '../../../http/pipeline/errors.ts';
import type { JobKind, JobRun } from '../../../jobs/job.ts';
import { recordActivity } from '../../activity/activity-log.ts';
import { toAlignmentJob } from '../tag-removal.ts';
import type { TagChangeDeps } from './change-jobs.ts';
import { changeKind, recordChange, toChangeJob } from './change-jobs.ts';
import type { TagChange, TagsOfPerson } from './change-repository.ts';
import { tagChangeRepository } from './change-repository.ts';
import { beginUndo, takeBackChange } from './undo-change.ts';

const hourMs = 3_600_000;
const name = 'tag-person-undo';
const payloadSchema = z.object({ since: z.number() });
/** Changes that are read at once. */
const changesTogether = 50;
/** Tags that one transaction removes. */
const tagsTogether = 40;

interface PersonUndo {
  username: string;
  /** The length of the time span that ends now. */
  hours: number;
  actorId: string;
}

/**
 * Starts to undo everything that one person did to tags, latest first, and to remove the tags that
 * they created. Tags and links that others have changed since stay.
 * @returns number of the change that records it
 * @throws NotFound for a name that nobody has or had
 * @throws Refusal 409 while this is in progress for the same person
 */
export async function undoPerson(deps: TagChangeDeps, { username, hours, actorId }: PersonUndo): Promise<number> {
  const number = await deps.writeTags(async (transaction) => {
    const subject = await tagChangeRepository.findPersonName(transaction, username);
    if (subject === null) throw new NotFound('user');
    if (await tagChangeRepository.isPersonUndone(transaction, subject))
      throw new Refusal('conflict', { message: `What ${subject} did is being undone already.` });
    const now = deps.clock.now();
    await recordActivity(transaction, { actorId, kind: 'tag_person_undone', subject, detail: String(hours) }, now);
    const change = await recordChange(transaction, deps, {
      kind: 'person',
      subject,
      actorId,
      tags: [],
      links: 0,
      state: 'running',
    });
    await deps.jobs.addWithin(transaction, [toChangeJob(name, change, { since: now - hours * hourMs })]);
    return change;
  });
  deps.jobs.wake();
  return number;
}

export function personUndoKind(deps: TagChangeDeps): JobKind {
  return changeKind(deps, name, async (change, run) => {
    if (change.state !== 'running') return;
    const { since } = payloadSchema.parse(run.job.payload);
    // Tags created in the same millisecond count as created before this change.
    const made: TagsOfPerson = { createdBy: change.subject, since, before: change.created_at + 1 };
    const changesLeft = await undoChanges(deps, change, made, run.signal);
    await removeMade(deps, change, made, run);
    const left = changesLeft + (await tagChangeRepository.countTagsOfPerson(deps.database.reader, made));
    await deps.writeTags((transaction) =>
      tagChangeRepository.update(transaction, change.number, {
        state: 'done',
        error: left === 0 ? null : leftWords(left),
        finished_at: deps.clock.now(),
      }),
    );
  });
}

function leftWords(count: number): string {
  return count === 1
    ? '1 change could not be undone, since others have changed the same channel or its name.'
    : `${count.toLocaleString('en')} changes could not be undone, since others have changed the same channels or their names.`;
}

/** @returns how many could not be undone */
async function undoChanges(
  deps: TagChangeDeps,
  { number, subject }: TagChange,
  made: TagsOfPerson,
  signal: AbortSignal,
): Promise<number> {
  let refused = 0;
  let before = number;
  const next = () =>
    tagChangeRepository.listOfPerson(deps.database.reader, {
      madeBy: subject,
      since: made.since,
      before,
      limit: changesTogether,
    });
  for (let changes = await next(); changes.length > 0; changes = await next()) {
    for (const change of changes) {
      signal.throwIfAborted();
      if (!(await undoOne(deps, number, change, made, signal))) refused += 1;
      before = change.number;
    }
  }
  return refused;
}

/** @returns false when it cannot be undone */
async function undoOne(
  deps: TagChangeDeps,
  personNumber: number,
  { number, state }: TagChange,
  made: TagsOfPerson,
  signal: AbortSignal,
): Promise<boolean> {
  const { clock, jobs, writeTags, database } = deps;
  if (state === 'undoing' && (await jobs.isActive('tag-undo', String(number)))) return true;
  if (state !== 'undoing') {
    try {
      const isBegun = await writeTags(async (transaction, changes) => {
        const change = await tagChangeRepository.read(transaction, number);
        if (change === null) return false;
        if (change.kind === 'removal') {
          // The person removed their own tags: these stay removed.
          const tags = await tagChangeRepository.listTags(transaction, number);
          const own = await Promise.all(tags.map((tag) => tagChangeRepository.isTagOf(transaction, tag, made)));
          if (!own.includes(false)) return false;
        }
        await beginUndo(transaction, changes, change, clock.now());
        await tagChangeRepository.add(transaction, personNumber, { links: 1 });
        return true;
      });
      if (!isBegun) return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }
  const begun = await tagChangeRepository.read(database.reader, number);
  if (begun?.state === 'undoing') await takeBackChange(deps, begun, signal);
  return true;
}

async function removeMade(
  { idSets, jobs, ids, clock, database }: TagChangeDeps,
  { number, made_by }: TagChange,
  made: TagsOfPerson,
  { signal, report }: JobRun,
): Promise<void> {
  const total = Math.max(1, await tagChangeRepository.countTagsOfPerson(database.reader, made));
  let done = 0;
  await idSets.writeInSlices(async (transaction, _, { after, length }) => {
    const limit = Math.min(length, tagsTogether);
    const tags = await tagChangeRepository.listTagsOfPerson(transaction, made, after, limit);
    const removed = tags.filter((tag) => !tag.isOthers);
    const now = clock.now();
    const removals = removed.map((tag) => ({
      id: ids.long(),
      kind: 'removal' as const,
      state: 'done' as const,
      subject: tag.name,
      detail: null,
      made_by,
      created_at: now,
      finished_at: now,
      tags: 1,
      links: idSets.countOnTag(tag.number),
      error: null,
    }));
    const numbers = removed.map((tag) => tag.number);
    await tagChangeRepository.deactivateTags(transaction, numbers, removals);
    await tagChangeRepository.add(transaction, number, { tags: removed.length });
    const used = numbers.filter((tag) => idSets.countOnTag(tag) > 0);
    if (used.length > 0)
      await jobs.addWithin(
        transaction,
        used.map((tag) => toAlignmentJob(ids, tag)),
      );
    done += tags.length;
    report(Math.min(100, (100 * done) / total));
    return tags.length < limit ? null : (tags.at(-1)?.number ?? null);
  }, signal);
  jobs.wake();
}
