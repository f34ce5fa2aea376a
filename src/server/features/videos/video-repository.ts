import { sql } from 'kysely';
import type { TagLabel } from '#contract/entities/tag.ts';
import type { TagAudience } from '#contract/rules/tag.ts';
import { inListLength } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { StoredEncoding, StoredStoryboard } from './encoding-repository.ts';
import type { LibraryVideo } from './video.ts';
import { toVideo } from './video.ts';

/** The data that a card shows of a video. */
export interface VideoCardRow {
  video: LibraryVideo;
  /** Identifies the poster by its content; null without one. */
  poster: string | null;
  encodings: readonly StoredEncoding[];
  storyboard: StoredStoryboard | null;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** A tag of a video, and for whom it is. */
export interface TagForSome extends TagLabel {
  audience: TagAudience;
}

/** A tag on a video, active or not. */
export interface TagLink {
  tagNumber: number;
  isByFolder: boolean;
}

interface VideoState
  extends Pick<LibraryVideo, 'number' | 'rootNumber' | 'path' | 'filename' | 'givenTitle' | 'isHidden'> {
  isMissing: boolean;
}

/** Reads videos. */
export const videoRepository = {
  async findByPath(executor: Executor, rootNumber: number, path: string): Promise<LibraryVideo | null> {
    const row = await executor
      .selectFrom('videos')
      .selectAll()
      .where('root_number', '=', rootNumber)
      .where('path', '=', path)
      .executeTakeFirst();
    return row === undefined ? null : toVideo(row);
  },

  async findByNumber(executor: Executor, number: number): Promise<LibraryVideo | null> {
    const row = await executor.selectFrom('videos').selectAll().where('number', '=', number).executeTakeFirst();
    return row === undefined ? null : toVideo(row);
  },

  /**
   * Video numbers by path, for at most `inListLength` paths; paths without a video are left out.
   */
  async findNumbersByPath(
    executor: Executor,
    rootNumber: number,
    paths: readonly string[],
  ): Promise<ReadonlyMap<string, number>> {
    const rows = await executor
      .selectFrom('videos')
      .select(['path', 'number'])
      .where('root_number', '=', rootNumber)
      .where('path', 'in', paths.slice(0, inListLength))
      .execute();
    return new Map(rows.map((row) => [row.path, row.number]));
  },

  /** Video numbers for at most `inListLength` ids; ids without a video are left out. */
  async findNumbers(executor: Executor, ids: readonly string[]): Promise<number[]> {
    if (ids.length === 0) return [];
    const rows = await executor
      .selectFrom('videos')
      .select('number')
      .where('id', 'in', ids.slice(0, inListLength))
      .execute();
    return rows.map((row) => row.number);
  },

  /**
   * Whether videos are hidden or missing, and what they are called, for at most `inListLength` ids;
   * ids without a video are left out. A file in a folder that cannot be reached is not missing.
   */
  async findStates(executor: Executor, ids: readonly string[]): Promise<ReadonlyMap<string, VideoState>> {
    if (ids.length === 0) return new Map();
    const rows = await executor
      .selectFrom('videos')
      .select(['id', 'number', 'hidden_at', 'missing_since'])
      .select(['root_number', 'path', 'filename', 'edited_title', 'found_title'])
      .where('id', 'in', ids.slice(0, inListLength))
      .execute();
    const toState = (row: (typeof rows)[number]): VideoState => ({
      ...{ number: row.number, rootNumber: row.root_number, path: row.path },
      ...{ filename: row.filename, givenTitle: row.edited_title ?? row.found_title },
      ...{ isHidden: row.hidden_at !== null, isMissing: row.missing_since !== null },
    });
    return new Map(rows.map((row) => [row.id, toState(row)]));
  },

  /** The highest video number assigned so far. */
  async readLastNumber(executor: Executor): Promise<number> {
    const row = await executor
      .selectFrom('videos')
      .select((select) => select.fn.max<number | null>('number').as('last'))
      .executeTakeFirstOrThrow();
    return row.last ?? 0;
  },

  /** Adds playing time in milliseconds by video id. Ids without a video are left out. */
  async addPlayed(transaction: Executor, played: ReadonlyMap<string, number>): Promise<void> {
    const ids = [...played.keys()];
    for (let from = 0; from < ids.length; from += inListLength) {
      const rows = await transaction
        .selectFrom('videos')
        .select(['id', 'number'])
        .where('id', 'in', ids.slice(from, from + inListLength))
        .execute();
      if (rows.length === 0) continue;
      await transaction
        .insertInto('video_plays')
        .values(rows.map(({ id, number }) => ({ video_number: number, played_ms: played.get(id) ?? 0 })))
        .onConflict((conflict) =>
          conflict
            .column('video_number')
            .doUpdateSet((row) => ({ played_ms: sql`video_plays.played_ms + ${row.ref('excluded.played_ms')}` })),
        )
        .execute();
    }
  },

  /** For how many milliseconds a video was played, by all viewers. */
  async readPlayed(executor: Executor, number: number): Promise<number> {
    const row = await executor
      .selectFrom('video_plays')
      .select('played_ms')
      .where('video_number', '=', number)
      .executeTakeFirst();
    return row?.played_ms ?? 0;
  },

  /** The numbers of the videos that were played longest. */
  async listMostPlayed(executor: Executor, limit: number): Promise<number[]> {
    const rows = await executor
      .selectFrom('video_plays')
      .select('video_number')
      .orderBy('played_ms', 'desc')
      .orderBy('video_number', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ video_number }) => video_number);
  },

  /** The active tags of each of at most `inListLength` videos, by name. */
  async readTagLabels(executor: Executor, numbers: readonly number[]): Promise<ReadonlyMap<number, TagForSome[]>> {
    const found = new Map<number, TagForSome[]>(numbers.map((number) => [number, []]));
    const rows = await executor
      .selectFrom('video_tags')
      .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
      .select(['video_tags.video_number', 'tags.id', 'tags.name', 'tags.color', 'tags.audience'])
      .where('video_tags.video_number', 'in', numbers)
      .where('tags.active', '=', 1)
      .orderBy('tags.name_key')
      .execute();
    for (const { video_number: number, ...label } of rows) found.get(number)?.push(label);
    return found;
  },

  /**
   * Available videos by number, with everything derived from their present files; others are left
   * out. Takes at most `inListLength` numbers.
   */
  async readCards(executor: Executor, numbers: readonly number[]): Promise<ReadonlyMap<number, VideoCardRow>> {
    if (numbers.length === 0) return new Map();
    const cards = new Map<number, EncodedCard>();
    for (const row of await findRows(executor, numbers)) {
      const card = cards.get(row.number) ?? toCard(row);
      const encoding = toEncoding(row);
      if (encoding !== null) card.encodings.push(encoding);
      cards.set(row.number, card);
    }
    return cards;
  },

  /** The tags of each of at most `inListLength` videos. */
  async readTagLinks(executor: Executor, numbers: readonly number[]): Promise<ReadonlyMap<number, readonly TagLink[]>> {
    const found = new Map<number, TagLink[]>(numbers.map((number) => [number, []]));
    if (numbers.length === 0) return found;
    const links = await executor.selectFrom('video_tags').selectAll().where('video_number', 'in', numbers).execute();
    for (const { video_number, tag_number, by_folder } of links)
      found.get(video_number)?.push({ tagNumber: tag_number, isByFolder: by_folder === 1 });
    return found;
  },
};

type EncodedCard = VideoCardRow & { encodings: StoredEncoding[] };

/** Returns a row for each encoding of a video; a video without encodings has one row. */
function findRows(executor: Executor, numbers: readonly number[]) {
  return executor
    .selectFrom('videos')
    .leftJoin('posters', (join) =>
      join
        .onRef('posters.video_number', '=', 'videos.number')
        .onRef('posters.size', '=', 'videos.size')
        .onRef('posters.modified_us', '=', 'videos.modified_us'),
    )
    .leftJoin('storyboards', (join) =>
      join
        .onRef('storyboards.video_number', '=', 'videos.number')
        .onRef('storyboards.size', '=', 'videos.size')
        .onRef('storyboards.modified_us', '=', 'videos.modified_us'),
    )
    .leftJoin('encodings', (join) =>
      join
        .onRef('encodings.video_number', '=', 'videos.number')
        .onRef('encodings.size', '=', 'videos.size')
        .onRef('encodings.modified_us', '=', 'videos.modified_us'),
    )
    .selectAll('videos')
    .select(['posters.content as poster', 'storyboards.content as sheet'])
    .select(['columns', 'rows', 'tile_width', 'tile_height', 'interval_ms'])
    .select(['rendition', 'encodings.content as encoding_content', 'encodings.bytes', 'encodings.made_at'])
    .select(['encodings.width as encoding_width', 'encodings.height as encoding_height'])
    .where('videos.number', 'in', numbers)
    .where('videos.available', '=', 1)
    .execute();
}

type CardRow = Awaited<ReturnType<typeof findRows>>[number];

function toCard(row: CardRow): EncodedCard {
  const { poster, created_at: createdAt } = row;
  return { video: toVideo(row), poster, encodings: [], storyboard: toStoryboard(row), createdAt };
}

/** Returns null for a row without an encoding, whose columns are all null. */
function toEncoding(row: CardRow): StoredEncoding | null {
  const { rendition, encoding_content: content, bytes, encoding_width: width, encoding_height: height, made_at } = row;
  if (rendition === null || content === null || bytes === null || width === null || height === null) return null;
  return { rendition, content, bytes, width, height, madeAt: made_at ?? 0 };
}

function toStoryboard(row: CardRow): StoredStoryboard | null {
  const { sheet: content, columns, rows, tile_width: tileWidth, tile_height: tileHeight, interval_ms } = row;
  if (content === null || columns === null || rows === null || tileWidth === null || tileHeight === null) return null;
  return { content, columns, rows, tileWidth, tileHeight, intervalMs: interval_ms ?? 0 };
}
