import type { Executor } from '../../database/tables.ts';

/**
 * The longest chain of merges that is followed, so that a cycle, which should not exist, cannot
 * loop forever.
 */
export const maxMerges = 64;

/** A merged tag. Its id stands for the tag that it was merged into. */
export interface MergedTag {
  number: number;
  id: string;
  mergedInto: number;
}

/** Tags that were merged into another one, and the names that lead to it. */
export const mergedTagRepository = {
  /** All merged tags, in any order. */
  async list(executor: Executor): Promise<MergedTag[]> {
    const rows = await executor
      .selectFrom('tags')
      .select(['number', 'id', 'merged_into'])
      .where('active', '=', 0)
      .where('merged_into', 'is not', null)
      .execute();
    return rows.map((row) => ({ number: row.number, id: row.id, mergedInto: row.merged_into ?? 0 }));
  },

  /** The active tag that a tag is or was merged into; null when that was removed. */
  async findSurvivor(executor: Executor, number: number): Promise<number | null> {
    const rows = await mergeable(executor).where('number', '=', number).execute();
    const [survivor] = await findSurvivors(executor, rows);
    return survivor ?? null;
  },

  /**
   * Numbers of the active tags that the ids stand for. A number can occur twice; removed tags have
   * none.
   */
  async resolveIds(executor: Executor, ids: readonly string[]): Promise<number[]> {
    if (ids.length === 0) return [];
    return findSurvivors(executor, await mergeable(executor).where('id', 'in', ids).execute());
  },

  /** The id of the active tag that each of these went into by a merge; the others have none. */
  async findSuccessors(executor: Executor, ids: readonly string[]): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    if (ids.length === 0) return found;
    const merged = await executor
      .selectFrom('tags')
      .select(['id', 'number'])
      .where('id', 'in', ids)
      .where('active', '=', 0)
      .where('merged_into', 'is not', null)
      .execute();
    for (const { id, number } of merged) {
      const survivor = await mergedTagRepository.findSurvivor(executor, number);
      const rows = executor
        .selectFrom('tags')
        .select('id')
        .where('number', '=', survivor ?? 0);
      const tag = await rows.executeTakeFirst();
      if (tag !== undefined) found.set(id, tag.id);
    }
    return found;
  },

  /** A tag and all that were merged into it, whose names are its aliases. */
  async listMergedInto(executor: Executor, number: number): Promise<number[]> {
    const all = new Set([number]);
    for (let latest = [number]; latest.length > 0; ) {
      const rows = await executor
        .selectFrom('tags')
        .select('number')
        .where('merged_into', 'in', latest)
        .where('active', '=', 0)
        .execute();
      latest = rows.map((row) => row.number).filter((merged) => !all.has(merged));
      for (const merged of latest) all.add(merged);
    }
    return [...all];
  },

  /**
   * Whether the tag is being merged, is the target of a merge, or such a merge is being undone.
   * Both tags are active until then.
   */
  async isMerging(executor: Executor, number: number): Promise<boolean> {
    const row = await executor
      .selectFrom('tags')
      .select('number')
      .where('active', '=', 1)
      .where((where) =>
        where.or([
          where('merged_into', '=', number),
          where.and([where('number', '=', number), where('merged_into', 'is not', null)]),
        ]),
      )
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** The aliases of some tags, or of all, in any order. */
  async listAliases(executor: Executor, tagNumbers?: readonly number[]): Promise<TagAlias[]> {
    const rows = await executor
      .selectFrom('tag_aliases')
      .select(['name_key', 'name', 'tag_number'])
      .$if(tagNumbers !== undefined, (query) => query.where('tag_number', 'in', tagNumbers ?? []))
      .execute();
    return rows.map((row) => ({ nameKey: row.name_key, name: row.name, tagNumber: row.tag_number }));
  },

  async findAlias(executor: Executor, nameKey: string): Promise<TagAlias | null> {
    const row = await executor
      .selectFrom('tag_aliases')
      .select(['name', 'tag_number'])
      .where('name_key', '=', nameKey)
      .executeTakeFirst();
    return row === undefined ? null : { nameKey, name: row.name, tagNumber: row.tag_number };
  },

  /**
   * Stores an alias, in place of one with the same key.
   * @param now epoch milliseconds
   */
  async putAlias(executor: Executor, alias: TagAlias, now: number): Promise<void> {
    const facts = { name: alias.name, tag_number: alias.tagNumber, created_at: now };
    await executor
      .insertInto('tag_aliases')
      .values({ name_key: alias.nameKey, ...facts })
      .onConflict((conflict) => conflict.column('name_key').doUpdateSet(facts))
      .execute();
  },

  async deleteAlias(executor: Executor, nameKey: string): Promise<void> {
    await executor.deleteFrom('tag_aliases').where('name_key', '=', nameKey).execute();
  },
};

interface MergeableTag {
  number: number;
  active: number;
  merged_into: number | null;
}

/** Takes one query, and another for each merge on the way. */
async function findSurvivors(
  executor: Executor,
  tags: readonly MergeableTag[],
  mergesLeft = maxMerges,
): Promise<number[]> {
  const active = tags.filter((tag) => tag.active === 1).map((tag) => tag.number);
  const targets = tags.flatMap((tag) => (tag.active === 1 ? [] : (tag.merged_into ?? [])));
  if (targets.length === 0 || mergesLeft === 0) return active;
  const rows = await mergeable(executor)
    .where('number', 'in', [...new Set(targets)])
    .execute();
  const byNumber = new Map(rows.map((row) => [row.number, row]));
  const next = targets.flatMap((target) => byNumber.get(target) ?? []);
  return [...active, ...(await findSurvivors(executor, next, mergesLeft - 1))];
}

function mergeable(executor: Executor) {
  return executor.selectFrom('tags').select(['number', 'active', 'merged_into']);
}

/** An alias of a tag. */
interface TagAlias {
  nameKey: string;
  name: string;
  /** The owner. Merged tags keep their aliases, so the owner may be inactive. */
  tagNumber: number;
}
