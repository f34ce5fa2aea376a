import type { Executor } from '../../database/tables.ts';
import type { StoredEncoding } from './encodings/encoding-repository.ts';
import { listEncodings } from './encodings/encoding-repository.ts';
import type { StoredStoryboard } from './storyboard-repository.ts';
import { findStoryboards } from './storyboard-repository.ts';
import type { Video } from './video.ts';
import { toVideo } from './video.ts';

/** What a card shows of a video. */
export interface VideoCard {
  video: Video;
  /** Names the poster by its content; null without one. */
  poster: string | null;
  encodings: readonly StoredEncoding[];
  storyboard: StoredStoryboard | null;
  /** Epoch milliseconds. */
  createdAt: number;
}

/**
 * Available videos with what was made of their present files, by number; the others are left out. At most
 * `inListLength` of them.
 */
export async function readVideoCards(
  executor: Executor,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, VideoCard>> {
  if (numbers.length === 0) return new Map();
  const rows = await executor
    .selectFrom('videos')
    .leftJoin('posters', (join) =>
      join
        .onRef('posters.video_number', '=', 'videos.number')
        .onRef('posters.size', '=', 'videos.size')
        .onRef('posters.modified_us', '=', 'videos.modified_us'),
    )
    .selectAll('videos')
    .select('posters.content')
    .where('videos.number', 'in', numbers)
    .where('videos.available', '=', 1)
    .execute();
  const videos = rows.map(toVideo);
  const [encodings, storyboards] = await Promise.all([
    listEncodings(executor, videos),
    findStoryboards(executor, videos),
  ]);
  return new Map(
    rows.map((row, index) => [
      row.number,
      {
        video: videos[index] ?? toVideo(row),
        poster: row.content,
        encodings: encodings.get(row.number) ?? [],
        storyboard: storyboards.get(row.number) ?? null,
        createdAt: row.created_at,
      },
    ]),
  );
}

/** Numbers of the tags on each of some videos, active or not. At most `inListLength` videos. */
export async function readTagNumbers(
  executor: Executor,
  numbers: readonly number[],
): Promise<ReadonlyMap<number, readonly number[]>> {
  const found = new Map<number, number[]>(numbers.map((number) => [number, []]));
  if (numbers.length === 0) return found;
  const links = await executor.selectFrom('video_tags').selectAll().where('video_number', 'in', numbers).execute();
  for (const link of links) found.get(link.video_number)?.push(link.tag_number);
  return found;
}
