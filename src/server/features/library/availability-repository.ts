import { sql } from 'kysely';
import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { Flag } from '../../database/tables/column-types.ts';
import type { Executor } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { needSets } from '../../id-sets/set-changes.ts';
import { isEncoded } from '../../id-sets/source-repository.ts';

/*
 * `available` is written by the library alone, with one of these expressions: a video is available when its file and
 * root are there, nobody has hidden it, and some device plays the file as it is or an encoding of it. In an `update` they
 * see the row as it was before.
 */

/** Some device plays its present file, as it came or by an encoding. */
export const isPlayable = sql<boolean>`(videos.reason is null or ${isEncoded})`;

const isRootThere = sql<boolean>`exists (
  select 1 from library_roots as root
  where root.number = videos.root_number and root.active = 1 and root.missing_since is null
)`;

/** For a video whose file and root are there. */
const availableWhenThere = sql<Flag>`case when videos.hidden_at is null and ${isPlayable} then 1 else 0 end`;
/** For a video that is hidden no more. */
export const availableWhenShown = sql<Flag>`case
  when videos.missing_since is null and ${isPlayable} and ${isRootThere} then 1 else 0 end`;
/** For a video of which nothing but its encodings has changed. */
const availableNow = sql<Flag>`case
  when videos.hidden_at is null and videos.missing_since is null and ${isPlayable} and ${isRootThere} then 1 else 0 end`;

/** For a video whose file is there and is about to be written down. */
export function availableWith({
  reason,
  size,
  modified_us,
}: {
  reason: string | null;
  size: number;
  modified_us: number;
}) {
  if (reason === null) return sql<Flag>`case when hidden_at is null then 1 else 0 end`;
  return sql<Flag>`case when hidden_at is null and exists (
    select 1 from encodings as encoding
    where encoding.video_number = videos.number
      and encoding.size = ${size} and encoding.modified_us = ${modified_us}
  ) then 1 else 0 end`;
}

/** A row as it is after a change: for `returning`. */
export const changedColumns = [
  'videos.number',
  'videos.available',
  'videos.needs',
  sql<Flag>`case when ${isEncoded} then 1 else 0 end`.as('encoded'),
] as const;

export interface ChangedVideo {
  number: number;
  available: Flag;
  needs: NeedBits;
  /** Every device plays it, whatever its source needs. */
  encoded: Flag;
}

/**
 * Puts a changed row into the sets that it belongs to.
 * @param before what it needed until now: it may stand in the sets of these, and in no others
 */
export function recordVideo(changes: SetChanges, video: ChangedVideo, before: NeedBits): void {
  const { number, available, needs, encoded } = video;
  changes.put('available', [number], available === 1);
  for (const { key, bit } of needSets)
    if (((needs | before) & bit) !== 0) changes.put(key, [number], (needs & bit) !== 0 && encoded === 0);
}

/**
 * After encodings of a video came or went, or its file got another time stamp: it can be drawn where it plays by now. As
 * part of the transaction that changed them.
 */
export async function alignEncoded(executor: Executor, changes: SetChanges, number: number): Promise<void> {
  // Whoever else changes encodings of this video has to be done before it is seen which ones there are.
  await executor
    .updateTable('videos')
    .set((row) => ({ available: row.ref('available') }))
    .where('number', '=', number)
    .execute();
  const video = await executor
    .updateTable('videos')
    .set({ available: availableNow })
    .where('number', '=', number)
    .returning(changedColumns)
    .executeTakeFirst();
  if (video !== undefined) recordVideo(changes, video, video.needs);
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
