import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Executor, Tables } from '../../database/tables.ts';
import { convertible } from '../../media/unplayable.ts';
import type { FileOfVideo, LibraryVideo } from '../videos/video.ts';
import { toVideo } from '../videos/video.ts';

/** A video whose file exists and may be read by ffmpeg. */
export interface EncodableVideo extends LibraryVideo {
  videoCodec: string | null;
}

/** True when the present file has no encoding. */
const hasNoEncoding = sql<boolean>`not exists (
  select 1 from encodings as made
  where made.video_number = videos.number and made.size = videos.size and made.modified_us = videos.modified_us
)`;

/** True when no attempt to encode the present file has failed. */
const hasNotFailed = sql<boolean>`not exists (
  select 1 from media_findings as found
  where found.video_number = videos.number and found.size = videos.size and found.modified_us = videos.modified_us
    and found.failure is not null
)`;

const dayMs = 24 * 3_600_000;

/** A video that plays as it is and is picked. */
export interface PopularVideo extends EncodableVideo {
  picks: number;
}

const hasNoGrid = sql<boolean>`not exists (
  select 1 from encodings as made
  where made.video_number = videos.number and made.rendition = 'grid'
    and made.size = videos.size and made.modified_us = videos.modified_us
)`;

/** Videos to encode, and how much each is wanted. */
export const encodableRepository = {
  /** Returns null when the video is gone, hidden or damaged. */
  async find(executor: Executor, number: number): Promise<EncodableVideo | null> {
    const row = await encodable(executor).selectAll('videos').where('videos.number', '=', number).executeTakeFirst();
    return row === undefined ? null : toEncodable(row);
  },

  /**
   * Lists the videos of a range of numbers that no browser plays, whose present file has no
   * encoding and no failed attempt; newest first.
   * @param freshAfter epoch milliseconds
   */
  async listUnplayable(
    executor: Executor,
    { after, upTo, freshAfter }: { after: number; upTo: number; freshAfter: number },
  ): Promise<UnplayableVideo[]> {
    const rows = await encodable(executor)
      .selectAll('videos')
      .select('library_roots.kind')
      .where('videos.reason', 'is not', null)
      .where('videos.number', '>', after)
      .where('videos.number', '<=', upTo)
      .where(hasNoEncoding)
      .where(hasNotFailed)
      .orderBy('videos.number', 'desc')
      .execute();
    return rows.map(({ kind, ...row }) => ({
      ...toEncodable(row),
      isFresh: kind === 'uploads' && row.created_at >= freshAfter,
    }));
  },

  /**
   * Lists those of the given videos whose present file has no encoding and no failed attempt;
   * newest first.
   */
  async listUnencoded(executor: Executor, numbers: readonly number[]): Promise<EncodableVideo[]> {
    if (numbers.length === 0) return [];
    const rows = await encodable(executor)
      .selectAll('videos')
      .where('videos.number', 'in', numbers)
      .where(hasNoEncoding)
      .where(hasNotFailed)
      .orderBy('videos.number', 'desc')
      .execute();
    return rows.map(toEncodable);
  },

  /**
   * The reason why the present file cannot be encoded; null when no attempt was made or none
   * failed.
   */
  async findFailure(executor: Executor, { number, size, modifiedUs }: FileOfVideo): Promise<string | null> {
    const row = await executor
      .selectFrom('media_findings')
      .select('failure')
      .where('video_number', '=', number)
      .where('size', '=', size)
      .where('modified_us', '=', modifiedUs)
      .executeTakeFirst();
    return row?.failure ?? null;
  },

  /** Adds to the picks of videos; videos that no longer exist are left out. */
  async addPicks(executor: Executor, picks: ReadonlyMap<number, number>, now: number): Promise<void> {
    for (const [number, count] of picks)
      await sql`insert into encoding_demand (video_number, picks, counted_at)
        select number, ${count}, ${now} from videos where number = ${number}
        on conflict (video_number) do update set picks = encoding_demand.picks + ${count}`.execute(executor);
  },

  /** Stores that a viewer waits for the video since `now`. */
  async noteWaiting(executor: Executor, videoNumber: number, now: number): Promise<void> {
    await sql`insert into encoding_demand (video_number, picks, waited_at, counted_at)
      select number, 0, ${now}, ${now} from videos where number = ${videoNumber}
      on conflict (video_number) do update set waited_at = ${now}`.execute(executor);
  },

  /** Returns null when no viewer has waited for the video. */
  async readWaitedAt(executor: Executor, videoNumber: number): Promise<number | null> {
    const row = await executor
      .selectFrom('encoding_demand')
      .select('waited_at')
      .where('video_number', '=', videoNumber)
      .executeTakeFirst();
    return row?.waited_at ?? null;
  },

  /** Halves the picks once a day, and forgets videos that are no longer picked. */
  async halvePicks(executor: Executor, now: number): Promise<void> {
    await sql`update encoding_demand set picks = picks / 2, counted_at = counted_at + ${dayMs}
      where counted_at <= ${now - dayMs}`.execute(executor);
    await sql`delete from encoding_demand
      where picks = 0 and (waited_at is null or waited_at <= ${now - dayMs})`.execute(executor);
  },

  /** Lists the most picked videos that have no `grid` rendition. */
  async listPopular(executor: Executor, limit: number): Promise<PopularVideo[]> {
    const rows = await encodable(executor)
      .innerJoin('encoding_demand', 'encoding_demand.video_number', 'videos.number')
      .selectAll('videos')
      .select('encoding_demand.picks')
      .where('encoding_demand.picks', '>', 0)
      .where(hasNotFailed)
      .where(hasNoGrid)
      .orderBy('encoding_demand.picks', 'desc')
      .limit(limit)
      .execute();
    return rows.map(({ picks, ...row }) => ({ ...toEncodable(row), picks }));
  },
};

/** A video whose source no browser plays. */
interface UnplayableVideo extends EncodableVideo {
  /** The video was uploaded a short time ago. */
  isFresh: boolean;
}

function encodable(executor: Executor) {
  return executor
    .selectFrom('videos')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .where('library_roots.active', '=', 1)
    .where('library_roots.missing_since', 'is', null)
    .where('videos.missing_since', 'is', null)
    .where('videos.hidden_at', 'is', null)
    .where((where) => where.or([where('videos.reason', 'is', null), where('videos.reason', 'in', convertible)]));
}

function toEncodable(row: Selectable<Tables['videos']>): EncodableVideo {
  return { ...toVideo(row), videoCodec: row.video_codec };
}
