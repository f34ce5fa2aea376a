import type { Executor } from '../../database/tables.ts';

export interface Unplayable {
  number: number;
  /** A key of `media/unplayable.ts`. */
  reason: string | null;
}

/** Those of some videos that are there, not hidden, and cannot be played. */
export async function findUnplayable(executor: Executor, numbers: readonly number[]): Promise<Unplayable[]> {
  if (numbers.length === 0) return [];
  return unplayable(executor).where('videos.number', 'in', numbers).execute();
}

/** All that are there and cannot be played, in ascending pages. */
export async function listUnplayable(executor: Executor, afterNumber: number, limit: number): Promise<Unplayable[]> {
  return unplayable(executor).where('videos.number', '>', afterNumber).orderBy('videos.number').limit(limit).execute();
}

function unplayable(executor: Executor) {
  return executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .select(['videos.number', 'videos.reason'])
    .where('videos.available', '=', 0)
    .where('videos.missing_since', 'is', null)
    .where('videos.hidden_at', 'is', null)
    .where('library_roots.active', '=', 1);
}
