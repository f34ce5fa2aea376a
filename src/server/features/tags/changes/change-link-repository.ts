import { sql } from 'kysely';
import type { Executor } from '../../../database/tables.ts';

/** One link of a change. */
export interface ChangeLink {
  tagNumber: number;
  videoNumber: number;
}

const rowsPerInsert = 500;

/** Links that a change is going to make. */
export async function planLinks(executor: Executor, changeNumber: number, links: readonly ChangeLink[]): Promise<void> {
  for (let from = 0; from < links.length; from += rowsPerInsert) {
    const rows = links.slice(from, from + rowsPerInsert).map(({ tagNumber, videoNumber }) => ({
      change_number: changeNumber,
      tag_number: tagNumber,
      video_number: videoNumber,
      state: 'planned' as const,
    }));
    await executor
      .insertInto('tag_change_links')
      .values(rows)
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** The next tag that a change has links to; null: none. */
export async function findNextTag(executor: Executor, changeNumber: number, afterTag: number): Promise<number | null> {
  const row = await executor
    .selectFrom('tag_change_links')
    .select('tag_number')
    .where('change_number', '=', changeNumber)
    .where('tag_number', '>', afterTag)
    .orderBy('tag_number')
    .limit(1)
    .executeTakeFirst();
  return row?.tag_number ?? null;
}

/** The next videos of a change and a tag. */
export async function listChangeLinks(
  executor: Executor,
  { changeNumber, tagNumber }: Pick<LinkSlice, 'changeNumber' | 'tagNumber'>,
  afterVideo: number,
  limit: number,
): Promise<{ videoNumber: number; state: 'planned' | 'added' }[]> {
  const rows = await executor
    .selectFrom('tag_change_links')
    .select(['video_number', 'state'])
    .where('change_number', '=', changeNumber)
    .where('tag_number', '=', tagNumber)
    .where('video_number', '>', afterVideo)
    .orderBy('video_number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ videoNumber: row.video_number, state: row.state }));
}

/** Of one tag; at most `inListLength` videos, as in all that follow. */
export interface LinkSlice {
  changeNumber: number;
  tagNumber: number;
  videoNumbers: readonly number[];
}

export async function deleteChangeLinks(
  executor: Executor,
  { changeNumber, tagNumber, videoNumbers }: LinkSlice,
): Promise<void> {
  if (videoNumbers.length === 0) return;
  await executor
    .deleteFrom('tag_change_links')
    .where('change_number', '=', changeNumber)
    .where('tag_number', '=', tagNumber)
    .where('video_number', 'in', videoNumbers)
    .execute();
}

/** Links that were not there before: undoing the change takes them back. */
export async function recordAdded(executor: Executor, { changeNumber, tagNumber, videoNumbers }: LinkSlice) {
  if (videoNumbers.length === 0) return;
  const links = executor
    .selectFrom('video_tags')
    .select([sql.lit(changeNumber).as('change_number'), 'tag_number', 'video_number', sql.lit('added').as('state')])
    .where('tag_number', '=', tagNumber)
    .where('video_number', 'in', videoNumbers);
  await executor
    .insertInto('tag_change_links')
    .columns(['change_number', 'tag_number', 'video_number', 'state'])
    .expression(links)
    .onConflict((conflict) =>
      conflict.columns(['change_number', 'tag_number', 'video_number']).doUpdateSet({ state: 'added' }),
    )
    .execute();
  await executor
    .updateTable('tag_changes')
    .set((row) => ({ links: row('links', '+', videoNumbers.length) }))
    .where('number', '=', changeNumber)
    .execute();
}

/**
 * Somebody puts tags on videos where they may be by an earlier change: when that is undone, they stay.
 * @param byChange by this one; null: by hand
 */
export async function claimLinks(
  executor: Executor,
  tagNumbers: readonly number[],
  videoNumbers: readonly number[],
  byChange: number | null = null,
): Promise<void> {
  const changes = executor
    .selectFrom('tag_changes')
    .select('number')
    .where('kind', '!=', 'removal')
    .$if(byChange !== null, (query) => query.where('number', '!=', byChange ?? 0));
  await executor
    .deleteFrom('tag_change_links')
    .where('change_number', 'in', changes)
    .where('tag_number', 'in', tagNumbers)
    .where('video_number', 'in', videoNumbers)
    .where('state', '=', 'added')
    .execute();
}

/** Those of a slice that another merge, which was not undone, has put there as well: the change that made it. */
export async function findOtherMerges(
  executor: Executor,
  { changeNumber, tagNumber, videoNumbers }: LinkSlice,
): Promise<ReadonlyMap<number, number>> {
  const rows = await executor
    .selectFrom('video_tags')
    .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
    .innerJoin('tag_change_tags', 'tag_change_tags.tag_number', 'tags.number')
    .innerJoin('tag_changes', 'tag_changes.number', 'tag_change_tags.change_number')
    .select(['video_tags.video_number', 'tag_changes.number'])
    .where('video_tags.video_number', 'in', videoNumbers)
    .where('tags.active', '=', 0)
    .where('tags.merged_into', '=', tagNumber)
    .where('tag_changes.kind', '=', 'merge')
    .where('tag_changes.state', '=', 'done')
    .where('tag_changes.number', '!=', changeNumber)
    .execute();
  return new Map(rows.map((row) => [row.video_number, row.number]));
}
