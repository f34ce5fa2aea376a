import type { SelectQueryBuilder } from 'kysely';
import { countAll } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';

type VideoQuery<Selection> = SelectQueryBuilder<Tables, 'videos', Selection>;

export async function findActiveTagNumbers(executor: Executor, tagIds: readonly string[]): Promise<number[]> {
  if (tagIds.length === 0) return [];
  const rows = await executor.selectFrom('tags').select('number').where('active', '=', 1).where('id', 'in', tagIds).execute();
  return rows.map((row) => row.number);
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
