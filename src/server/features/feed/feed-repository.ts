import type { SelectQueryBuilder } from 'kysely';
import type { FilterMode } from '#contract/rules/tag-filter.ts';
import { countAll } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { Video } from '../videos/video.ts';
import { toVideo } from '../videos/video.ts';

/** Which videos a quadrant draws from; tags by number. No tags: all. */
export interface TagSelection {
  tags: readonly number[];
  mode: FilterMode;
  blocked: readonly number[];
}

type VideoQuery<Selection> = SelectQueryBuilder<Tables, 'videos', Selection>;

export async function findActiveTagNumbers(executor: Executor, tagIds: readonly string[]): Promise<number[]> {
  if (tagIds.length === 0) return [];
  const rows = await executor.selectFrom('tags').select('number').where('active', '=', 1).where('id', 'in', tagIds).execute();
  return rows.map((row) => row.number);
}

/** @param exclude ids that do not count */
export async function countAvailable(executor: Executor, selection: TagSelection, exclude: readonly string[] = []): Promise<number> {
  const query = executor.selectFrom('videos').select(countAll().as('count')).where('available', '=', 1);
  const row = await without(matching(query, selection), exclude).executeTakeFirstOrThrow();
  return row.count;
}

/** The available video at a place, counted from 0 in the order of numbers. */
export async function availableAt(executor: Executor, selection: TagSelection, exclude: readonly string[], place: number): Promise<Video | null> {
  const query = executor.selectFrom('videos').selectAll().where('available', '=', 1).orderBy('number').offset(place).limit(1);
  const row = await without(matching(query, selection), exclude).executeTakeFirst();
  return row === undefined ? null : toVideo(row);
}

/** Why one of the matching videos that are there cannot be played; undefined when there is none at all. */
export async function findUnavailable(executor: Executor, selection: TagSelection): Promise<{ reason: string | null } | undefined> {
  const query = executor.selectFrom('videos').select('reason').where('missing_since', 'is', null).where('available', '=', 0);
  const active = executor.selectFrom('library_roots').select('number').where('active', '=', 1);
  return matching(query, selection).where('root_number', 'in', active).limit(1).executeTakeFirst();
}

/** A blocked tag beats a selected one. */
function matching<Selection>(query: VideoQuery<Selection>, { tags, mode, blocked }: TagSelection): VideoQuery<Selection> {
  const wanted =
    tags.length === 0
      ? query
      : query.where('number', 'in', (from) => {
          const tagged = from.selectFrom('video_tags').select('video_number').where('tag_number', 'in', tags);
          return mode === 'OR' ? tagged : tagged.groupBy('video_number').having(countAll(), '=', tags.length);
        });
  if (blocked.length === 0) return wanted;
  return wanted.where('number', 'not in', (from) => from.selectFrom('video_tags').select('video_number').where('tag_number', 'in', blocked));
}

function without<Selection>(query: VideoQuery<Selection>, exclude: readonly string[]): VideoQuery<Selection> {
  return exclude.length === 0 ? query : query.where('id', 'not in', exclude);
}
