import type { Insertable } from 'kysely';
import { inListLength } from '../../database/dialect.ts';
import type { StoryboardsTable } from '../../database/tables/encoding-tables.ts';
import type { Executor } from '../../database/tables.ts';
import type { Video } from './video.ts';

/** A sheet of stills that was made of the present file of its video. */
export interface StoredStoryboard {
  /** Names the sheet by its content. */
  content: string;
  columns: number;
  rows: number;
  /** Pixels of one still. */
  tileWidth: number;
  tileHeight: number;
  intervalMs: number;
}

/** By video number; videos without one are left out. */
export async function findStoryboards(
  executor: Executor,
  videos: readonly Pick<Video, 'number' | 'size' | 'modifiedUs'>[],
): Promise<Map<number, StoredStoryboard>> {
  const found = new Map<number, StoredStoryboard>();
  for (let from = 0; from < videos.length; from += inListLength) {
    const slice = new Map(videos.slice(from, from + inListLength).map((video) => [video.number, video]));
    const sheets = await executor
      .selectFrom('storyboards')
      .selectAll()
      .where('video_number', 'in', [...slice.keys()])
      .execute();
    for (const { video_number: number, size, modified_us, content, columns, rows, ...tiles } of sheets) {
      const video = slice.get(number);
      if (video?.size !== size || video.modifiedUs !== modified_us) continue;
      const { tile_width: tileWidth, tile_height: tileHeight, interval_ms: intervalMs } = tiles;
      found.set(number, { content, columns, rows, tileWidth, tileHeight, intervalMs });
    }
  }
  return found;
}

/** Takes the place of the one before. @returns the content that has no row any more, if that was so */
export async function putStoryboard(
  executor: Executor,
  storyboard: Insertable<StoryboardsTable>,
): Promise<string | null> {
  const { video_number, ...facts } = storyboard;
  const before = await executor
    .selectFrom('storyboards')
    .select('content')
    .where('video_number', '=', video_number)
    .executeTakeFirst();
  await executor
    .insertInto('storyboards')
    .values(storyboard)
    .onConflict((conflict) => conflict.column('video_number').doUpdateSet(facts))
    .execute();
  return before === undefined || before.content === storyboard.content ? null : before.content;
}

/** Unless another sheet has taken the place of this one. */
export async function forgetStoryboard(executor: Executor, videoNumber: number, content: string): Promise<void> {
  await executor
    .deleteFrom('storyboards')
    .where('video_number', '=', videoNumber)
    .where('content', '=', content)
    .execute();
}
