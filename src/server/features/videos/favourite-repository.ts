import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';

/** The favourites of people. A favourite is a video's id, whether the video is there or not. */
export const favouriteRepository = {
  /** The count of a person's changes; null for an account that is gone. */
  async readSeq(executor: Executor, userId: string): Promise<number | null> {
    const row = await executor.selectFrom('users').select('favourites_seq').where('id', '=', userId).executeTakeFirst();
    return row?.favourites_seq ?? null;
  },

  /** Counts a change, which makes other changes of this person wait until the transaction ends. */
  async countChange(transaction: Executor, userId: string): Promise<void> {
    await transaction
      .updateTable('users')
      .set((row) => ({ favourites_seq: row('favourites_seq', '+', 1) }))
      .where('id', '=', userId)
      .execute();
  },

  /** The numbers of the videos that are there, in ascending order. */
  async listNumbers(executor: Executor, userId: string): Promise<number[]> {
    const rows = await executor
      .selectFrom('favourites')
      .innerJoin('videos', 'videos.id', 'favourites.video_id')
      .select('videos.number')
      .where('user_id', '=', userId)
      .orderBy('videos.number')
      .execute();
    return rows.map(({ number }) => number);
  },

  /** All favourites, the latest first. The number of a video that is gone is null. */
  async list(executor: Executor, userId: string): Promise<{ id: string; number: number | null }[]> {
    return executor
      .selectFrom('favourites')
      .leftJoin('videos', 'videos.id', 'favourites.video_id')
      .select(['video_id as id', 'videos.number'])
      .where('user_id', '=', userId)
      .orderBy('added_at', 'desc')
      .orderBy('video_id')
      .execute();
  },

  async count(executor: Executor, userId: string): Promise<number> {
    const own = executor.selectFrom('favourites').select(countAll().as('count')).where('user_id', '=', userId);
    return Number((await own.executeTakeFirstOrThrow()).count);
  },

  /** @returns whether it was none before */
  async add(transaction: Executor, userId: string, videoId: string, now: number): Promise<boolean> {
    const added = await transaction
      .insertInto('favourites')
      .values({ user_id: userId, video_id: videoId, added_at: now })
      .onConflict((conflict) => conflict.columns(['user_id', 'video_id']).doNothing())
      .returning('video_id')
      .executeTakeFirst();
    return added !== undefined;
  },

  async delete(transaction: Executor, userId: string, videoId: string): Promise<void> {
    await transaction.deleteFrom('favourites').where('user_id', '=', userId).where('video_id', '=', videoId).execute();
  },
};
