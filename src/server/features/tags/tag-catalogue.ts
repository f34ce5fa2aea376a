import type { TagList, Tag as TagReply } from '#contract/entities/tag.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { sortOrders, tagSorts } from '#contract/rules/tag.ts';
import { audienceRanks } from '#contract/rules/tag.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import { readRevision } from '../../http/pipeline/revision.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { MergedTag } from './merged-tag-repository.ts';
import { maxMerges, mergedTagRepository } from './merged-tag-repository.ts';
import type { StoredTag } from './tag-repository.ts';
import { tagNameKey, tagRepository } from './tag-repository.ts';

/** A tag with the texts that searches compare. */
export interface FindableTag extends StoredTag {
  descriptionKey: string;
  /** Its aliases in alphabetical order. */
  aliases: readonly string[];
  /** Its position in the order by name. */
  rank: number;
}

/** The tags as of one moment. */
export interface TagsByName {
  list: readonly FindableTag[];
  byNumber: ReadonlyMap<number, FindableTag>;
  /** The id of a merged tag leads to the tag that it was merged into. */
  byId: ReadonlyMap<string, FindableTag>;
}

/** All active tags in memory, read again after a tag has changed on any node. */
export class TagCatalogue {
  private readonly database: Database;
  private stored: { revision: number; tags: Promise<TagsByName> } | null = null;
  /** The tags that viewers of a rank see, of those that were read last. */
  private seen = new WeakMap<TagsByName, Map<number, TagsByName>>();

  constructor(database: Database) {
    this.database = database;
  }

  async read(): Promise<TagsByName> {
    // The revision is read before the tags: a tag that changes in between is read again next time.
    const revision = await readRevision(this.database.reader, 'tags');
    if (this.stored?.revision !== revision) this.stored = { revision, tags: this.load() };
    return this.stored.tags;
  }

  /** The tags that viewers of a rank see: others are as tags that do not exist. */
  async readFor(rank: number): Promise<TagsByName> {
    const tags = await this.read();
    const byRank = this.seen.get(tags) ?? new Map<number, TagsByName>();
    this.seen.set(tags, byRank);
    const seen = byRank.get(rank) ?? keepSeen(tags, rank);
    byRank.set(rank, seen);
    return seen;
  }

  /** Deleted tags that can be restored. */
  async readInactive(): Promise<TagsByName> {
    return byName(await tagRepository.listDeleted(this.database.reader), new Map());
  }

  private async load(): Promise<TagsByName> {
    try {
      return await readActive(this.database.reader);
    } catch (error) {
      this.stored = null;
      throw error;
    }
  }
}

async function readActive(reader: Executor): Promise<TagsByName> {
  const [active, aliases, merged] = await Promise.all([
    tagRepository.listActive(reader),
    mergedTagRepository.listAliases(reader),
    mergedTagRepository.list(reader),
  ]);
  const survivors = findSurvivors(active, merged);
  const namesOf = Map.groupBy(aliases, (alias) => survivors.get(alias.tagNumber) ?? null);
  const tags = byName(
    active,
    new Map(active.map(({ number }) => [number, (namesOf.get(number) ?? []).sort(byKey).map(({ name }) => name)])),
  );
  const byId = new Map(tags.byId);
  for (const { id, number } of merged) {
    const survivor = tags.byNumber.get(survivors.get(number) ?? 0);
    if (survivor !== undefined) byId.set(id, survivor);
  }
  return { ...tags, byId };
}

function keepSeen(tags: TagsByName, rank: number): TagsByName {
  const isSeen = ({ audience }: StoredTag) => audienceRanks[audience] <= rank;
  if (tags.list.every(isSeen)) return tags;
  return {
    list: tags.list.filter(isSeen),
    byNumber: new Map([...tags.byNumber].filter(([, tag]) => isSeen(tag))),
    byId: new Map([...tags.byId].filter(([, tag]) => isSeen(tag))),
  };
}

/** The active tag for each tag that is active or was merged into one. */
function findSurvivors(active: readonly StoredTag[], merged: readonly MergedTag[]): ReadonlyMap<number, number> {
  const survivors = new Map(active.map(({ number }) => [number, number]));
  for (let left = maxMerges, isFound = true; isFound && left > 0; left -= 1) {
    isFound = false;
    for (const { number, mergedInto } of merged) {
      const survivor = survivors.get(mergedInto);
      if (survivor === undefined || survivors.has(number)) continue;
      survivors.set(number, survivor);
      isFound = true;
    }
  }
  return survivors;
}

function byName(tags: StoredTag[], aliases: ReadonlyMap<number, readonly string[]>): TagsByName {
  const list = tags.sort(byKey).map((tag, rank) => ({
    ...tag,
    descriptionKey: tagNameKey(tag.description),
    aliases: aliases.get(tag.number) ?? [],
    rank,
  }));
  return {
    list,
    byNumber: new Map(list.map((tag) => [tag.number, tag])),
    byId: new Map(list.map((tag) => [tag.id, tag])),
  };
}

/** Compares by code unit, so that both databases agree. */
function byKey(a: { nameKey: string }, b: { nameKey: string }): number {
  return a.nameKey < b.nameKey ? -1 : Number(a.nameKey > b.nameKey);
}

interface TagListRequest {
  active: boolean;
  sort_by: (typeof tagSorts)[number];
  sort_order: (typeof sortOrders)[number];
  page: number;
  limit: number;
  search?: string | undefined;
  /** Only the tags that these ids stand for; empty: all. */
  ids?: readonly string[] | undefined;
}

interface TagListDeps {
  tagCatalogue: TagCatalogue;
  idSets: Pick<IdSets, 'countOnTag'>;
}

/**
 * A page of tags. Their videos are counted in the id sets, and only if the page or its order needs
 * it.
 */
export async function readTagPage(
  { tagCatalogue, idSets }: TagListDeps,
  request: TagListRequest,
  rank: number,
): Promise<TagList> {
  const { active, page, limit, search = '', ids = [] } = request;
  const tags = await (active ? tagCatalogue.readFor(rank) : tagCatalogue.readInactive());
  const found = findTags(ids.length === 0 ? tags.list : tagsOf(tags, ids), search);
  const sorted = sortTags(found, request, (tag) => idSets.countOnTag(tag.number));
  return {
    tags: sorted.slice((page - 1) * limit, page * limit).map((tag) => toTagReply(tag, idSets.countOnTag(tag.number))),
    total: found.length,
    total_pages: lastPageOf(found.length, limit),
    page,
    limit,
  };
}

/**
 * @param rank that of the viewer: only administrators can read inactive tags
 * @throws NotFound
 */
export async function readOneTag(
  { tagCatalogue, idSets, database }: TagListDeps & { database: Database },
  id: string,
  rank: number,
): Promise<TagReply> {
  const tag = await tagRepository.find(database.reader, id);
  const isSeen = tag !== null && audienceRanks[tag.audience] <= rank;
  if (!isSeen || !(tag.isActive || rank >= audienceRanks.admin)) throw new NotFound('tag');
  const { aliases = [] } = (await tagCatalogue.read()).byNumber.get(tag.number) ?? {};
  return toTagReply({ ...tag, aliases }, idSets.countOnTag(tag.number));
}

/** The tags that the ids stand for, by name. */
function tagsOf({ byId }: TagsByName, ids: readonly string[]): readonly FindableTag[] {
  const found = new Set(ids.flatMap((id) => byId.get(id) ?? []));
  return [...found].sort((one, other) => one.rank - other.rank);
}

/** The tags with the text in a name or the description, ignoring case. */
function findTags(tags: readonly FindableTag[], search: string): readonly FindableTag[] {
  const key = tagNameKey(search);
  if (key === '') return tags;
  return tags.filter(
    ({ nameKey, descriptionKey, aliases }) =>
      nameKey.includes(key) || descriptionKey.includes(key) || aliases.some((alias) => tagNameKey(alias).includes(key)),
  );
}

/** @param tags by name, which is also the order of equal ones */
function sortTags(
  tags: readonly FindableTag[],
  { sort_by, sort_order, search = '' }: TagListRequest,
  countOf: (tag: FindableTag) => number,
): readonly FindableTag[] {
  if (sort_by === 'name') return sort_order === 'asc' ? namedFirst(tags, search) : tags.toReversed();
  const rankOf = sort_by === 'created_at' ? (tag: FindableTag) => tag.createdAt : countOf;
  const direction = sort_order === 'asc' ? 1 : -1;
  return tags
    .map((tag) => ({ tag, value: rankOf(tag) }))
    .sort((a, b) => direction * (a.value - b.value))
    .map(({ tag }) => tag);
}

/**
 * The tag with exactly this name comes first: the pickers show only the first hundred of those that
 * contain it.
 */
function namedFirst(tags: readonly FindableTag[], search: string): readonly FindableTag[] {
  const key = tagNameKey(search);
  const named = tags.find(
    ({ nameKey, aliases }) => nameKey === key || aliases.some((alias) => tagNameKey(alias) === key),
  );
  return named === undefined ? tags : [named, ...tags.filter((tag) => tag !== named)];
}

export function toTagReply(tag: StoredTag & { aliases: readonly string[] }, videoCount: number): TagReply {
  return {
    id: tag.id,
    name: tag.name,
    description: tag.description,
    color: tag.color,
    video_count: videoCount,
    created_at: new Date(tag.createdAt).toISOString(),
    active: tag.isActive,
    aliases: tag.aliases,
    ...(tag.audience !== 'anyone' && { audience: tag.audience }),
  };
}
