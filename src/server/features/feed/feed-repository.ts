import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { Executor } from '../../database/tables.ts';

/** A video that is there, and that nothing plays, or not every device. */
export interface Unplayable {
  number: number;
  /** A key of `media/unplayable.ts`; null where some devices play it. */
  reason: string | null;
  needs: NeedBits;
  /** Why no encoding can be made of its present file; null when one can, as far as is known. */
  failure: string | null;
}

/** Those of some videos that are there and not hidden, newest first. */
export async function findPresent(executor: Executor, numbers: readonly number[]): Promise<Unplayable[]> {
  if (numbers.length === 0) return [];
  return present(executor).where('videos.number', 'in', numbers).execute();
}

/** All that are there and that nothing plays, in pages, newest first. @param beforeNumber null: the newest */
export async function listUnplayable(
  executor: Executor,
  beforeNumber: number | null,
  limit: number,
): Promise<Unplayable[]> {
  return present(executor)
    .where('videos.available', '=', 0)
    .$if(beforeNumber !== null, (query) => query.where('videos.number', '<', beforeNumber ?? 0))
    .limit(limit)
    .execute();
}

function present(executor: Executor) {
  return executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .leftJoin('media_findings as found', (join) =>
      join
        .onRef('found.video_number', '=', 'videos.number')
        .onRef('found.size', '=', 'videos.size')
        .onRef('found.modified_us', '=', 'videos.modified_us'),
    )
    .select(['videos.number', 'videos.reason', 'videos.needs', 'found.failure'])
    .where('videos.missing_since', 'is', null)
    .where('videos.hidden_at', 'is', null)
    .where('library_roots.active', '=', 1)
    .orderBy('videos.number', 'desc');
}
