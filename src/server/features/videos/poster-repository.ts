import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import { inListLength } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { convertible } from '../../media/unplayable.ts';
import type { FileOfVideo, LibraryVideo } from './video.ts';
import { toVideo } from './video.ts';

export type PosterCandidate = LibraryVideo & { videoCodec: string | null };

export type PosterlessVideo = Pick<Selectable<Tables['videos']>, 'number' | 'id' | 'size' | 'modified_us'>;

/** Posters of videos. */
export const posterRepository = {
  /**
   * The poster of the present file of a video, named by its content; null when there is none or it
   * was made of another file.
   */
  async find(executor: Executor, video: FileOfVideo): Promise<string | null> {
    return (await posterRepository.findMany(executor, [video])).get(video.number) ?? null;
  },

  /** Posters by video number; videos without a poster are left out. */
  async findMany(executor: Executor, videos: readonly FileOfVideo[]): Promise<Map<number, string>> {
    const found = new Map<number, string>();
    for (let from = 0; from < videos.length; from += inListLength) {
      const slice = new Map(videos.slice(from, from + inListLength).map((video) => [video.number, video]));
      const rows = await executor
        .selectFrom('posters')
        .selectAll()
        .where('video_number', 'in', [...slice.keys()])
        .execute();
      for (const row of rows) {
        const video = slice.get(row.video_number);
        if (row.content !== null && video?.size === row.size && video.modifiedUs === row.modified_us)
          found.set(row.video_number, row.content);
      }
    }
    return found;
  },

  async findVideo(executor: Executor, id: string): Promise<LibraryVideo | null> {
    const row = await executor.selectFrom('videos').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toVideo(row);
  },

  /** The video, if its file exists and may be read by ffmpeg. */
  async findCandidate(executor: Executor, number: number): Promise<PosterCandidate | null> {
    const row = await candidates(executor).selectAll('videos').where('videos.number', '=', number).executeTakeFirst();
    return row === undefined ? null : toCandidate(row);
  },

  /**
   * Lists the videos of a range of numbers that have no poster, or one that was made of another
   * file.
   */
  async listPosterless(executor: Executor, after: number, upTo: number): Promise<PosterlessVideo[]> {
    return candidates(executor)
      .leftJoin('posters', (join) =>
        join
          .onRef('posters.video_number', '=', 'videos.number')
          .onRef('posters.size', '=', 'videos.size')
          .onRef('posters.modified_us', '=', 'videos.modified_us'),
      )
      .select(['videos.number', 'videos.id', 'videos.size', 'videos.modified_us'])
      .where('posters.video_number', 'is', null)
      .where('videos.number', '>', after)
      .where('videos.number', '<=', upTo)
      .orderBy('videos.number')
      .execute();
  },

  /**
   * Stores the outcome of an attempt, unless the video has been removed.
   * @returns the content that no video uses any more, or null
   */
  async put(
    executor: Executor,
    changes: Pick<SetChanges, 'touch'>,
    poster: Insertable<Tables['posters']>,
  ): Promise<string | null> {
    const { video_number, ...facts } = poster;
    const before = await executor
      .selectFrom('videos')
      .leftJoin('posters', 'posters.video_number', 'videos.number')
      .select('posters.content')
      .where('videos.number', '=', video_number)
      .executeTakeFirst();
    if (before === undefined) return findUnused(executor, poster.content);
    await executor
      .insertInto('posters')
      .values(poster)
      .onConflict((conflict) => conflict.column('video_number').doUpdateSet(facts))
      .execute();
    changes.touch(video_number);
    return findUnused(executor, before.content);
  },

  async forget(executor: Executor, changes: Pick<SetChanges, 'touch'>, videoNumber: number): Promise<void> {
    await executor.deleteFrom('posters').where('video_number', '=', videoNumber).execute();
    changes.touch(videoNumber);
  },

  /**
   * Deletes the posters of the next videos.
   * @returns the last number of them, or null when there were none
   */
  async forgetMany(
    executor: Executor,
    changes: Pick<SetChanges, 'touch'>,
    after: number,
    limit: number,
  ): Promise<number | null> {
    const rows = await executor
      .selectFrom('posters')
      .select('video_number')
      .where('video_number', '>', after)
      .orderBy('video_number')
      .limit(limit)
      .execute();
    const last = rows.at(-1)?.video_number;
    if (last === undefined) return null;
    await executor.deleteFrom('posters').where('video_number', '>', after).where('video_number', '<=', last).execute();
    for (const row of rows) changes.touch(row.video_number);
    return last;
  },

  /** Returns those of the given contents that a poster still uses. */
  async findUsedContents(executor: Executor, contents: readonly string[]): Promise<Set<string>> {
    const used = new Set<string>();
    for (let from = 0; from < contents.length; from += inListLength) {
      const rows = await executor
        .selectFrom('posters')
        .select(sql<string>`content`.as('content'))
        .distinct()
        .where('content', 'in', contents.slice(from, from + inListLength))
        .execute();
      for (const row of rows) used.add(row.content);
    }
    return used;
  },
};

function candidates(executor: Executor) {
  return executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .where('library_roots.active', '=', 1)
    .where('videos.missing_since', 'is', null)
    .where((where) => where.or([where('videos.reason', 'is', null), where('videos.reason', 'in', convertible)]));
}

function toCandidate(row: Selectable<Tables['videos']>): PosterCandidate {
  return { ...toVideo(row), videoCodec: row.video_codec };
}

/** Returns null when a video still uses the content. */
async function findUnused(executor: Executor, content: string | null | undefined): Promise<string | null> {
  if (content === null || content === undefined) return null;
  return (await posterRepository.findUsedContents(executor, [content])).has(content) ? null : content;
}
