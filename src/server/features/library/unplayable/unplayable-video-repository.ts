import { sql } from 'kysely';
import { countAll } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import { isEncoded } from '../../../id-sets/source-repository.ts';

/** A file that is there and that nothing plays: not as it is, and not by an encoding. */
export interface UnplayableVideoRow {
  id: string;
  root: string;
  path: string;
  size: number;
  /** A key of `media/unplayable.ts`. */
  reason: string | null;
  /** Why no encoding can be made of it, in words; null when one can, as far as is known. */
  failure: string | null;
}

/** By root and path. */
export async function listUnplayableVideos(
  executor: Executor,
  search: string,
  { limit, offset }: { limit: number; offset: number },
): Promise<UnplayableVideoRow[]> {
  return unplayable(executor, search)
    .leftJoin('media_findings as found', (join) =>
      join
        .onRef('found.video_number', '=', 'videos.number')
        .onRef('found.size', '=', 'videos.size')
        .onRef('found.modified_us', '=', 'videos.modified_us'),
    )
    .select(['videos.id', 'library_roots.name as root', 'videos.path', 'videos.size', 'videos.reason', 'found.failure'])
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
    .where(sql<boolean>`not ${isEncoded}`)
    .where('videos.missing_since', 'is', null)
    .where('library_roots.active', '=', 1);
  if (search === '') return query;
  // Both databases lower the letters of ASCII alone in a path.
  const lower = search.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
  const pattern = `%${lower.replaceAll(/[\\%_]/g, '\\$&')}%`;
  return query.where(sql<boolean>`lower(videos.path) like ${pattern} escape '\\'`);
}
