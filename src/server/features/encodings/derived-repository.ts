import { sql } from 'kysely';
import type { Rendition } from '#contract/rules/rendition.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { FileOfVideo } from '../videos/video.ts';

/** Tables whose rows name the version of the source file that they were made of. */
const ofFile = ['encodings', 'audio_encodings', 'storyboards', 'subtitles'] as const;

/** All whose rows go when the source file has changed. */
const versionedTables = [...ofFile, 'media_findings'] as const;

const derivedTables = [...ofFile, 'subtitles_beside'] as const;

/** A derived item that can be removed on its own to make room. */
export interface StoredItem {
  videoNumber: number;
  /** Null for the storyboard and the subtitles of a video without an encoding. */
  rendition: Rendition | null;
  /** The content that identifies the encoding; null likewise. */
  content: string | null;
  bytes: number;
  /** Epoch milliseconds of the last use, or of the creation. */
  usedAt: number;
  /** The video cannot be played without this item. */
  isNeeded: boolean;
}

/** Files that are made from videos, whatever their kind. */
export const derivedFileRepository = {
  /** The total size of all derived files; equal content counts once. */
  async sumBytes(executor: Executor): Promise<number> {
    const { rows } = await sql<{ bytes: number | null }>`
      select sum(bytes) as bytes from (
        select content, max(bytes) as bytes from encodings group by content
        union all select content, max(bytes) as bytes from audio_encodings group by content
        union all select content, max(bytes) as bytes from storyboards group by content
        union all select content, max(bytes) as bytes from subtitles group by content
        union all select content, max(bytes) as bytes from subtitles_beside group by content
      ) as contents`.execute(executor);
    return Number(rows[0]?.bytes ?? 0);
  },

  /** Returns those of the given contents that a row still uses. */
  async findUsedContents(executor: Executor, contents: readonly string[]): Promise<Set<string>> {
    const used = new Set<string>();
    for (let from = 0; from < contents.length; from += inListLength) {
      const slice = contents.slice(from, from + inListLength);
      for (const table of derivedTables) {
        const rows = await executor.selectFrom(table).select('content').where('content', 'in', slice).execute();
        for (const row of rows) used.add(row.content);
      }
    }
    return used;
  },

  /** Whether the video exists and its file is still the given version. */
  async isPresent(executor: Executor, { number, size, modifiedUs }: FileOfVideo): Promise<boolean> {
    const row = await executor
      .selectFrom('videos')
      .select('number')
      .where('number', '=', number)
      .where('size', '=', size)
      .where('modified_us', '=', modifiedUs)
      .executeTakeFirst();
    return row !== undefined;
  },

  /**
   * Finds the videos numbered above `after` up to `until` that have rows of an outdated version of
   * their source file.
   */
  async findOutdated(executor: Executor, after: number, until: number): Promise<number[]> {
    const found = new Set<number>();
    for (const table of versionedTables) {
      const rows = await executor
        .selectFrom(table)
        .select('video_number')
        .where('video_number', '>', after)
        .where('video_number', '<=', until)
        .where(isOutdated(table))
        .execute();
      for (const row of rows) found.add(row.video_number);
    }
    return [...found];
  },

  /**
   * Deletes the rows of these videos that are of an outdated version.
   * @returns the videos that lost an encoding by it
   */
  async forgetOutdated(transaction: Executor, videoNumbers: readonly number[]): Promise<number[]> {
    const lost = new Set<number>();
    for (const table of versionedTables) {
      const rows = await transaction
        .deleteFrom(table)
        .where('video_number', 'in', videoNumbers)
        .where(isOutdated(table))
        .returning('video_number')
        .execute();
      if (table === 'encodings') for (const row of rows) lost.add(row.video_number);
    }
    return [...lost];
  },

  /** Lists all items at once: the budget holds some thousands of encodings. */
  async list(executor: Executor): Promise<StoredItem[]> {
    return [...(await listEncodingItems(executor)), ...(await listExtraItems(executor))];
  },

  /** @returns whether the item still existed and had not been used since it was listed */
  async delete(executor: Executor, item: StoredItem): Promise<boolean> {
    return item.rendition === null ? deleteExtras(executor, item) : deleteEncoding(executor, item);
  },
};

function isOutdated(table: string) {
  return sql<boolean>`not exists (
    select 1 from videos where videos.number = ${sql.ref(`${table}.video_number`)}
      and videos.size = ${sql.ref(`${table}.size`)} and videos.modified_us = ${sql.ref(`${table}.modified_us`)}
  )`;
}

async function listEncodingItems(executor: Executor): Promise<StoredItem[]> {
  const rows = await executor
    .selectFrom('encodings')
    .innerJoin('videos', 'videos.number', 'encodings.video_number')
    .select(['video_number', 'rendition', 'content', 'bytes', 'used_at', 'videos.reason'])
    .unionAll(
      executor
        .selectFrom('audio_encodings')
        .select(['video_number', 'rendition', 'content', 'bytes', 'used_at'])
        // A video plays without them.
        .select(sql<string | null>`cast(null as text)`.as('reason')),
    )
    .execute();
  const withGrid = new Set(rows.filter(({ rendition }) => rendition === 'grid').map((row) => row.video_number));
  return rows.map(({ video_number: videoNumber, rendition, content, bytes, used_at: usedAt, reason }) => ({
    videoNumber,
    rendition,
    content,
    bytes,
    usedAt,
    // Viewers who are limited to `grid` need that rendition.
    isNeeded: reason !== null && (rendition === 'grid' || !withGrid.has(videoNumber)),
  }));
}

async function listExtraItems(executor: Executor): Promise<StoredItem[]> {
  const { rows } = await sql<{ video_number: number; bytes: number; found_at: number }>`
    select extras.video_number, sum(extras.bytes) as bytes, max(found.found_at) as found_at
    from (
      select video_number, bytes from storyboards union all select video_number, bytes from subtitles
      union all select video_number, bytes from subtitles_beside
    ) as extras
    left join media_findings as found on found.video_number = extras.video_number
    where not exists (select 1 from encodings where encodings.video_number = extras.video_number)
    group by extras.video_number`.execute(executor);
  return rows.map((row) => ({
    videoNumber: row.video_number,
    rendition: null,
    content: null,
    bytes: Number(row.bytes),
    usedAt: Number(row.found_at ?? 0),
    isNeeded: false,
  }));
}

async function deleteEncoding(executor: Executor, { videoNumber, content, usedAt }: StoredItem): Promise<boolean> {
  let isDeleted = false;
  for (const table of ['encodings', 'audio_encodings'] as const) {
    const rows = await executor
      .deleteFrom(table)
      .where('video_number', '=', videoNumber)
      .where('content', '=', content ?? '')
      .where('used_at', '=', usedAt)
      .returning('content')
      .execute();
    isDeleted ||= rows.length > 0;
  }
  return isDeleted;
}

/**
 * Deletes the findings too, so that the next request inspects the file and the files beside it
 * again.
 */
async function deleteExtras(executor: Executor, { videoNumber }: StoredItem): Promise<boolean> {
  for (const table of ['storyboards', 'subtitles', 'subtitles_beside'] as const)
    await executor.deleteFrom(table).where('video_number', '=', videoNumber).execute();
  await executor
    .deleteFrom('media_findings')
    .where('video_number', '=', videoNumber)
    .where('failure', 'is', null)
    .execute();
  return true;
}
