import { sql } from 'kysely';
import { countAll } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';

/** A file that is there and cannot be played. */
export interface UnplayableVideoRow {
  id: string;
  root: string;
  path: string;
  size: number;
  /** A key of `media/unplayable.ts`. */
  reason: string | null;
}

/** By root and path. */
export async function listUnplayableVideos(
  executor: Executor,
  search: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<UnplayableVideoRow[]> {
  return unplayable(executor, search)
    .select(['videos.id', 'library_roots.name as root', 'videos.path', 'videos.size', 'videos.reason'])
    .orderBy('videos.root_number')
    .orderBy('videos.path')
    .limit(limit)
    .offset(offset)
    .execute();
}

/** Counted in an index of such videos alone. @param search part of a path; '' for all */
export async function countUnplayableVideos(executor: Executor, search: string): Promise<number> {
  const { count } = await unplayable(executor, search).select(countAll().as('count')).executeTakeFirstOrThrow();
  return count;
}

function unplayable(executor: Executor, search: string) {
  const query = executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .where('videos.reason', 'is not', null)
    .where('videos.missing_since', 'is', null)
    .where('library_roots.active', '=', 1);
  if (search === '') return query;
  // Both databases lower the letters of ASCII alone in a path.
  const lower = search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const pattern = `%${lower.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return query.where(sql<boolean>`lower(videos.path) like ${pattern} escape '\\'`);
}
