import { sql } from 'kysely';
import type { Executor } from '../../../database/tables.ts';

/** Which tag's links another one is to have; by number. */
export interface TagPair {
  from: number;
  into: number;
}

/** At most `inListLength` videos. @returns those that had the one and not the other */
export async function copyLinks(
  executor: Executor,
  { from, into }: TagPair,
  videoNumbers: readonly number[],
): Promise<number[]> {
  if (videoNumbers.length === 0) return [];
  const links = executor
    .selectFrom('video_tags')
    .select(['video_number', sql.lit(into).as('tag_number'), 'by_folder'])
    .where('tag_number', '=', from)
    .where('video_number', 'in', videoNumbers);
  const added = await executor
    .insertInto('video_tags')
    .columns(['video_number', 'tag_number', 'by_folder'])
    .expression(links)
    .onConflict((conflict) => conflict.doNothing())
    .returning('video_number')
    .execute();
  return added.map((link) => link.video_number);
}

/** The next links of a tag, by video. */
export async function listLinks(
  executor: Executor,
  tagNumber: number,
  afterNumber: number,
  limit: number,
): Promise<{ videoNumber: number; isByFolder: boolean }[]> {
  const rows = await executor
    .selectFrom('video_tags')
    .select(['video_number', 'by_folder'])
    .where('tag_number', '=', tagNumber)
    .where('video_number', '>', afterNumber)
    .orderBy('video_number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ videoNumber: row.video_number, isByFolder: row.by_folder === 1 }));
}

/** Where people put the one tag, the other is theirs as well, even if it came with the folder. */
export async function takeOverFolderLinks(
  executor: Executor,
  { from, into }: TagPair,
  videoNumbers: readonly number[],
): Promise<void> {
  if (videoNumbers.length === 0) return;
  const people = executor
    .selectFrom('video_tags as link')
    .select('link.video_number')
    .where('link.tag_number', '=', from)
    .where('link.by_folder', '=', 0)
    .where('link.video_number', 'in', videoNumbers);
  await executor
    .updateTable('video_tags')
    .set({ by_folder: 0 })
    .where('tag_number', '=', into)
    .where('video_number', 'in', people)
    .execute();
}

/** Puts a tag on videos, for people; at most `inListLength` that exist. @returns those that it was not on */
export async function addLinks(
  executor: Executor,
  tagNumber: number,
  videoNumbers: readonly number[],
): Promise<number[]> {
  if (videoNumbers.length === 0) return [];
  const links = executor
    .selectFrom('videos')
    .select(['number', sql.lit(tagNumber).as('tag_number'), sql.lit(0).as('by_folder')])
    .where('number', 'in', videoNumbers);
  const added = await executor
    .insertInto('video_tags')
    .columns(['video_number', 'tag_number', 'by_folder'])
    .expression(links)
    .onConflict((conflict) => conflict.doNothing())
    .returning('video_number')
    .execute();
  await executor
    .updateTable('video_tags')
    .set({ by_folder: 0 })
    .where('tag_number', '=', tagNumber)
    .where('video_number', 'in', videoNumbers)
    .where('by_folder', '=', 1)
    .execute();
  return added.map((link) => link.video_number);
}

/** @returns those that it was on */
export async function takeLinks(
  executor: Executor,
  tagNumber: number,
  videoNumbers: readonly number[],
): Promise<number[]> {
  if (videoNumbers.length === 0) return [];
  const links = await executor
    .deleteFrom('video_tags')
    .where('tag_number', '=', tagNumber)
    .where('video_number', 'in', videoNumbers)
    .returning('video_number')
    .execute();
  return links.map((link) => link.video_number);
}

/** Whether anything is on a tag, or was merged into it. */
export async function isTagUsed(executor: Executor, tagNumber: number): Promise<boolean> {
  const link = await executor
    .selectFrom('video_tags')
    .select('tag_number')
    .where('tag_number', '=', tagNumber)
    .limit(1)
    .executeTakeFirst();
  const merged = await executor
    .selectFrom('tags')
    .select('number')
    .where('merged_into', '=', tagNumber)
    .limit(1)
    .executeTakeFirst();
  return link !== undefined || merged !== undefined;
}
