import type { Insertable } from 'kysely';
import { countAll } from '../../database/dialect.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import type { LibraryVideo } from '../videos/video.ts';
import { toVideo } from '../videos/video.ts';

/** A video with open reports. */
interface ReportedVideoRow {
  video: LibraryVideo;
  root: string;
  count: number;
}

/** An open report. */
interface ReportRow extends Pick<Insertable<Tables['reports']>, 'reason' | 'text' | 'created_at'> {
  videoNumber: number;
  /** The reporter's name; null without an account. */
  by: string | null;
}

/** Reports of videos. */
export const reportRepository = {
  /**
   * Stores a report. An open one of the same person about that video is replaced, a closed one
   * stays closed.
   */
  async put(transaction: Executor, row: Insertable<Tables['reports']>): Promise<void> {
    const { reason, text, created_at } = row;
    await transaction
      .insertInto('reports')
      .values(row)
      .onConflict((conflict) =>
        conflict
          .columns(['video_number', 'holder'])
          .doUpdateSet({ reason, text, created_at })
          .where('reports.closed_at', 'is', null),
      )
      .execute();
  },

  async isHeld(executor: Executor, videoNumber: number, holder: string): Promise<boolean> {
    const row = await executor
      .selectFrom('reports')
      .select('number')
      .where('video_number', '=', videoNumber)
      .where('holder', '=', holder)
      .executeTakeFirst();
    return row !== undefined;
  },

  async countOfVideo(executor: Executor, videoNumber: number): Promise<number> {
    const { count } = await executor
      .selectFrom('reports')
      .select(countAll().as('count'))
      .where('video_number', '=', videoNumber)
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  async countOpen(executor: Executor): Promise<number> {
    const { count } = await executor
      .selectFrom('reports')
      .select(countAll().as('count'))
      .where('closed_at', 'is', null)
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  /** @returns how many were open */
  async close(transaction: Executor, videoNumber: number, now: number): Promise<number> {
    const rows = await transaction
      .updateTable('reports')
      .set({ closed_at: now })
      .where('video_number', '=', videoNumber)
      .where('closed_at', 'is', null)
      .returning('number')
      .execute();
    return rows.length;
  },

  async countVideos(executor: Executor): Promise<number> {
    const { count } = await selectOpen(executor)
      .select((row) => row.fn.count<number>('reports.video_number').distinct().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  /** The videos with open reports, the one that was reported last first. */
  async listVideos(
    executor: Executor,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<ReportedVideoRow[]> {
    const reported = await selectOpen(executor)
      .select(['reports.video_number', (row) => row.fn.max('reports.number').as('latest'), countAll().as('count')])
      .groupBy('reports.video_number')
      .orderBy('latest', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
    if (reported.length === 0) return [];
    const rows = await executor
      .selectFrom('videos')
      .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
      .selectAll('videos')
      .select('library_roots.name as root')
      .where(
        'videos.number',
        'in',
        reported.map((one) => one.video_number),
      )
      .execute();
    const byNumber = new Map(rows.map((row) => [row.number, row]));
    return reported.flatMap(({ video_number, count }) => {
      const row = byNumber.get(video_number);
      return row === undefined ? [] : [{ video: toVideo(row), root: row.root, count: Number(count) }];
    });
  },

  /** The open reports of these videos, latest first. */
  async listOf(executor: Executor, videoNumbers: readonly number[]): Promise<ReportRow[]> {
    if (videoNumbers.length === 0) return [];
    const rows = await executor
      .selectFrom('reports')
      .leftJoin('users', 'users.id', 'reports.user_id')
      .select(['reports.video_number', 'reports.reason', 'reports.text', 'reports.created_at'])
      .select(['users.username', 'users.display_name'])
      .where('reports.video_number', 'in', videoNumbers)
      .where('reports.closed_at', 'is', null)
      .orderBy('reports.created_at', 'desc')
      .orderBy('reports.number', 'desc')
      .execute();
    return rows.map(({ video_number, username, display_name, ...facts }) => ({
      ...facts,
      videoNumber: video_number,
      by: display_name ?? username,
    }));
  },

  /**
   * Deletes at most `most` reports that were made before an instant.
   * @returns their number
   */
  async deleteBefore(executor: Executor, instant: number, most: number): Promise<number> {
    const old = executor.selectFrom('reports').select('number').where('created_at', '<', instant).limit(most);
    const rows = await executor.deleteFrom('reports').where('number', 'in', old).returning('number').execute();
    return rows.length;
  },
};

/** Open reports of videos that are there. */
function selectOpen(executor: Executor) {
  return executor
    .selectFrom('reports')
    .innerJoin('videos', 'videos.number', 'reports.video_number')
    .where('reports.closed_at', 'is', null)
    .where('videos.hidden_at', 'is', null)
    .where('videos.missing_since', 'is', null);
}
