import type { Executor } from '../../database/tables.ts';

/** A name that is still to be taken in. */
export interface UnindexedName {
  /** Of the mark, not of the video. */
  number: number;
  videoNumber: number;
  /** Null: the video has been removed. */
  filename: string | null;
}

const insertLength = 500;

/** These videos are new or go by another name. Part of the transaction that makes it so. */
export async function markUnindexed(transaction: Executor, videoNumbers: readonly number[]): Promise<void> {
  for (let from = 0; from < videoNumbers.length; from += insertLength) {
    const rows = videoNumbers.slice(from, from + insertLength).map((number) => ({ video_number: number }));
    await transaction.insertInto('unindexed_names').values(rows).execute();
  }
}

/** Every video there is. At a million videos this takes about half a second. */
export async function markAll(transaction: Executor): Promise<void> {
  await transaction
    .insertInto('unindexed_names')
    .columns(['video_number'])
    .expression(transaction.selectFrom('videos').select('number').orderBy('number'))
    .execute();
}

export async function listUnindexed(executor: Executor, after: number, limit: number): Promise<UnindexedName[]> {
  const rows = await executor
    .selectFrom('unindexed_names as mark')
    .leftJoin('videos', 'videos.number', 'mark.video_number')
    .select(['mark.number', 'mark.video_number', 'videos.filename'])
    .where('mark.number', '>', after)
    .orderBy('mark.number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({ number: row.number, videoNumber: row.video_number, filename: row.filename }));
}

export async function hasUnindexed(executor: Executor): Promise<boolean> {
  return (await executor.selectFrom('unindexed_names').select('number').limit(1).executeTakeFirst()) !== undefined;
}

/** One by one: a mark with a number in between may have been committed meanwhile. At most `inListLength`. */
export async function deleteMarks(transaction: Executor, numbers: readonly number[]): Promise<void> {
  await transaction.deleteFrom('unindexed_names').where('number', 'in', numbers).execute();
}
