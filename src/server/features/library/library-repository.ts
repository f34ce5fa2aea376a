import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import { countAll, inListLength } from '../../database/dialect.ts';
import type { Flag } from '../../database/tables/column-types.ts';
import type { VideosTable } from '../../database/tables/library-tables.ts';
import type { Executor } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';

/*
 * `available` is written by this file and by whoever hides and shows videos, with one of these expressions: a video that
 * an administrator has hidden is never available, whatever becomes of its file. They see the row as it was before.
 */

/** For a video that can be played, whose file and root are there. */
const availableWhenPlayable = sql<Flag>`case when hidden_at is null then 1 else 0 end`;
/** For a video whose file and root are there. */
const availableWhenThere = sql<Flag>`case when reason is null and hidden_at is null then 1 else 0 end`;
/** For a video that is hidden no more. */
export const availableWhenShown = sql<Flag>`case when reason is null and missing_since is null and exists (
  select 1 from library_roots as root
  where root.number = videos.root_number and root.active = 1 and root.missing_since is null
) then 1 else 0 end`;

/** What a scan writes down of a file that is there. */
export type VideoFacts = Omit<
  Insertable<VideosTable>,
  'id' | 'root_number' | 'path' | 'filename' | 'created_at' | 'available' | 'reason' | 'hidden_at' | 'hidden_by'
> &
  Partial<Pick<Insertable<VideosTable>, 'root_number' | 'path' | 'filename'>> & { reason: string | null };

export type NewVideo = Insertable<VideosTable>;

/** Adds videos. One that another node has added meanwhile is left to the next scan. @returns what is new */
export async function insertVideos(
  executor: Executor,
  videos: readonly NewVideo[],
): Promise<{ number: number; root_number: number; path: string; available: Flag }[]> {
  return executor
    .insertInto('videos')
    .values(videos)
    .onConflict((conflict) => conflict.columns(['root_number', 'path']).doNothing())
    .returning(['number', 'root_number', 'path', 'available'])
    .execute();
}

/** By path. */
export async function findNumbers(
  executor: Executor,
  rootNumber: number,
  paths: readonly string[],
): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for (let from = 0; from < paths.length; from += inListLength) {
    const rows = await executor
      .selectFrom('videos')
      .select(['number', 'path'])
      .where('root_number', '=', rootNumber)
      .where('path', 'in', paths.slice(from, from + inListLength))
      .execute();
    for (const row of rows) found.set(row.path, row.number);
  }
  return found;
}

/** @returns whether it is available */
export async function updateVideo(executor: Executor, number: number, facts: VideoFacts): Promise<boolean> {
  const video = await executor
    .updateTable('videos')
    .set({ ...facts, available: facts.reason === null ? availableWhenPlayable : 0 })
    .where('number', '=', number)
    .returning('available')
    .executeTakeFirst();
  return video?.available === 1;
}

/** The videos of a root that were there, in pages by number. */
async function listPresent(
  executor: Executor,
  rootNumber: number,
  afterNumber: number,
  limit: number,
): Promise<number[]> {
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

/** Their files are gone. */
export async function markMissing(
  executor: Executor,
  changes: SetChanges,
  numbers: readonly number[],
  since: number,
): Promise<void> {
  await executor
    .updateTable('videos')
    .set({ missing_since: since, available: 0 })
    .where('number', 'in', numbers)
    .execute();
  changes.put('available', numbers, false);
}

/** Their files are there again, as they were. */
export async function markReturned(executor: Executor, changes: SetChanges, numbers: readonly number[]): Promise<void> {
  const returned = await executor
    .updateTable('videos')
    .set({ missing_since: null, available: availableWhenThere })
    .where('number', 'in', numbers)
    .returning(['number', 'available'])
    .execute();
  for (const video of returned) changes.put('available', [video.number], video.available === 1);
}

/**
 * Takes the place away from videos that something else stands at now. No file has such a path: it begins with a slash.
 */
export async function park(
  executor: Executor,
  changes: SetChanges,
  numbers: readonly number[],
  since: number,
): Promise<void> {
  await executor
    .updateTable('videos')
    .set({ path: sql<string>`'/' || cast(number as text)`, missing_since: since, available: 0 })
    .where('number', 'in', numbers)
    .execute();
  changes.put('available', numbers, false);
}

/**
 * Brings `available` of the next videos of a root in line with whether the root itself is there.
 * @returns the last number looked at, or null when there are no more
 */
export async function alignAvailable(
  executor: Executor,
  changes: SetChanges,
  {
    rootNumber,
    isRootThere,
    afterNumber,
    limit,
  }: { rootNumber: number; isRootThere: boolean; afterNumber: number; limit: number },
): Promise<number | null> {
  const numbers = await listPresent(executor, rootNumber, afterNumber, limit);
  const last = numbers.at(-1);
  if (last === undefined) return null;
  const aligned = await executor
    .updateTable('videos')
    .set({ available: isRootThere ? availableWhenThere : 0 })
    .where('root_number', '=', rootNumber)
    .where('missing_since', 'is', null)
    .where('number', '>', afterNumber)
    .where('number', '<=', last)
    .returning(['number', 'available'])
    .execute();
  for (const video of aligned) changes.put('available', [video.number], video.available === 1);
  return last;
}

/** All videos that are there and not hidden, and those of them that can be played. */
export async function countVideos(executor: Executor): Promise<{ total: number; available: number }> {
  const total = await executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .select(countAll().as('count'))
    .where('library_roots.active', '=', 1)
    .where('videos.missing_since', 'is', null)
    .where('videos.hidden_at', 'is', null)
    .executeTakeFirstOrThrow();
  const available = await executor
    .selectFrom('videos')
    .select(countAll().as('count'))
    .where('available', '=', 1)
    .executeTakeFirstOrThrow();
  return { total: total.count, available: available.count };
}
