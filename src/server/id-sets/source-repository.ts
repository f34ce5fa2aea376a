import type { ExpressionBuilder, RawBuilder } from 'kysely';
import { sql } from 'kysely';
import { limits } from '#contract/limits.ts';
import { audienceRanks } from '#contract/rules/tag.ts';
import { countAll, inListLength } from '../database/dialect.ts';
import type { Executor, Tables } from '../database/tables.ts';
import type { TagRanks } from './restricted-sets.ts';
import type { FormKey, SetKey } from './set-changes.ts';
import { findNeedSet, isFormKey } from './set-changes.ts';

/** Whether an encoding of the current file of a row of `videos` exists. */
export const isEncoded = sql<boolean>`exists (
  select 1 from encodings as encoding
  where encoding.video_number = videos.number
    and encoding.size = videos.size and encoding.modified_us = videos.modified_us
)`;

/** The rows from which the id sets are built. */
export const sourceRepository = {
  /** Lists the numbers of a set in ascending order, in pages. */
  async listNumbers(executor: Executor, key: SetKey, afterNumber: number, limit: number): Promise<number[]> {
    if (typeof key === 'number') return listLinked(executor, key, afterNumber, limit);
    const rows = await executor
      .selectFrom('videos')
      .select('number')
      .where((where) => isIn(where, key))
      .where('number', '>', afterNumber)
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map((row) => row.number);
  },

  async countNumbers(executor: Executor, key: SetKey): Promise<number> {
    if (typeof key === 'number') {
      const linked = executor.selectFrom('video_tags').select(countAll().as('count')).where('tag_number', '=', key);
      return (await linked.executeTakeFirstOrThrow()).count;
    }
    const videos = executor.selectFrom('videos').select(countAll().as('count'));
    return (await videos.where((where) => isIn(where, key)).executeTakeFirstOrThrow()).count;
  },

  /** Lists all tags, active or not. */
  async listTagNumbers(executor: Executor): Promise<number[]> {
    const rows = await executor.selectFrom('tags').select('number').orderBy('number').execute();
    return rows.map((row) => row.number);
  },

  /** Reads the ranks of all active tags. */
  async readTagRanks(executor: Executor): Promise<TagRanks> {
    const rows = await executor.selectFrom('tags').select(['number', 'audience']).where('active', '=', 1).execute();
    return new Map(rows.map(({ number, audience }) => [number, audienceRanks[audience]]));
  },

  /** Finds the videos among `numbers` without an active tag; links by a folder do not count. */
  async findUntagged(executor: Executor, numbers: readonly number[]): Promise<number[]> {
    const untagged: number[] = [];
    for (let from = 0; from < numbers.length; from += inListLength) {
      const rows = await executor
        .selectFrom('videos')
        .select('number')
        .where('number', 'in', numbers.slice(from, from + inListLength))
        .where((where) => isIn(where, 'untagged'))
        .execute();
      untagged.push(...rows.map((row) => row.number));
    }
    return untagged;
  },

  /** The highest number among the next `length` videos of a tag; null if there are none. */
  async findSliceEnd(executor: Executor, tagNumber: number, length: number): Promise<number | null> {
    const slice = executor
      .selectFrom('video_tags')
      .select('video_number')
      .where('tag_number', '=', tagNumber)
      .orderBy('video_number')
      .limit(length);
    const { end } = await executor
      .selectFrom(slice.as('slice'))
      .select((select) => select.fn.max<number | null>('slice.video_number').as('end'))
      .executeTakeFirstOrThrow();
    return end;
  },

  /**
   * Finds the videos of a tag up to a number that have no other active tag; links by a folder do
   * not count.
   */
  async findOnlyTagged(executor: Executor, tagNumber: number, upToNumber: number): Promise<number[]> {
    const rows = await executor
      .selectFrom('video_tags as link')
      .select('link.video_number')
      .where('link.tag_number', '=', tagNumber)
      .where('link.video_number', '<=', upToNumber)
      .where((where) =>
        where.not(
          where.exists(
            where
              .selectFrom('video_tags as other')
              .innerJoin('tags', 'tags.number', 'other.tag_number')
              .select('other.tag_number')
              .whereRef('other.video_number', '=', 'link.video_number')
              .whereRef('other.tag_number', '!=', 'link.tag_number')
              .where('tags.active', '=', 1)
              .where('other.by_folder', '=', 0),
          ),
        ),
      )
      .execute();
    return rows.map((row) => row.video_number);
  },

  async deleteLinks(executor: Executor, tagNumber: number, upToNumber: number): Promise<void> {
    await executor
      .deleteFrom('video_tags')
      .where('tag_number', '=', tagNumber)
      .where('video_number', '<=', upToNumber)
      .execute();
  },
};

async function listLinked(
  executor: Executor,
  tagNumber: number,
  afterNumber: number,
  limit: number,
): Promise<number[]> {
  const rows = await executor
    .selectFrom('video_tags')
    .select('video_number')
    .where('tag_number', '=', tagNumber)
    .where('video_number', '>', afterNumber)
    .orderBy('video_number')
    .limit(limit)
    .execute();
  return rows.map((row) => row.video_number);
}

function isIn(where: ExpressionBuilder<Tables, 'videos'>, key: Exclude<SetKey, number>) {
  if (key === 'available') return where('videos.available', '=', 1);
  if (isFormKey(key)) return forms[key];
  if (key !== 'untagged') return needs(findNeedSet(key)?.bit ?? 0);
  const activeLinks = where
    .selectFrom('video_tags')
    .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
    .select('video_tags.tag_number')
    .whereRef('video_tags.video_number', '=', 'videos.number')
    .where('video_tags.by_folder', '=', 0)
    .where('tags.active', '=', 1);
  return where.not(where.exists(activeLinks));
}

const [shortMs, longMs] = [sql.lit(limits.shortSeconds * 1_000), sql.lit(limits.longSeconds * 1_000)];

/** Each condition is that of a partial index. They agree with `setsOfForm`. */
const forms: Record<FormKey, RawBuilder<boolean>> = {
  'is:short': sql`videos.duration_ms < ${shortMs}`,
  'is:medium': sql`videos.duration_ms >= ${shortMs} and videos.duration_ms <= ${longMs}`,
  'is:long': sql`videos.duration_ms > ${longMs}`,
  'is:upright': sql`videos.height > videos.width`,
  'is:wide': sql`videos.width > videos.height`,
};

/** The first condition matches that of the partial index of videos with needs. */
function needs(bit: number) {
  return sql<boolean>`videos.needs <> 0 and (videos.needs & ${sql.lit(bit)}) <> 0 and not ${isEncoded}`;
}
