import type { Executor } from '../../database/tables.ts';

/** How often one tag may have been merged into the next: nobody merges in circles, and no circle is gone round for ever. */
export const maxMerges = 64;

/** A tag that was merged away: whoever names it means the one that it went into. */
export interface MergedTag {
  number: number;
  id: string;
  mergedInto: number;
}

/** In any order. */
export async function listMergedTags(executor: Executor): Promise<MergedTag[]> {
  const rows = await executor
    .selectFrom('tags')
    .select(['number', 'id', 'merged_into'])
    .where('active', '=', 0)
    .where('merged_into', 'is not', null)
    .execute();
  return rows.map((row) => ({ number: row.number, id: row.id, mergedInto: row.merged_into ?? 0 }));
}

/** The active tag that a tag is, or was merged into; null when that one was removed. */
export async function findSurvivor(executor: Executor, number: number): Promise<number | null> {
  const rows = await mergeable(executor).where('number', '=', number).execute();
  const [survivor] = await findSurvivors(executor, rows);
  return survivor ?? null;
}

/** The active tags that some ids mean: a number for each id, so maybe one twice; none for what is gone. */
export async function resolveTagIds(executor: Executor, ids: readonly string[]): Promise<number[]> {
  if (ids.length === 0) return [];
  return findSurvivors(executor, await mergeable(executor).where('id', 'in', ids).execute());
}

/** A tag and all that were merged into it: their names are its other names. */
export async function listMergedInto(executor: Executor, number: number): Promise<number[]> {
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
}

/** Whether it is being merged, or others into it, or that is being undone: until then both are active. */
export async function isMerging(executor: Executor, number: number): Promise<boolean> {
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
}

interface MergeableTag {
  number: number;
  active: number;
  merged_into: number | null;
}

/** One query, and one more for each merge on the way. */
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

/** Another name that a tag is found by. */
interface TagAlias {
  nameKey: string;
  name: string;
  /** Who has it: a tag that was merged brings its own along, so it may be one that is not active. */
  tagNumber: number;
}

/** Those of some tags, or all; in any order. */
export async function listAliases(executor: Executor, tagNumbers?: readonly number[]): Promise<TagAlias[]> {
  const rows = await executor
    .selectFrom('tag_aliases')
    .select(['name_key', 'name', 'tag_number'])
    .$if(tagNumbers !== undefined, (query) => query.where('tag_number', 'in', tagNumbers ?? []))
    .execute();
  return rows.map((row) => ({ nameKey: row.name_key, name: row.name, tagNumber: row.tag_number }));
}

export async function findAlias(executor: Executor, nameKey: string): Promise<TagAlias | null> {
  const row = await executor
    .selectFrom('tag_aliases')
    .select(['name', 'tag_number'])
    .where('name_key', '=', nameKey)
    .executeTakeFirst();
  return row === undefined ? null : { nameKey, name: row.name, tagNumber: row.tag_number };
}

/** Takes the place of one that says the same. @param now epoch milliseconds */
export async function putAlias(executor: Executor, alias: TagAlias, now: number): Promise<void> {
  const facts = { name: alias.name, tag_number: alias.tagNumber, created_at: now };
  await executor
    .insertInto('tag_aliases')
    .values({ name_key: alias.nameKey, ...facts })
    .onConflict((conflict) => conflict.column('name_key').doUpdateSet(facts))
    .execute();
}

export async function deleteAlias(executor: Executor, nameKey: string): Promise<void> {
  await executor.deleteFrom('tag_aliases').where('name_key', '=', nameKey).execute();
}
