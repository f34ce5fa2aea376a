import { limits } from '#contract/limits.ts';
import { checkAliases, checkTagColor, checkTagDescription, checkTagName } from '#contract/rules/tag.ts';
import type { Executor } from '../../database/tables.ts';
import { Refusal, Unavailable } from '../../http/pipeline/errors.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { putUntagged } from '../../id-sets/tag-links.ts';
import type { Slice } from '../../id-sets/write-slices.ts';
import { writeInSlices } from '../../id-sets/write-slices.ts';
import type { JobKind } from '../../jobs/job.ts';
import type { TagChangeDeps } from '../tags/changes/change-jobs.ts';
import { changeKind, toChangeJob, workThroughDetails, workThroughLinks } from '../tags/changes/change-jobs.ts';
import { tagChangeRepository } from '../tags/changes/change-repository.ts';
import { tagEdits } from '../tags/edit-tags.ts';
import type { LinkSlice } from '../tags/link-repository.ts';
import { tagLinkRepository } from '../tags/link-repository.ts';
import { mergedTagRepository } from '../tags/merged-tag-repository.ts';
import { tagNameKey, tagRepository } from '../tags/tag-repository.ts';
import { refuseTakenName } from '../tags/write-tags.ts';
import { DetailsPlan } from './transfer-details.ts';
import type { TagLine } from './transfer-formats.ts';

/** A tag of a file that does not exist yet. */
interface NewTag {
  name: string;
  description: string;
  color: string;
  aliases: readonly string[];
}

/** A tag to assign: an existing one by its row number, or a new one. */
type TargetTag = { number: number } | { tag: NewTag };

/** Finds the row number of a tag by its name or an alias, in the form of `tagNameKey`. */
export type FindTagNumber = (nameKey: string) => number | null;

interface Target {
  target: TargetTag;
  /** Row numbers of the videos. */
  videos: Set<number>;
}

/**
 * The changes that a file or the sidecar files would make: the tags to create, the videos of each
 * tag, and what videos are called.
 */
export class TransferPlan {
  readonly details = new DetailsPlan();
  private readonly findTagNumber: FindTagNumber;
  private readonly targets = new Map<string, Target>();
  private readonly described = new Set<NewTag>();
  /** New tags by the keys of all their names. */
  private readonly newTags = new Map<string, NewTag>();
  private created = 0;

  constructor(findTagNumber: FindTagNumber) {
    this.findTagNumber = findTagNumber;
  }

  /**
   * Adds the description of a tag. Existing tags stay as they are.
   * @returns the reason why it is not valid, or null
   */
  describe(line: TagLine): string | null {
    const problem =
      checkTagName(line.name) ??
      (line.description === null ? null : checkTagDescription(line.description)) ??
      (line.color === null ? null : checkTagColor(line.color)) ??
      checkAliases(line.aliases) ??
      firstProblem(line.aliases, checkTagName);
    if (problem !== null) return problem;
    const found = this.targetOf(line.name);
    if (typeof found === 'string') return found;
    if ('tag' in found.target) this.complete(found.target.tag, line);
    return null;
  }

  /** @returns the reason why the tag is not valid, or null */
  add(name: string, videoNumber: number): string | null {
    const found = this.targetOf(name);
    if (typeof found === 'string') return found;
    found.videos.add(videoNumber);
    return null;
  }

  /** Each tag once, with all its videos. */
  list(): Iterable<Readonly<Target>> {
    return this.targets.values();
  }

  countNewTags(): number {
    return this.created;
  }

  private targetOf(name: string): Target | string {
    const problem = checkTagName(name);
    if (problem !== null) return problem;
    const key = tagNameKey(name.trim());
    const number = this.findTagNumber(key);
    if (number !== null) return this.remember(`#${number}`, { number });
    const tag = this.newTags.get(key);
    if (tag !== undefined) return this.remember(keyOfNewTag(tag), { tag });
    if (this.created >= limits.importedTags) return `At most ${limits.importedTags} channels can be created at once`;
    const created = { name: name.trim(), description: '', color: limits.tagColor, aliases: [] };
    this.newTags.set(key, created);
    this.created += 1;
    return this.remember(keyOfNewTag(created), { tag: created });
  }

  private remember(key: string, target: TargetTag): Target {
    const known = this.targets.get(key);
    if (known !== undefined) return known;
    const added = { target, videos: new Set<number>() };
    this.targets.set(key, added);
    return added;
  }

  /**
   * Fills in a new tag. Only its first description counts, and names that another tag has are left
   * out.
   */
  private complete(tag: NewTag, line: TagLine): void {
    if (this.described.has(tag)) return;
    this.described.add(tag);
    const isFree = (alias: string) => {
      const key = tagNameKey(alias.trim());
      return this.findTagNumber(key) === null && !this.newTags.has(key);
    };
    const aliases = line.aliases.map((alias) => alias.trim()).filter(isFree);
    Object.assign(tag, { description: line.description?.trim() ?? '', color: line.color ?? limits.tagColor, aliases });
    for (const alias of aliases) this.newTags.set(tagNameKey(alias), tag);
  }
}

function keyOfNewTag(tag: NewTag): string {
  return tagNameKey(tag.name);
}

function firstProblem(texts: readonly string[], check: (text: string) => string | null): string | null {
  for (const text of texts) {
    const problem = check(text);
    if (problem !== null) return problem;
  }
  return null;
}

/** Tags that one transaction creates. */
const tagsTogether = 25;

/** Links as pairs of row numbers in two arrays, up to some millions of them. */
interface PlannedLinks {
  tags: Int32Array;
  videos: Int32Array;
}

/**
 * Creates the tags of a plan, stores its planned links and texts, and queues their job. All
 * transactions are short and part of the change.
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
  const links = listPlannedLinks(plan, numbers);
  await deps.idSets.writeInSlices(async (transaction, _, { after, length }) => {
    const slice = Array.from(links.tags.subarray(after, after + length), (tagNumber, at) => ({
      tagNumber,
      videoNumber: links.videos[after + at] ?? 0,
    }));
    await tagLinkRepository.plan(transaction, changeNumber, slice);
    return after + length < links.tags.length ? after + length : null;
  }, signal);
  await plan.details.store(deps, changeNumber, signal);
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
  const create: Slice = async (transaction, _, { after, length }) => {
    const end = after + Math.min(length, tagsTogether);
    await refuseEnded(transaction, changeNumber);
    let created = 0;
    for (const tag of wanted.slice(after, end)) {
      // It may have been created since the file was read.
      const existing = await tagRepository.findActive(transaction, tag.name);
      if (existing === null) created += 1;
      numbers.set(tag, existing?.number ?? (await createTag(transaction, deps, changeNumber, tag)));
    }
    if (created > 0) await tagEdits.requireRoom(transaction, 0);
    await tagChangeRepository.add(transaction, changeNumber, { tags: created });
    return end < wanted.length ? end : null;
  };
  if (wanted.length > 0) await writeInSlices(deps.writeTags, deps.clock, create, signal);
  return numbers;
}

/** @returns its row number */
async function createTag(
  transaction: Executor,
  deps: TagChangeDeps,
  changeNumber: number,
  { aliases, ...tag }: NewTag,
): Promise<number> {
  const number = await tagEdits.createWithin(transaction, deps, tag);
  await tagChangeRepository.insertTags(transaction, changeNumber, [number]);
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
  await mergedTagRepository.putAlias(transaction, { nameKey: tagNameKey(name), name, tagNumber }, clock.now());
}

async function refuseEnded(transaction: Executor, changeNumber: number): Promise<void> {
  if ((await tagChangeRepository.read(transaction, changeNumber))?.state !== 'running') throw new Unavailable();
}

function listPlannedLinks(plan: TransferPlan, numbers: ReadonlyMap<NewTag, number>): PlannedLinks {
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

/**
 * Makes the planned links of a change, and gives videos its texts. Links that already exist are not
 * part of the change.
 */
export function changeLinksKind(deps: TagChangeDeps): JobKind {
  const { clock, writeTags } = deps;
  return changeKind(deps, 'tag-change-links', async ({ number, state }, { signal }) => {
    if (state !== 'running') return;
    await workThroughLinks(deps, number, { planned: makePlannedLinks }, signal);
    await workThroughDetails(deps, number, 'apply', signal);
    await writeTags((transaction) =>
      tagChangeRepository.update(transaction, number, { state: 'done', finished_at: clock.now() }),
    );
  });
}

/**
 * Makes links. A tag that was merged meanwhile is replaced by its survivor; a removed tag gets
 * none.
 */
async function makePlannedLinks(transaction: Executor, changes: SetChanges, slice: LinkSlice): Promise<void> {
  await tagLinkRepository.deleteOfChange(transaction, slice);
  const tagNumber = await mergedTagRepository.findSurvivor(transaction, slice.tagNumber);
  if (tagNumber === null) return;
  const { changeNumber, videoNumbers } = slice;
  const added = await tagLinkRepository.putTagOnVideos(transaction, tagNumber, videoNumbers);
  await tagLinkRepository.claim(transaction, [tagNumber], videoNumbers, changeNumber);
  await tagLinkRepository.recordAdded(transaction, { changeNumber, tagNumber, videoNumbers: added });
  changes.put(tagNumber, added, true);
  await putUntagged(transaction, changes, videoNumbers);
}
