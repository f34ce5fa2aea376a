import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { readRevision } from '../../http/pipeline/revision.ts';
import { listAliases } from './alias-repository.ts';
import type { MergedTag } from './merged-tag-repository.ts';
import { listMergedTags, maxMerges } from './merged-tag-repository.ts';
import type { Tag } from './tag.ts';
import { listActiveTags, listDeletedTags, tagNameKey } from './tag-repository.ts';

/** A tag with what it is found by. */
export interface FindableTag extends Tag {
  descriptionKey: string;
  /** Its other names, by name. */
  aliases: readonly string[];
  /** Its place by name. */
  rank: number;
}

/** Many tags at one moment. */
export interface TagsByName {
  list: readonly FindableTag[];
  byNumber: ReadonlyMap<number, FindableTag>;
  /** A tag that was merged away is the one that it went into. */
  byId: ReadonlyMap<string, FindableTag>;
}

/** All active tags in memory; read again when a tag has changed anywhere. */
export class TagCatalogue {
  private readonly database: Database;
  private stored: { revision: number; tags: Promise<TagsByName> } | null = null;

  constructor(database: Database) {
    this.database = database;
  }

  async read(): Promise<TagsByName> {
    // Before the tags: one that changes in between is read again the next time.
    const revision = await readRevision(this.database.reader, 'tags');
    if (this.stored?.revision !== revision) this.stored = { revision, tags: this.load() };
    return this.stored.tags;
  }

  /** Tags that were deleted and can be brought back. */
  async readInactive(): Promise<TagsByName> {
    return byName(await listDeletedTags(this.database.reader), new Map());
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
    listActiveTags(reader),
    listAliases(reader),
    listMergedTags(reader),
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

/** The active tag behind each that is active or was merged into one. */
function findSurvivors(active: readonly Tag[], merged: readonly MergedTag[]): ReadonlyMap<number, number> {
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

function byName(tags: Tag[], aliases: ReadonlyMap<number, readonly string[]>): TagsByName {
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

/** By code unit, so that both databases agree. */
function byKey(a: { nameKey: string }, b: { nameKey: string }): number {
  return a.nameKey < b.nameKey ? -1 : Number(a.nameKey > b.nameKey);
}
