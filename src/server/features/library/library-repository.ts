import type { Insertable, Selectable, Updateable } from 'kysely';
import { sql } from 'kysely';
import { countAll, inListLength } from '../../database/dialect.ts';
import type { Executor, Flag, VideosTable } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';

/** What a scan has to know of a video to see whether anything has changed. */
export type ScannedVideo = Pick<Selectable<VideosTable>, 'number' | 'path' | 'size' | 'modified_us' | 'reason' | 'missing_since' | 'available'>;

const scannedColumns = ['number', 'path', 'size', 'modified_us', 'reason', 'missing_since', 'available'] as const;

export async function findScanned(executor: Executor, rootNumber: number, paths: readonly string[]): Promise<Map<string, ScannedVideo>> {
  const found = new Map<string, ScannedVideo>();
  for (let from = 0; from < paths.length; from += inListLength) {
    const rows = await executor
      .selectFrom('videos')
      .select(scannedColumns)
      .where('root_number', '=', rootNumber)
      .where('path', 'in', paths.slice(from, from + inListLength))
      .execute();
    for (const row of rows) found.set(row.path, row);
  }
  return found;
}

/** Another node that scans at the same time may have been first: then its row takes these facts. */
export async function insertVideo(executor: Executor, video: Insertable<VideosTable>): Promise<number> {
  const { id, root_number, path, created_at, ...facts } = video;
  const { number } = await executor
    .insertInto('videos')
    .values(video)
    .onConflict((conflict) => conflict.columns(['root_number', 'path']).doUpdateSet(facts))
    .returning('number')
    .executeTakeFirstOrThrow();
  return number;
}

export async function updateVideo(executor: Executor, number: number, facts: Updateable<VideosTable>): Promise<void> {
  await executor.updateTable('videos').set(facts).where('number', '=', number).execute();
}

/** The videos of a root that were there, in pages by number. */
export async function listPresent(executor: Executor, rootNumber: number, afterNumber: number, limit: number): Promise<number[]> {
  const rows = await executor
    .selectFrom('videos')
    .select('number')
    .where('root_number', '=', rootNumber)
    .where('missing_since', 'is', null)
    .where('number', '>', afterNumber)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => row.number);
}

export async function markMissing(executor: Executor, changes: SetChanges, numbers: readonly number[], since: number): Promise<void> {
  for (let from = 0; from < numbers.length; from += inListLength) {
    await executor
      .updateTable('videos')
      .set({ missing_since: since, available: 0 })
      .where('number', 'in', numbers.slice(from, from + inListLength))
      .execute();
  }
  changes.put('available', numbers, false);
}

/**
 * Brings `available` of the next videos of a root in line with whether the root itself is there.
 * @returns the last number looked at, or null when there are no more
 */
export async function alignAvailable(
  executor: Executor,
  changes: SetChanges,
  { rootNumber, isRootThere, afterNumber, limit }: { rootNumber: number; isRootThere: boolean; afterNumber: number; limit: number },
): Promise<number | null> {
  const numbers = await listPresent(executor, rootNumber, afterNumber, limit);
  const last = numbers.at(-1);
  if (last === undefined) return null;
  const available = isRootThere ? sql<Flag>`case when reason is null then 1 else 0 end` : sql<Flag>`0`;
  const aligned = await executor
    .updateTable('videos')
    .set({ available })
    .where('root_number', '=', rootNumber)
    .where('missing_since', 'is', null)
    .where('number', '>', afterNumber)
    .where('number', '<=', last)
    .returning(['number', 'available'])
    .execute();
  for (const video of aligned) changes.put('available', [video.number], video.available === 1);
  return last;
}

/** All videos that are there, and those of them that can be played. */
export async function countVideos(executor: Executor): Promise<{ total: number; available: number }> {
  const total = await executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .select(countAll().as('count'))
    .where('library_roots.active', '=', 1)
    .where('videos.missing_since', 'is', null)
    .executeTakeFirstOrThrow();
  const available = await executor.selectFrom('videos').select(countAll().as('count')).where('available', '=', 1).executeTakeFirstOrThrow();
  return { total: total.count, available: available.count };
}
