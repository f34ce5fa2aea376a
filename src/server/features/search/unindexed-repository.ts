import type { Executor } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';

/** A name that is still to be taken in. */
export interface UnindexedName {
  /** Of the mark, not of the video. */
  number: number;
  videoNumber: number;
  /** Null: the video has been removed. */
  filename: string | null;
  /** The name that it had before this mark, whose parts are to be taken out; null for a new video. */
  was: string | null;
}

interface NamedVideo {
  number: number;
  /** Absent for a new video. */
  was?: string;
}

const insertLength = 500;

/**
 * These videos are new or go by another name: for the index of names, and for whoever follows the sets. Part of the
 * transaction that makes it so.
 */
export async function recordNames(
  transaction: Executor,
  changes: SetChanges,
  videos: readonly NamedVideo[],
): Promise<void> {
  changes.put(
    'names',
    videos.map(({ number }) => number),
    true,
  );
  for (let from = 0; from < videos.length; from += insertLength) {
    const rows = videos.slice(from, from + insertLength);
    await transaction
      .insertInto('unindexed_names')
      .values(rows.map(({ number, was = null }) => ({ video_number: number, was })))
      .execute();
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
    .select(['mark.number', 'mark.video_number', 'mark.was', 'videos.filename'])
    .where('mark.number', '>', after)
    .orderBy('mark.number')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    number: row.number,
    videoNumber: row.video_number,
    filename: row.filename,
    was: row.was,
  }));
}

/** The lowest and the highest mark; null when every name has been taken in. */
export async function readMarkRange(executor: Executor): Promise<{ first: number; last: number } | null> {
  const marks = executor.selectFrom('unindexed_names').select('number').limit(1);
  const first = await marks.orderBy('number').executeTakeFirst();
  const last = await marks.orderBy('number', 'desc').executeTakeFirst();
  return first === undefined || last === undefined ? null : { first: first.number, last: last.number };
}

export async function hasUnindexed(executor: Executor): Promise<boolean> {
  return (await executor.selectFrom('unindexed_names').select('number').limit(1).executeTakeFirst()) !== undefined;
}

/** One by one: a mark with a number in between may have been committed meanwhile. At most `inListLength`. */
export async function deleteMarks(transaction: Executor, numbers: readonly number[]): Promise<void> {
  await transaction.deleteFrom('unindexed_names').where('number', 'in', numbers).execute();
}
