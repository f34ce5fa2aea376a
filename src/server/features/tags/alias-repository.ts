import type { Executor } from '../../database/tables.ts';

/** Another name that a tag is found by. */
export interface TagAlias {
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
