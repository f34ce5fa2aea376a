import { sql } from 'kysely';
import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { Flag } from '../../database/tables/column-types.ts';
import type { Executor } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { needSets } from '../../id-sets/set-changes.ts';
import { isEncoded } from '../../id-sets/source-repository.ts';

/*
 * Only the library writes `available`, with one of these expressions: a video is available when its
 * file and root exist, it is not hidden, and some device plays its source file or an encoding. An
 * `update` evaluates them on the row before the change.
 */

/** Some device plays the present file or an encoding of it. */
export const isPlayable = sql<boolean>`(videos.reason is null or ${isEncoded})`;

const isRootThere = sql<boolean>`exists (
  select 1 from library_roots as root
  where root.number = videos.root_number and root.active = 1 and root.missing_since is null
)`;

/** For a video whose file and root exist. */
const availableWhenThere = sql<Flag>`case when videos.hidden_at is null and ${isPlayable} then 1 else 0 end`;

/** For a video that is being shown again. */
export const availableWhenShown = sql<Flag>`case
  when videos.missing_since is null and ${isPlayable} and ${isRootThere} then 1 else 0 end`;

/** For a video whose encodings alone have changed. */
const availableNow = sql<Flag>`case
  when videos.hidden_at is null and videos.missing_since is null and ${isPlayable} and ${isRootThere} then 1 else 0 end`;

/** For a video whose file exists and is about to be stored. */
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

/** The columns of a changed row, for `returning`. */
export const changedColumns = [
  'videos.number',
  'videos.available',
  'videos.needs',
  sql<Flag>`case when ${isEncoded} then 1 else 0 end`.as('encoded'),
] as const;

interface ChangedVideo {
  number: number;
  available: Flag;
  needs: NeedBits;
  /** True when the video has an encoding, which every device plays, whatever the source needs. */
  encoded: Flag;
}

/** Keeps `available` equal to what it follows from. */
export const availabilityRepository = {
  /**
   * Puts a changed video into the sets that it belongs to.
   * @param before its previous needs: only the sets of these may still contain it
   */
  record(changes: SetChanges, video: ChangedVideo, before: NeedBits): void {
    const { number, available, needs, encoded } = video;
    changes.put('available', [number], available === 1);
    for (const { key, bit } of needSets)
      if (((needs | before) & bit) !== 0) changes.put(key, [number], (needs & bit) !== 0 && encoded === 0);
  },

  /**
   * Updates a video whose encodings or modification time have changed, within the transaction that
   * changed them: it is available where it plays now.
   */
  async alignEncoded(executor: Executor, changes: SetChanges, number: number): Promise<void> {
    // This locks the row, so that other changes of its encodings are committed before they are
    // read.
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
    if (video !== undefined) availabilityRepository.record(changes, video, video.needs);
  },

  /** Marks videos whose files are missing. */
  async markMissing(executor: Executor, changes: SetChanges, numbers: readonly number[], since: number): Promise<void> {
    await executor
      .updateTable('videos')
      .set({ missing_since: since, available: 0 })
      .where('number', 'in', numbers)
      .execute();
    changes.put('available', numbers, false);
  },

  /** Marks videos whose files are back, unchanged. */
  async markReturned(executor: Executor, changes: SetChanges, numbers: readonly number[]): Promise<void> {
    const returned = await executor
      .updateTable('videos')
      .set({ missing_since: null, available: availableWhenThere })
      .where('number', 'in', numbers)
      .returning(['number', 'available'])
      .execute();
    for (const video of returned) changes.put('available', [video.number], video.available === 1);
  },

  /**
   * Frees the paths of videos that another file has replaced. Their new path belongs to no file: it
   * starts with a slash.
   */
  async park(executor: Executor, changes: SetChanges, numbers: readonly number[], since: number): Promise<void> {
    await executor
      .updateTable('videos')
      .set({ path: sql<string>`'/' || cast(number as text)`, missing_since: since, available: 0 })
      .where('number', 'in', numbers)
      .execute();
    changes.put('available', numbers, false);
  },

  /**
   * Updates `available` of the next videos of a root after the root was found or lost.
   * @returns the last number of the page, or null when there are no more
   */
  async align(
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
  },
};

/** Lists the videos of a root that are not missing, in pages by number. */
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
