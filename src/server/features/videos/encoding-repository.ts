import type { Insertable } from 'kysely';
import { sql } from 'kysely';
import type { Rendition } from '#contract/rules/rendition.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
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
  /** The audio track that a viewer has chosen; absent in an encoding with the default one. */
  audio?: { track: number; language: string | null };
}

/** The encodings with the default audio track. */
export function withDefaultAudio<E extends Pick<StoredEncoding, 'audio'>>(encodings: readonly E[]): E[] {
  return encodings.filter(({ audio }) => audio === undefined);
}

const derivedTables = [
  { table: 'encodings', extension: '.mp4' },
  { table: 'audio_encodings', extension: '.mp4' },
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
  /** Lists the encodings of a video, those with another audio track among them. */
  async find(executor: Executor, video: FileOfVideo): Promise<StoredEncoding[]> {
    return (await encodingRepository.findMany(executor, [video])).get(video.number) ?? [];
  },

  /** Encodings by video number; videos without an encoding are left out. */
  async findMany(executor: Executor, videos: readonly FileOfVideo[]): Promise<Map<number, StoredEncoding[]>> {
    const found = new Map<number, StoredEncoding[]>();
    for (let from = 0; from < videos.length; from += inListLength) {
      const slice = new Map(videos.slice(from, from + inListLength).map((video) => [video.number, video]));
      const rows = await executor
        .selectFrom('encodings')
        .select(shared)
        .select([
          sql<number | null>`cast(null as integer)`.as('track'),
          sql<string | null>`cast(null as text)`.as('language'),
        ])
        .where('video_number', 'in', [...slice.keys()])
        .unionAll(
          executor
            .selectFrom('audio_encodings')
            .select(shared)
            .select(['track', 'language'])
            .where('video_number', 'in', [...slice.keys()]),
        )
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
        track,
        language,
      } of rows) {
        const video = slice.get(number);
        if (video?.size !== size || video.modifiedUs !== modified_us) continue;
        const audio = track === null ? {} : { audio: { track, language } };
        const encoding = { rendition, content, bytes, width, height, madeAt, ...audio };
        found.set(number, [...(found.get(number) ?? []), encoding]);
      }
    }
    return found;
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

  /** Replaces the encoding of the same rendition with the same audio track. */
  async putAudio(
    executor: Executor,
    changes: Pick<SetChanges, 'touch'>,
    encoding: Insertable<Tables['audio_encodings']>,
  ): Promise<void> {
    const { video_number, rendition, track, ...facts } = encoding;
    await executor
      .insertInto('audio_encodings')
      .values(encoding)
      .onConflict((conflict) => conflict.columns(['video_number', 'track', 'rendition']).doUpdateSet(facts))
      .execute();
    changes.touch(video_number);
  },

  /** Deletes all encodings whose file has this content. @returns the numbers of their videos */
  async remove(executor: Executor, content: string): Promise<number[]> {
    const removed: { video_number: number }[] = [];
    for (const table of ['encodings', 'audio_encodings'] as const)
      removed.push(
        ...(await executor.deleteFrom(table).where('content', '=', content).returning('video_number').execute()),
      );
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
  async forgetStoryboard(
    executor: Executor,
    changes: Pick<SetChanges, 'touch'>,
    videoNumber: number,
    content: string,
  ): Promise<void> {
    await executor
      .deleteFrom('storyboards')
      .where('video_number', '=', videoNumber)
      .where('content', '=', content)
      .execute();
    changes.touch(videoNumber);
  },
};

const shared = [
  ...(['video_number', 'size', 'modified_us', 'rendition', 'content'] as const),
  ...(['bytes', 'width', 'height', 'made_at'] as const),
] as const;
