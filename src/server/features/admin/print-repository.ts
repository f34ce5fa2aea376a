import type { Insertable, Selectable } from 'kysely';
import { sql } from 'kysely';
import { inListLength } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { LibraryVideo } from '../videos/video.ts';
import { toVideo } from '../videos/video.ts';
import type { Looks } from './alike.ts';

/** A video whose file is there, with what is known of its present version. */
export interface ComparedVideo {
  video: LibraryVideo;
  /** The content of its poster; null without one. */
  poster: string | null;
  /** An attempt to make a poster has ended. */
  hasPosterRow: boolean;
  print: Pick<Selectable<Tables['video_prints']>, 'content' | 'poster' | 'still'>;
}

type FingerprintRow = { fingerprint: string; number: number };

/** The values by which videos are compared. */
export const printRepository = {
  /** The next videos by fingerprint, so that equal ones follow each other. */
  async listFingerprints(executor: Executor, after: FingerprintRow | null, limit: number): Promise<FingerprintRow[]> {
    const rows = await executor
      .selectFrom('videos')
      .select(['fingerprint', 'number'])
      .where('fingerprint', 'is not', null)
      .$if(after !== null, (query) =>
        query.where(sql<boolean>`(fingerprint, number) > (${after?.fingerprint}, ${after?.number})`),
      )
      .orderBy('fingerprint')
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map(({ fingerprint, number }) => ({ fingerprint: fingerprint ?? '', number }));
  },

  /** The next videos by size of picture and length. */
  async listLooks(executor: Executor, after: Looks | null, limit: number): Promise<Looks[]> {
    const rows = await executor
      .selectFrom('videos')
      .select(['number', 'width', 'height', 'duration_ms'])
      .where('duration_ms', 'is not', null)
      .where('width', 'is not', null)
      .where('height', 'is not', null)
      .$if(after !== null, (query) =>
        query.where(
          sql<boolean>`(width, height, duration_ms, number) >
            (${after?.width}, ${after?.height}, ${after?.durationMs}, ${after?.number})`,
        ),
      )
      .orderBy('width')
      .orderBy('height')
      .orderBy('duration_ms')
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map(({ number, width, height, duration_ms }) => ({
      number,
      width: width ?? 0,
      height: height ?? 0,
      durationMs: duration_ms ?? 0,
    }));
  },

  /** The videos with these numbers whose files are there, hidden ones as well. */
  async listCompared(executor: Executor, numbers: readonly number[]): Promise<ComparedVideo[]> {
    const found: ComparedVideo[] = [];
    for (let from = 0; from < numbers.length; from += inListLength) {
      const rows = await executor
        .selectFrom('videos')
        .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
        .leftJoin('posters', (join) =>
          join
            .onRef('posters.video_number', '=', 'videos.number')
            .onRef('posters.size', '=', 'videos.size')
            .onRef('posters.modified_us', '=', 'videos.modified_us'),
        )
        .leftJoin('video_prints as print', (join) =>
          join
            .onRef('print.video_number', '=', 'videos.number')
            .onRef('print.size', '=', 'videos.size')
            .onRef('print.modified_us', '=', 'videos.modified_us'),
        )
        .selectAll('videos')
        .select(['posters.video_number as poster_of', 'posters.content as poster'])
        .select(['print.content', 'print.poster as print_poster', 'print.still'])
        .where('videos.number', 'in', numbers.slice(from, from + inListLength))
        .where('videos.missing_since', 'is', null)
        .where('library_roots.active', '=', 1)
        .execute();
      for (const row of rows)
        found.push({
          video: toVideo(row),
          poster: row.poster,
          hasPosterRow: row.poster_of !== null,
          print: { content: row.content, poster: row.print_poster, still: row.still },
        });
    }
    return found;
  },

  /** Stores what a video is compared by. What is not given stays, if it is of that version. */
  async putPrint(
    transaction: Executor,
    { number, size, modifiedUs }: LibraryVideo,
    print: Partial<ComparedVideo['print']>,
  ): Promise<void> {
    const known = await transaction
      .selectFrom('video_prints')
      .select(['content', 'poster', 'still'])
      .where('video_number', '=', number)
      .where('size', '=', size)
      .where('modified_us', '=', modifiedUs)
      .executeTakeFirst();
    const row: Omit<Insertable<Tables['video_prints']>, 'video_number'> = {
      ...{ content: null, poster: null, still: null, ...known, ...print },
      size,
      modified_us: modifiedUs,
    };
    const video = transaction.selectFrom('videos').select('number').where('number', '=', number);
    if ((await video.executeTakeFirst()) === undefined) return;
    await transaction
      .insertInto('video_prints')
      .values({ video_number: number, ...row })
      .onConflict((conflict) => conflict.column('video_number').doUpdateSet(row))
      .execute();
  },
};
