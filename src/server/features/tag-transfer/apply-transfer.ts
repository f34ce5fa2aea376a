import type { Executor } from '../../database/tables.ts';
import { Refusal, Unavailable } from '../../http/pipeline/errors.ts';
import { putAlias } from '../tags/alias-repository.ts';
import type { TagChangeDeps } from '../tags/changes/change-jobs.ts';
import { toChangeJob } from '../tags/changes/change-jobs.ts';
import { planLinks } from '../tags/changes/change-link-repository.ts';
import { insertChangeTags, listChangeTags, readChange, updateChange } from '../tags/changes/change-repository.ts';
import { createTagWithin } from '../tags/edit-tags.ts';
import { refuseTakenName } from '../tags/tag-names.ts';
import { findActiveTag, tagNameKey } from '../tags/tag-repository.ts';
import type { NewTag, TransferPlan } from './transfer-plan.ts';

/** What one transaction creates. */
const tagsTogether = 25;

/** Tags with their videos, by row number, link by link: some millions of them at most. */
interface PlannedLinks {
  tags: Int32Array;
  videos: Int32Array;
}

/**
 * Creates the tags of a plan, writes down its links, and queues the job that makes them: in short transactions, of
 * which each is part of the change.
 * @param changeNumber a running change
 * @throws Unavailable when the change was ended meanwhile
 */
export async function applyTransfer(
  deps: TagChangeDeps,
  changeNumber: number,
  plan: TransferPlan,
  signal?: AbortSignal,
): Promise<void> {
  const numbers = await createTags(deps, changeNumber, plan, signal);
  const links = listLinks(plan, numbers);
  await deps.idSets.writeInSlices(async (transaction, _, { after, length }) => {
    const slice = Array.from(links.tags.subarray(after, after + length), (tagNumber, at) => ({
      tagNumber,
      videoNumber: links.videos[after + at] ?? 0,
    }));
    await planLinks(transaction, changeNumber, slice);
    return after + length < links.tags.length ? after + length : null;
  }, signal);
  await deps.writeTags(async (transaction) => {
    await refuseEnded(transaction, changeNumber);
    await deps.jobs.addWithin(transaction, [toChangeJob('tag-change-links', changeNumber)]);
  });
  deps.jobs.wake();
}

/** @returns the row number of each new tag */
async function createTags(
  deps: TagChangeDeps,
  changeNumber: number,
  plan: TransferPlan,
  signal?: AbortSignal,
): Promise<ReadonlyMap<NewTag, number>> {
  const wanted = [...plan.list()].flatMap(({ target }) => ('tag' in target ? [target.tag] : []));
  const numbers = new Map<NewTag, number>();
  for (let from = 0; from < wanted.length; from += tagsTogether) {
    signal?.throwIfAborted();
    await deps.writeTags(async (transaction) => {
      await refuseEnded(transaction, changeNumber);
      for (const tag of wanted.slice(from, from + tagsTogether))
        numbers.set(tag, await createOrFind(transaction, deps, changeNumber, tag));
      await countTags(transaction, changeNumber);
    });
  }
  return numbers;
}

/** Somebody may have created it since the file was read. */
async function createOrFind(
  transaction: Executor,
  deps: TagChangeDeps,
  changeNumber: number,
  { aliases, ...tag }: NewTag,
): Promise<number> {
  const existing = await findActiveTag(transaction, tag.name);
  if (existing !== null) return existing.number;
  const number = await createTagWithin(transaction, deps, tag);
  await insertChangeTags(transaction, changeNumber, [number]);
  for (const name of aliases) await addAlias(transaction, deps, number, name);
  return number;
}

async function addAlias(transaction: Executor, { clock }: TagChangeDeps, tagNumber: number, name: string) {
  try {
    await refuseTakenName(transaction, name, { tag: tagNumber });
  } catch (error) {
    if (error instanceof Refusal) return;
    throw error;
  }
  await putAlias(transaction, { nameKey: tagNameKey(name), name, tagNumber }, clock.now());
}

async function countTags(transaction: Executor, changeNumber: number): Promise<void> {
  const tags = await listChangeTags(transaction, changeNumber);
  await updateChange(transaction, changeNumber, { tags: tags.length });
}

async function refuseEnded(transaction: Executor, changeNumber: number): Promise<void> {
  if ((await readChange(transaction, changeNumber))?.state !== 'running') throw new Unavailable();
}

function listLinks(plan: TransferPlan, numbers: ReadonlyMap<NewTag, number>): PlannedLinks {
  const targets = [...plan.list()];
  const count = targets.reduce((sum, { videos }) => sum + videos.size, 0);
  const links = { tags: new Int32Array(count), videos: new Int32Array(count) };
  let at = 0;
  for (const { target, videos } of targets) {
    const number = 'number' in target ? target.number : numbers.get(target.tag);
    if (number === undefined) continue;
    links.tags.fill(number, at, at + videos.size);
    for (const video of videos) {
      links.videos[at] = video;
      at += 1;
    }
  }
  return links;
}
