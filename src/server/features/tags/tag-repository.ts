import { setImmediate as letOthersRun } from 'node:timers/promises';
import type { Insertable, Selectable, Updateable } from 'kysely';
import type { TagAudience } from '#contract/rules/tag.ts';
import type { Flag } from '../../database/tables/column-types.ts';
import type { Executor, Tables } from '../../database/tables.ts';

/** A tag as the server stores it. */
export interface StoredTag {
  number: number;
  id: string;
  name: string;
  /** The name in the form of `tagNameKey`. */
  nameKey: string;
  description: string;
  color: string;
  isActive: boolean;
  audience: TagAudience;
  /** Number of the tag that it was or is being merged into. Filters with this tag mean that one. */
  mergedInto: number | null;
  /** Epoch milliseconds. */
  createdAt: number;
}

/** The key by which tag names are equal: NFKC, ignoring case. */
export function tagNameKey(name: string): string {
  return name.normalize('NFKC').toLowerCase();
}

/** Tags that are read in some milliseconds. */
const tagsTogether = 1_000;

/** Tags. */
export const tagRepository = {
  async findActive(executor: Executor, name: string): Promise<{ number: number; name: string } | null> {
    const row = await executor
      .selectFrom('tags')
      .select(['number', 'name'])
      .where('name_key', '=', tagNameKey(name))
      .where('active', '=', 1)
      .executeTakeFirst();
    return row ?? null;
  },

  async insert(executor: Executor, tag: Insertable<Tables['tags']>): Promise<number> {
    const { number } = await executor.insertInto('tags').values(tag).returning('number').executeTakeFirstOrThrow();
    return number;
  },

  /**
   * Whether at least `count` tags exist, including removed ones that are still on videos, as users
   * would miss them.
   */
  async hasTags(executor: Executor, count: number): Promise<boolean> {
    const row = await executor
      .selectFrom('tags')
      .select('number')
      .where((where) =>
        where.or([
          where('active', '=', 1),
          where.exists(
            where.selectFrom('video_tags').select('tag_number').whereRef('video_tags.tag_number', '=', 'tags.number'),
          ),
        ]),
      )
      .orderBy('number')
      .limit(1)
      .offset(count - 1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Finds a tag, active or not. */
  async find(executor: Executor, id: string): Promise<StoredTag | null> {
    const row = await executor.selectFrom('tags').selectAll().where('id', '=', id).executeTakeFirst();
    return row === undefined ? null : toTag(row);
  },

  /** All active tags, by number, in pages between which other work gets a turn. */
  async listActive(executor: Executor): Promise<StoredTag[]> {
    const tags: StoredTag[] = [];
    for (let after: number | undefined = 0; after !== undefined; ) {
      const rows: Selectable<Tables['tags']>[] = await executor
        .selectFrom('tags')
        .selectAll()
        .where('active', '=', 1)
        .where('number', '>', after)
        .orderBy('number')
        .limit(tagsTogether)
        .execute();
      for (const row of rows) tags.push(toTag(row));
      after = rows.length < tagsTogether ? undefined : rows.at(-1)?.number;
      if (after !== undefined) await letOthersRun();
    }
    return tags;
  },

  /**
   * Tags that people removed and did not merge, in any order. Tags that disappeared with their
   * folder are not included, as they may come back.
   */
  async listDeleted(executor: Executor): Promise<StoredTag[]> {
    const ofFolders = executor.selectFrom('folder_channels').select('tag_number').where('removed', '=', 0);
    const rows = await executor
      .selectFrom('tags')
      .selectAll()
      .where('active', '=', 0)
      .where('merged_into', 'is', null)
      .where('number', 'not in', ofFolders.where('tag_number', 'is not', null).$castTo<{ tag_number: number }>())
      .execute();
    return rows.map(toTag);
  },

  /** Finds a tag, active or not. */
  async findByNumber(executor: Executor, number: number): Promise<StoredTag | null> {
    const row = await executor.selectFrom('tags').selectAll().where('number', '=', number).executeTakeFirst();
    return row === undefined ? null : toTag(row);
  },

  /** Whether an active tag is not for everybody. */
  async isAnyRestricted(executor: Executor): Promise<boolean> {
    const row = await executor
      .selectFrom('tags')
      .select('number')
      .where('active', '=', 1)
      .where('audience', '!=', 'anyone')
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Finds tags, active or not, in any order. */
  async listByNumber(executor: Executor, numbers: readonly number[]): Promise<StoredTag[]> {
    if (numbers.length === 0) return [];
    const rows = await executor.selectFrom('tags').selectAll().where('number', 'in', numbers).execute();
    return rows.map(toTag);
  },

  async setFacts(
    executor: Executor,
    number: number,
    facts: Pick<Updateable<Tables['tags']>, 'name' | 'name_key' | 'description' | 'color' | 'audience'>,
  ): Promise<void> {
    await executor.updateTable('tags').set(facts).where('number', '=', number).execute();
  },

  /** @param username name of the person who edited the tag */
  async setEditor(executor: Executor, number: number, username: string | null): Promise<void> {
    await executor.updateTable('tags').set({ edited_by: username }).where('number', '=', number).execute();
  },

  async setActive(executor: Executor, number: number, active: Flag): Promise<void> {
    await executor.updateTable('tags').set({ active }).where('number', '=', number).execute();
  },

  /**
   * @param into number of the tag that it is or will be part of; null: it is a tag of its own
   * @param active changes only tags in this state
   */
  async setMerged(executor: Executor, number: number, into: number | null, active?: Flag): Promise<void> {
    await executor
      .updateTable('tags')
      .set({ merged_into: into })
      .where('number', '=', number)
      .$if(active !== undefined, (query) => query.where('active', '=', active ?? 1))
      .execute();
  },

  /** Deletes a tag with its remaining links, which must be few. */
  async delete(executor: Executor, number: number): Promise<void> {
    await executor.deleteFrom('tags').where('number', '=', number).execute();
  },

  /**
   * Assigns a tag; assigning it twice is no error.
   * @returns whether it was absent before
   */
  async assign(executor: Executor, videoNumber: number, tagNumber: number): Promise<boolean> {
    const links = await executor
      .insertInto('video_tags')
      .values({ video_number: videoNumber, tag_number: tagNumber })
      .onConflict((conflict) => conflict.doNothing())
      .returning('video_number')
      .execute();
    return links.length > 0;
  },

  /**
   * Whether a name without an active tag was removed: a tag of this name came with the root, or
   * another tag has it as an alias.
   */
  async wasRemoved(executor: Executor, rootNumber: number, name: string): Promise<boolean> {
    const nameKey = tagNameKey(name);
    const tag = executor
      .selectFrom('tags')
      .select('number')
      .where('root_number', '=', rootNumber)
      .where('name_key', '=', nameKey);
    const alias = executor.selectFrom('tag_aliases').select('tag_number').where('name_key', '=', nameKey);
    return (await tag.executeTakeFirst()) !== undefined || (await alias.executeTakeFirst()) !== undefined;
  },

  /**
   * Sets the tags that came with a root. A tag whose name another one has taken meanwhile is left
   * unchanged.
   * @returns the changed tags
   */
  async setManyActive(executor: Executor, rootNumber: number, active: Flag): Promise<number[]> {
    const taken = executor.selectFrom('tags').select('name_key').where('active', '=', 1);
    const removed = executor
      .selectFrom('tag_change_tags')
      .innerJoin('tag_changes', 'tag_changes.number', 'tag_change_tags.change_number')
      .select('tag_change_tags.tag_number')
      .where('tag_changes.state', '!=', 'undone');
    const tags = await executor
      .updateTable('tags')
      .set({ active })
      .where('root_number', '=', rootNumber)
      // Tags that people have removed or merged are not restored.
      .$if(active === 1, (query) =>
        query.where('name_key', 'not in', taken).where('merged_into', 'is', null).where('number', 'not in', removed),
      )
      .returning('number')
      .execute();
    return tags.map((tag) => tag.number);
  },
};

function toTag(row: Selectable<Tables['tags']>): StoredTag {
  return {
    number: row.number,
    id: row.id,
    name: row.name,
    nameKey: row.name_key,
    description: row.description,
    color: row.color,
    isActive: row.active === 1,
    audience: row.audience,
    mergedInto: row.merged_into,
    createdAt: row.created_at,
  };
}
