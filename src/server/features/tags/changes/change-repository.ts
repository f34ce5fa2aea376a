import type { Insertable, Selectable, Updateable } from 'kysely';
import { countAll } from '../../../database/dialect.ts';
import type { TagChangesTable } from '../../../database/tables/tag-tables.ts';
import type { Executor } from '../../../database/tables.ts';

export type TagChange = Selectable<TagChangesTable>;

/** @returns its number */
export async function insertChange(executor: Executor, change: Insertable<TagChangesTable>): Promise<number> {
  const { number } = await executor
    .insertInto('tag_changes')
    .values(change)
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
}

export async function findChange(executor: Executor, id: string): Promise<TagChange | null> {
  return (await executor.selectFrom('tag_changes').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
}

export async function readChange(executor: Executor, number: number): Promise<TagChange | null> {
  return (await executor.selectFrom('tag_changes').selectAll().where('number', '=', number).executeTakeFirst()) ?? null;
}

export async function updateChange(
  executor: Executor,
  number: number,
  facts: Pick<Updateable<TagChangesTable>, 'state' | 'error' | 'tags' | 'links' | 'finished_at'>,
): Promise<void> {
  await executor.updateTable('tag_changes').set(facts).where('number', '=', number).execute();
}

/** The latest first. */
export async function listChanges(
  executor: Executor,
  { since, limit, offset }: { since: number; limit: number; offset: number },
): Promise<TagChange[]> {
  return executor
    .selectFrom('tag_changes')
    .selectAll()
    .where('created_at', '>', since)
    .orderBy('number', 'desc')
    .limit(limit)
    .offset(offset)
    .execute();
}

export async function countChanges(executor: Executor, since: number): Promise<number> {
  const { count } = await executor
    .selectFrom('tag_changes')
    .select(countAll().as('count'))
    .where('created_at', '>', since)
    .executeTakeFirstOrThrow();
  return count;
}

/** What one person did since an instant and before another change, the latest first; all but what was undone. */
export async function listChangesOf(
  executor: Executor,
  { madeBy, since, before, limit }: { madeBy: string; since: number; before: number; limit: number },
): Promise<TagChange[]> {
  return executor
    .selectFrom('tag_changes')
    .selectAll()
    .where('made_by', '=', madeBy)
    .where('number', '<', before)
    .where('created_at', '>=', since)
    .where('kind', '!=', 'person')
    .where('state', '!=', 'undone')
    .orderBy('number', 'desc')
    .limit(limit)
    .execute();
}

/** Nothing works on them, and they are older than an instant. */
export async function listExpired(executor: Executor, before: number, limit: number): Promise<TagChange[]> {
  return executor
    .selectFrom('tag_changes')
    .selectAll()
    .where('created_at', '<=', before)
    .where('state', 'not in', ['running', 'undoing'])
    .orderBy('number')
    .limit(limit)
    .execute();
}

/** Something works on them. */
export async function listUnfinished(executor: Executor): Promise<TagChange[]> {
  return executor.selectFrom('tag_changes').selectAll().where('state', 'in', ['running', 'undoing']).execute();
}

export async function deleteChange(executor: Executor, number: number): Promise<void> {
  await executor.deleteFrom('tag_changes').where('number', '=', number).execute();
}

export async function insertChangeTags(
  executor: Executor,
  changeNumber: number,
  tagNumbers: readonly number[],
): Promise<void> {
  for (const tag_number of tagNumbers)
    await executor.insertInto('tag_change_tags').values({ change_number: changeNumber, tag_number }).execute();
}

/** Numbers of the tags that a change removed, merged away or created; one that is gone for good is not among them. */
export async function listChangeTags(executor: Executor, changeNumber: number): Promise<number[]> {
  const rows = await executor
    .selectFrom('tag_change_tags')
    .select('tag_number')
    .where('change_number', '=', changeNumber)
    .orderBy('tag_number')
    .execute();
  return rows.map((row) => row.tag_number);
}

/** For a tag that goes for good: nothing brings it back. */
export async function forgetChangeTag(executor: Executor, tagNumber: number): Promise<void> {
  await executor.deleteFrom('tag_change_tags').where('tag_number', '=', tagNumber).execute();
}
