import { sql } from 'kysely';
import type { Executor } from '../../database/tables.ts';
import type { SetChanges } from '../../id-sets/set-changes.ts';
import { searchedColumns, searchText } from './name-grams.ts';

/** The videos of one block whose names contain one part. */
export interface GramBlock {
  gram: string;
  block: number;
  bits: Buffer;
}

/** The frequency of a part. */
export interface GramTotal {
  gram: string;
  /** Number of names that contain it. */
  count: number;
  /** The highest block with such a name. */
  lastBlock: number;
}

const insertLength = 500;

/** Grams of the names of videos, and the names that wait to be read. */
export const nameIndexRepository = {
  async hasGrams(executor: Executor): Promise<boolean> {
    return (await executor.selectFrom('name_grams').select('block').limit(1).executeTakeFirst()) !== undefined;
  },

  /** Parts that occur in no name are left out. */
  async readTotals(executor: Executor, grams: readonly string[]): Promise<GramTotal[]> {
    const rows = await executor
      .selectFrom('name_grams')
      .select(['gram', sql<number | string>`sum(count)`.as('total'), sql<number>`max(block)`.as('lastBlock')])
      .where('gram', 'in', grams)
      .groupBy('gram')
      .execute();
    return rows.map(({ gram, total, lastBlock }) => ({ gram, count: Number(total), lastBlock }));
  },

  /** Reads the blocks from `first` to `last`, both included. */
  async readGrams(
    executor: Executor,
    grams: readonly string[],
    { first, last }: { first: number; last: number },
  ): Promise<GramBlock[]> {
    return executor
      .selectFrom('name_grams')
      .select(['gram', 'block', 'bits'])
      .where('gram', 'in', grams)
      .where('block', '>=', first)
      .where('block', '<=', last)
      .execute();
  },

  async putGrams(transaction: Executor, rows: readonly (GramBlock & { count: number })[]): Promise<void> {
    await transaction
      .insertInto('name_grams')
      .values(rows)
      .onConflict((conflict) =>
        conflict.columns(['gram', 'block']).doUpdateSet((row) => ({
          bits: row.ref('excluded.bits'),
          count: row.ref('excluded.count'),
        })),
      )
      .execute();
  },

  /**
   * Records new videos, and those with other names or texts, for the name index and for the listeners of the sets, in the
   * transaction that changes them.
   */
  async recordNames(transaction: Executor, changes: SetChanges, videos: readonly NamedVideo[]): Promise<void> {
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
  },

  /** Marks every video. This takes about half a second for a million videos. */
  async markAll(transaction: Executor): Promise<void> {
    await transaction
      .insertInto('unindexed_names')
      .columns(['video_number'])
      .expression(transaction.selectFrom('videos').select('number').orderBy('number'))
      .execute();
  },

  /** The `searchText` of each of at most `inListLength` videos. */
  async readTexts(executor: Executor, numbers: readonly number[]): Promise<ReadonlyMap<number, string>> {
    if (numbers.length === 0) return new Map();
    const columns = ['number', ...searchedColumns] as const;
    const rows = await executor.selectFrom('videos').select(columns).where('number', 'in', numbers).execute();
    return new Map(rows.map((row) => [row.number, searchText(row)]));
  },

  async listUnindexed(executor: Executor, after: number, limit: number): Promise<UnindexedName[]> {
    const rows = await executor
      .selectFrom('unindexed_names as mark')
      .leftJoin('videos', 'videos.number', 'mark.video_number')
      .select(['mark.number', 'mark.video_number', 'mark.was', ...searchedColumns])
      .where('mark.number', '>', after)
      .orderBy('mark.number')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      number: row.number,
      videoNumber: row.video_number,
      text: row.filename === null ? null : searchText({ ...row, filename: row.filename }),
      was: row.was,
    }));
  },

  /** The lowest and the highest mark; null when all names are indexed. */
  async readMarkRange(executor: Executor): Promise<{ first: number; last: number } | null> {
    const marks = executor.selectFrom('unindexed_names').select('number').limit(1);
    const first = await marks.orderBy('number').executeTakeFirst();
    const last = await marks.orderBy('number', 'desc').executeTakeFirst();
    return first === undefined || last === undefined ? null : { first: first.number, last: last.number };
  },

  async hasUnindexed(executor: Executor): Promise<boolean> {
    return (await executor.selectFrom('unindexed_names').select('number').limit(1).executeTakeFirst()) !== undefined;
  },

  /**
   * Deletes single marks, because another process may have committed a mark between two of them. At
   * most `inListLength`.
   */
  async deleteMarks(transaction: Executor, numbers: readonly number[]): Promise<void> {
    await transaction.deleteFrom('unindexed_names').where('number', 'in', numbers).execute();
  },
};

/** A name that is not indexed yet. */
interface UnindexedName {
  /** Number of the mark, not of the video. */
  number: number;
  videoNumber: number;
  /** The `searchText` of the video; null: the video has been removed. */
  text: string | null;
  /** The text before this mark, whose parts must be removed; null for a new video. */
  was: string | null;
}

interface NamedVideo {
  number: number;
  /** The `searchText` before; absent for a new video. */
  was?: string;
}
