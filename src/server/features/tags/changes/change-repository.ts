import type { Insertable, Selectable, Updateable } from 'kysely';
import { countAll } from '../../../database/dialect.ts';
import type { Executor, Tables } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';

export type TagChange = Selectable<Tables['tag_changes']>;

/** The tags that one person created between two instants, which are epoch milliseconds. */
export interface TagsOfPerson {
  createdBy: string;
  since: number;
  before: number;
}

/** Changes of tags that can be undone. */
export const tagChangeRepository = {
  /** @returns its number */
  async insert(executor: Executor, change: Insertable<Tables['tag_changes']>): Promise<number> {
    const { number } = await executor
      .insertInto('tag_changes')
      .values(change)
      .returning('number')
      .executeTakeFirstOrThrow();
    return number;
  },

  async find(executor: Executor, id: string): Promise<TagChange | null> {
    return (await executor.selectFrom('tag_changes').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
  },

  async read(executor: Executor, number: number): Promise<TagChange | null> {
    return (
      (await executor.selectFrom('tag_changes').selectAll().where('number', '=', number).executeTakeFirst()) ?? null
    );
  },

  async update(
    executor: Executor,
    number: number,
    facts: Pick<Updateable<Tables['tag_changes']>, 'state' | 'error' | 'tags' | 'links' | 'finished_at'>,
  ): Promise<void> {
    await executor.updateTable('tag_changes').set(facts).where('number', '=', number).execute();
  },

  /** Changes, latest first. */
  async list(
    executor: Executor,
    { since, limit, offset }: { since: number; limit: number; offset: number },
  ): Promise<TagChange[]> {
    return executor
      .selectFrom('tag_changes')
      .selectAll()
      .where('created_at', '>', since)
      .orderBy('number', 'desc')
      .limit(limit)
      .offset(offset)
      .execute();
  },

  async count(executor: Executor, since: number): Promise<number> {
    const { count } = await executor
      .selectFrom('tag_changes')
      .select(countAll().as('count'))
      .where('created_at', '>', since)
      .executeTakeFirstOrThrow();
    return count;
  },

  /**
   * The changes of one person since an instant and before another change, latest first, without
   * undone ones.
   */
  async listOfPerson(
    executor: Executor,
    { madeBy, since, before, limit }: { madeBy: string; since: number; before: number; limit: number },
  ): Promise<TagChange[]> {
    return executor
      .selectFrom('tag_changes')
      .selectAll()
      .where('made_by', '=', madeBy)
      .where('number', '<', before)
      .where('created_at', '>=', since)
      .where('kind', '!=', 'person')
      .where('state', '!=', 'undone')
      .orderBy('number', 'desc')
      .limit(limit)
      .execute();
  },

  /** Changes older than an instant that no job works on. */
  async listExpired(executor: Executor, before: number, limit: number): Promise<TagChange[]> {
    return executor
      .selectFrom('tag_changes')
      .selectAll()
      .where('created_at', '<=', before)
      .where('state', 'not in', ['running', 'undoing'])
      .orderBy('number')
      .limit(limit)
      .execute();
  },

  /** Changes that a job works on. */
  async listUnfinished(executor: Executor): Promise<TagChange[]> {
    return executor.selectFrom('tag_changes').selectAll().where('state', 'in', ['running', 'undoing']).execute();
  },

  async delete(executor: Executor, number: number): Promise<void> {
    await executor.deleteFrom('video_detail_changes').where('change_number', '=', number).execute();
    await executor.deleteFrom('tag_changes').where('number', '=', number).execute();
  },

  async insertTags(executor: Executor, changeNumber: number, tagNumbers: readonly number[]): Promise<void> {
    for (const tag_number of tagNumbers)
      await executor.insertInto('tag_change_tags').values({ change_number: changeNumber, tag_number }).execute();
  },

  /**
   * Numbers of the tags that a change removed, merged or created, without tags that were deleted
   * for good.
   */
  async listTags(executor: Executor, changeNumber: number): Promise<number[]> {
    const rows = await executor
      .selectFrom('tag_change_tags')
      .select('tag_number')
      .where('change_number', '=', changeNumber)
      .orderBy('tag_number')
      .execute();
    return rows.map((row) => row.tag_number);
  },

  /** Removes a tag that is deleted for good from all changes, because it cannot be restored. */
  async forgetTag(executor: Executor, tagNumber: number): Promise<void> {
    await executor.deleteFrom('tag_change_tags').where('tag_number', '=', tagNumber).execute();
  },

  /**
   * The name of an account, or of a deleted account that has made tags or changes; null if no such
   * person exists.
   */
  async findPersonName(executor: Executor, username: string): Promise<string | null> {
    const user = await executor
      .selectFrom('users')
      .select('username')
      .where('username_key', '=', username.toLowerCase())
      .executeTakeFirst();
    if (user !== undefined) return user.username;
    const tag = executor.selectFrom('tags').select('number').where('created_by', '=', username).limit(1);
    const change = executor.selectFrom('tag_changes').select('number').where('made_by', '=', username).limit(1);
    const isKnown = (await tag.executeTakeFirst()) ?? (await change.executeTakeFirst());
    return isKnown === undefined ? null : username;
  },

  /** Whether all changes of this person are being undone. */
  async isPersonUndone(executor: Executor, username: string): Promise<boolean> {
    const row = await executor
      .selectFrom('tag_changes')
      .select('number')
      .where('state', '=', 'running')
      .where('kind', '=', 'person')
      .where('subject', '=', username)
      .executeTakeFirst();
    return row !== undefined;
  },

  /** Counts the tags that are not removed. Merged ones are part of another tag and do not count. */
  async countTagsOfPerson(executor: Executor, tags: TagsOfPerson): Promise<number> {
    const { count } = await tagsOf(executor, tags).select(countAll().as('count')).executeTakeFirstOrThrow();
    return Number(count);
  },

  /**
   * The next tags, by number. `isOthers`: somebody else has edited the tag, or it is part of a
   * merge.
   */
  async listTagsOfPerson(
    executor: Executor,
    tags: TagsOfPerson,
    after: number,
    limit: number,
  ): Promise<{ number: number; name: string; isOthers: boolean }[]> {
    const rows = await tagsOf(executor, tags)
      .select(['number', 'name', 'edited_by', 'merged_into'])
      .where('number', '>', after)
      .orderBy('number')
      .limit(limit)
      .execute();
    if (rows.length === 0) return [];
    const numbers = rows.map((row) => row.number);
    const targets = await executor
      .selectFrom('tags')
      .select('merged_into')
      .where('merged_into', 'in', numbers)
      .distinct()
      .execute();
    const merged = new Set(targets.map((row) => row.merged_into));
    return rows.map(({ number, name, edited_by, merged_into }) => ({
      number,
      name,
      isOthers: (edited_by ?? tags.createdBy) !== tags.createdBy || merged_into !== null || merged.has(number),
    }));
  },

  /** Whether a tag is one of these, removed or not. */
  async isTagOf(executor: Executor, number: number, tags: TagsOfPerson): Promise<boolean> {
    const row = await executor
      .selectFrom('tags')
      .select('number')
      .where('number', '=', number)
      .where('created_by', '=', tags.createdBy)
      .where('created_at', '>=', tags.since)
      .where('created_at', '<', tags.before)
      .executeTakeFirst();
    return row !== undefined;
  },

  /**
   * Removes active tags as `tagEdits.delete` does, in few statements; at most `inListLength`.
   * @param removals the changes that can restore them, in the order of the tags
   */
  async deactivateTags(
    executor: Executor,
    tagNumbers: readonly number[],
    removals: readonly Insertable<Tables['tag_changes']>[],
  ): Promise<void> {
    if (tagNumbers.length === 0) return;
    await executor.updateTable('tags').set({ active: 0 }).where('number', 'in', tagNumbers).execute();
    await executor.updateTable('folder_channels').set({ removed: 1 }).where('tag_number', 'in', tagNumbers).execute();
    const rows = await executor.insertInto('tag_changes').values(removals).returning(['number', 'id']).execute();
    const numberOf = new Map(rows.map((row) => [row.id, row.number]));
    const links = removals.map(({ id }, index) => ({
      change_number: numberOf.get(id) ?? 0,
      tag_number: tagNumbers[index] ?? 0,
    }));
    await executor.insertInto('tag_change_tags').values(links).execute();
    await bumpRevision(executor, 'tags');
  },

  /** Adds to the totals of a change of the kind `person`. */
  async add(
    executor: Executor,
    number: number,
    { tags = 0, links = 0 }: { tags?: number; links?: number },
  ): Promise<void> {
    await executor
      .updateTable('tag_changes')
      .set((row) => ({ tags: row('tags', '+', tags), links: row('links', '+', links) }))
      .where('number', '=', number)
      .execute();
  },
};

function tagsOf(executor: Executor, { createdBy, since, before }: TagsOfPerson) {
  return executor
    .selectFrom('tags')
    .where('created_by', '=', createdBy)
    .where('created_at', '>=', since)
    .where('created_at', '<', before)
    .where((where) => where.or([where('active', '=', 1), where('merged_into', 'is not', null)]));
}
