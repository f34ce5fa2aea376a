import type { Tag, TagList } from '#contract/entities/tag.ts';
import { lastPageOf } from '#contract/rules/pages.ts';
import type { sortOrders, tagSorts } from '#contract/rules/tags/tag.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound } from '../../http/pipeline/errors.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { FindableTag, TagCatalogue } from './tag-catalogue.ts';
import { toTagReply } from './tag-reply.ts';
import { readTag, tagNameKey } from './tag-repository.ts';

export interface TagListRequest {
  active: boolean;
  sort_by: (typeof tagSorts)[number];
  sort_order: (typeof sortOrders)[number];
  page: number;
  limit: number;
  search?: string | undefined;
}

export interface TagListDeps {
  tagCatalogue: TagCatalogue;
  idSets: Pick<IdSets, 'countOnTag'>;
}

/** A page of tags. Their videos are counted in the id sets, and only where the page or its order needs it. */
export async function readTagPage({ tagCatalogue, idSets }: TagListDeps, request: TagListRequest): Promise<TagList> {
  const { active, page, limit, search = '' } = request;
  const { list } = await (active ? tagCatalogue.read() : tagCatalogue.readInactive());
  const found = findTags(list, search);
  const sorted = sortTags(found, request, (tag) => idSets.countOnTag(tag.number));
  return {
    tags: sorted.slice((page - 1) * limit, page * limit).map((tag) => toTagReply(tag, idSets.countOnTag(tag.number))),
    total: found.length,
    total_pages: lastPageOf(found.length, limit),
    page,
    limit,
  };
}

/** @param isAdmin may read those that are not active @throws NotFound */
export async function readOneTag(
  { tagCatalogue, idSets, database }: TagListDeps & { database: Database },
  id: string,
  isAdmin: boolean,
): Promise<Tag> {
  const tag = await readTag(database.reader, id);
  if (tag === null || !(tag.isActive || isAdmin)) throw new NotFound('tag');
  const { aliases = [] } = (await tagCatalogue.read()).byNumber.get(tag.number) ?? {};
  return toTagReply({ ...tag, aliases }, idSets.countOnTag(tag.number));
}

/** Those with the text in a name or the description, without regard to case. */
function findTags(tags: readonly FindableTag[], search: string): readonly FindableTag[] {
  const key = tagNameKey(search);
  if (key === '') return tags;
  return tags.filter(
    ({ nameKey, descriptionKey, aliases }) =>
      nameKey.includes(key) || descriptionKey.includes(key) || aliases.some((alias) => tagNameKey(alias).includes(key)),
  );
}

/** @param tags by name, which is their order among equals, too */
function sortTags(
  tags: readonly FindableTag[],
  { sort_by, sort_order }: TagListRequest,
  countOf: (tag: FindableTag) => number,
): readonly FindableTag[] {
  if (sort_by === 'name') return sort_order === 'asc' ? tags : tags.toReversed();
  const rankOf = sort_by === 'created_at' ? (tag: FindableTag) => tag.createdAt : countOf;
  const direction = sort_order === 'asc' ? 1 : -1;
  return tags
    .map((tag) => ({ tag, value: rankOf(tag) }))
    .sort((a, b) => direction * (a.value - b.value))
    .map(({ tag }) => tag);
}
