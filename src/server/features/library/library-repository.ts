import type { Insertable } from 'kysely';
import type { NeedBits } from '#contract/rules/media/needs.ts';
import { countAll, inListLength } from '../../database/dialect.ts';
import type { VideosTable } from '../../database/tables/library-tables.ts';
import type { Executor } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { recordNames } from '../search/name-index-repository.ts';
import { availableWith, changedColumns, recordVideo } from './availability-repository.ts';

/** What a scan writes down of a file that is there. */
export type VideoFacts = Omit<
  Insertable<VideosTable>,
  'id' | 'root_number' | 'path' | 'filename' | 'created_at' | 'available' | 'reason' | 'hidden_at' | 'hidden_by'
> &
  Partial<Pick<Insertable<VideosTable>, 'root_number' | 'path' | 'filename'>> & { reason: string | null };

/** A video whose file is there. */
export type NewVideo = Omit<Insertable<VideosTable>, 'number' | 'available' | 'missing_since'>;

/** Adds videos, whose names are found from then on. One that another node has added meanwhile is left to the next scan. @returns what is new */
export async function insertVideos(
  executor: Executor,
  changes: SetChanges,
  videos: readonly NewVideo[],
): Promise<{ number: number; root_number: number; path: string }[]> {
  const added = await executor
    .insertInto('videos')
    .values(
      videos.map((video) => ({
        ...video,
        missing_since: null,
        available: (video.reason ?? video.hidden_at ?? null) === null ? 1 : 0,
      })),
    )
    .onConflict((conflict) => conflict.columns(['root_number', 'path']).doNothing())
    .returning(['number', 'root_number', 'path', 'available', 'needs'])
    .execute();
  for (const video of added) recordVideo(changes, { ...video, encoded: 0 }, 0);
  await recordNames(
    executor,
    changes,
    added.map(({ number }) => ({ number })),
  );
  return added;
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

/** @param video with what its file needed until now */
export async function updateVideo(
  executor: Executor,
  changes: SetChanges,
  video: { number: number; needs: NeedBits },
  facts: VideoFacts,
): Promise<void> {
  const changed = await executor
    .updateTable('videos')
    .set({ ...facts, available: availableWith(facts) })
    .where('number', '=', video.number)
    .returning(changedColumns)
    .executeTakeFirst();
  if (changed !== undefined) recordVideo(changes, changed, video.needs);
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
