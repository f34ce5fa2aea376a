import type { TagLabel } from '#contract/entities/tag.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { Video } from './video.ts';
import { toVideo } from './video.ts';

export async function findVideoByPath(executor: Executor, rootNumber: number, path: string): Promise<Video | null> {
  const row = await executor
    .selectFrom('videos')
    .selectAll()
    .where('root_number', '=', rootNumber)
    .where('path', '=', path)
    .executeTakeFirst();
  return row === undefined ? null : toVideo(row);
}

export async function findVideoByNumber(executor: Executor, number: number): Promise<Video | null> {
  const row = await executor.selectFrom('videos').selectAll().where('number', '=', number).executeTakeFirst();
  return row === undefined ? null : toVideo(row);
}

/** Paths that no video has are left out. At most `inListLength` of them. */
export async function findNumbersByPath(
  executor: Executor,
  rootNumber: number,
  paths: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await executor
    .selectFrom('videos')
    .select(['path', 'number'])
    .where('root_number', '=', rootNumber)
    .where('path', 'in', paths.slice(0, inListLength))
    .execute();
  return new Map(rows.map((row) => [row.path, row.number]));
}

/** Ids that no video has are left out. At most `inListLength` of them. */
export async function findVideoNumbers(executor: Executor, ids: readonly string[]): Promise<number[]> {
  if (ids.length === 0) return [];
  const rows = await executor
    .selectFrom('videos')
    .select('number')
    .where('id', 'in', ids.slice(0, inListLength))
    .execute();
  return rows.map((row) => row.number);
}

/** The highest number that was given out. */
export async function readLastVideoNumber(executor: Executor): Promise<number> {
  const row = await executor
    .selectFrom('videos')
    .select((select) => select.fn.max<number | null>('number').as('last'))
    .executeTakeFirstOrThrow();
  return row.last ?? 0;
}

/** The active tags of a video, by name. */
export async function readTagLabels(executor: Executor, videoNumber: number): Promise<TagLabel[]> {
  return executor
    .selectFrom('video_tags')
    .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
    .select(['tags.id', 'tags.name', 'tags.color'])
    .where('video_tags.video_number', '=', videoNumber)
    .where('tags.active', '=', 1)
    .orderBy('tags.name_key')
    .execute();
}
