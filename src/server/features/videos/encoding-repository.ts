import type { Insertable } from 'kysely';
import type { Rendition } from '#contract/rules/rendition.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { DerivedFile } from '../../storage/derived-files.ts';
import type { FileOfVideo } from './video.ts';

/** An encoding of the present file of its video. */
export interface StoredEncoding {
  rendition: Rendition;
  /** Identifies the file by its content. */
  content: string;
  bytes: number;
  width: number;
  height: number;
  /** Epoch milliseconds. */
  madeAt: number;
}

const derivedTables = [
  { table: 'encodings', extension: '.mp4' },
  { table: 'storyboards', extension: '.webp' },
  { table: 'subtitles', extension: '.vtt' },
  { table: 'subtitles_beside', extension: '.vtt' },
] as const;

/** A storyboard of the present file of its video. */
export interface StoredStoryboard {
  /** Identifies the storyboard by its content. */
  content: string;
  columns: number;
  rows: number;
  /** Pixels of one still. */
  tileWidth: number;
  tileHeight: number;
  intervalMs: number;
}

/** Encodings and storyboards of videos. */
export const encodingRepository = {
  async find(executor: Executor, video: FileOfVideo): Promise<StoredEncoding[]> {
    return (await listEncodings(executor, [video])).get(video.number) ?? [];
  },

  /**
   * Replaces the encoding of the same rendition.
   * @returns the content that lost its row, or null
   */
  async put(executor: Executor, encoding: Insertable<Tables['encodings']>): Promise<string | null> {
    const { video_number, rendition, ...facts } = encoding;
    const before = await executor
      .selectFrom('encodings')
      .select('content')
      .where('video_number', '=', video_number)
      .where('rendition', '=', rendition)
      .executeTakeFirst();
    await executor
      .insertInto('encodings')
      .values(encoding)
      .onConflict((conflict) => conflict.columns(['video_number', 'rendition']).doUpdateSet(facts))
      .execute();
    return before === undefined || before.content === encoding.content ? null : before.content;
  },

  /** Deletes all encodings whose file has this content. @returns the numbers of their videos */
  async remove(executor: Executor, content: string): Promise<number[]> {
    const removed = await executor
      .deleteFrom('encodings')
      .where('content', '=', content)
      .returning('video_number')
      .execute();
    return [...new Set(removed.map((row) => row.video_number))];
  },

  /** Lists all files derived from a video, including those of earlier versions of its source. */
  async listDerivedFiles(executor: Executor, videoNumber: number): Promise<DerivedFile[]> {
    const files: DerivedFile[] = [];
    for (const { table, extension } of derivedTables) {
      const rows = await executor
        .selectFrom(table)
        .select('content')
        .distinct()
        .where('video_number', '=', videoNumber)
        .execute();
      files.push(...rows.map(({ content }) => ({ content, extension })));
    }
    return files;
  },

  /** Storyboards by video number; videos without one are left out. */
  async findStoryboards(executor: Executor, videos: readonly FileOfVideo[]): Promise<Map<number, StoredStoryboard>> {
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
  },

  /** Replaces the storyboard of the video. @returns the content that lost its row, or null */
  async putStoryboard(executor: Executor, storyboard: Insertable<Tables['storyboards']>): Promise<string | null> {
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
  },

  /** Deletes the row, unless another storyboard has replaced this one. */
  async forgetStoryboard(executor: Executor, videoNumber: number, content: string): Promise<void> {
    await executor
      .deleteFrom('storyboards')
      .where('video_number', '=', videoNumber)
      .where('content', '=', content)
      .execute();
  },
};

/** Encodings by video number; videos without an encoding are left out. */
async function listEncodings(
  executor: Executor,
  videos: readonly FileOfVideo[],
): Promise<Map<number, StoredEncoding[]>> {
  const found = new Map<number, StoredEncoding[]>();
  for (let from = 0; from < videos.length; from += inListLength) {
    const slice = new Map(videos.slice(from, from + inListLength).map((video) => [video.number, video]));
    const rows = await executor
      .selectFrom('encodings')
      .selectAll()
      .where('video_number', 'in', [...slice.keys()])
      .execute();
    for (const {
      video_number: number,
      size,
      modified_us,
      rendition,
      content,
      bytes,
      width,
      height,
      made_at: madeAt,
    } of rows) {
      const video = slice.get(number);
      if (video?.size !== size || video.modifiedUs !== modified_us) continue;
      found.set(number, [...(found.get(number) ?? []), { rendition, content, bytes, width, height, madeAt }]);
    }
  }
  return found;
}
