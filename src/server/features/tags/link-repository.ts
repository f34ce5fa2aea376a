import { sql } from 'kysely';
import type { VideoTag } from '#contract/entities/tag.ts';
import { audienceRanks, tagAudiences } from '#contract/rules/tag.ts';
import type { Executor } from '../../database/tables.ts';

/** The merged tag and the tag that gets its links, by number. */
export interface TagPair {
  from: number;
  into: number;
}

const rowsPerInsert = 500;

/** Links of one tag. All functions below take at most `inListLength` videos. */
export interface LinkSlice {
  changeNumber: number;
  tagNumber: number;
  videoNumbers: readonly number[];
}

/** Links between tags and videos. */
export const tagLinkRepository = {
  /** The active tags of a video that a viewer of a rank sees, by name. */
  async listOfVideo(executor: Executor, videoNumber: number, rank: number): Promise<VideoTag[]> {
    const rows = await executor
      .selectFrom('video_tags')
      .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
      .select(['tags.id', 'tags.name', 'tags.color', 'video_tags.by_folder'])
      .where('video_tags.video_number', '=', videoNumber)
      .where('tags.active', '=', 1)
      .where(
        'tags.audience',
        'in',
        tagAudiences.filter((audience) => audienceRanks[audience] <= rank),
      )
      .orderBy('tags.name_key')
      .execute();
    return rows.map(({ by_folder, ...label }) => ({ ...label, ...(by_folder === 1 && { by_folder: true }) }));
  },

  /** Whether a video has a restricted tag, active or not. */
  async isOnRestricted(executor: Executor, videoNumber: number): Promise<boolean> {
    const row = await executor
      .selectFrom('video_tags')
      .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
      .select('tags.number')
      .where('video_tags.video_number', '=', videoNumber)
      .where('tags.audience', '!=', 'anyone')
      .limit(1)
      .executeTakeFirst();
    return row !== undefined;
  },

  /**
   * Assigns tags to a video on behalf of people. Links given by its folder become theirs.
   * @returns the tags that were absent or given by the folder
   */
  async putTagsOnVideo(executor: Executor, videoNumber: number, tagNumbers: readonly number[]): Promise<number[]> {
    const links = await executor
      .insertInto('video_tags')
      .values(tagNumbers.map((tag_number) => ({ video_number: videoNumber, tag_number, by_folder: 0 as const })))
      .onConflict((conflict) =>
        conflict
          .columns(['video_number', 'tag_number'])
          .doUpdateSet({ by_folder: 0 })
          .where('video_tags.by_folder', '=', 1),
      )
      .returning('tag_number')
      .execute();
    return links.map((link) => link.tag_number);
  },

  async has(executor: Executor, videoNumber: number, tagNumber: number): Promise<boolean> {
    const link = await executor
      .selectFrom('video_tags')
      .select('tag_number')
      .where('video_number', '=', videoNumber)
      .where('tag_number', '=', tagNumber)
      .executeTakeFirst();
    return link !== undefined;
  },

  async delete(executor: Executor, videoNumber: number, tagNumber: number): Promise<void> {
    await executor
      .deleteFrom('video_tags')
      .where('video_number', '=', videoNumber)
      .where('tag_number', '=', tagNumber)
      .execute();
  },

  /**
   * The videos that people assigned a tag to, in the order of their row numbers, after one of them.
   */
  async listPlaces(
    executor: Executor,
    tagNumber: number,
    afterNumber: number,
    limit: number,
  ): Promise<{ number: number; rootNumber: number; path: string }[]> {
    return executor
      .selectFrom('video_tags')
      .innerJoin('videos', 'videos.number', 'video_tags.video_number')
      .select(['videos.number', 'videos.root_number as rootNumber', 'videos.path'])
      .where('video_tags.tag_number', '=', tagNumber)
      .where('video_tags.by_folder', '=', 0)
      .where('video_tags.video_number', '>', afterNumber)
      .orderBy('video_tags.video_number')
      .limit(limit)
      .execute();
  },

  /**
   * Copies links of at most `inListLength` videos.
   * @returns the videos that had the first tag and not the second
   */
  async copy(executor: Executor, { from, into }: TagPair, videoNumbers: readonly number[]): Promise<number[]> {
    if (videoNumbers.length === 0) return [];
    const links = executor
      .selectFrom('video_tags')
      .select(['video_number', sql.lit(into).as('tag_number'), 'by_folder'])
      .where('tag_number', '=', from)
      .where('video_number', 'in', videoNumbers);
    const added = await executor
      .insertInto('video_tags')
      .columns(['video_number', 'tag_number', 'by_folder'])
      .expression(links)
      .onConflict((conflict) => conflict.doNothing())
      .returning('video_number')
      .execute();
    return added.map((link) => link.video_number);
  },

  /** The next links of a tag, by video. */
  async listOfTag(
    executor: Executor,
    tagNumber: number,
    afterNumber: number,
    limit: number,
  ): Promise<{ videoNumber: number; isByFolder: boolean }[]> {
    const rows = await executor
      .selectFrom('video_tags')
      .select(['video_number', 'by_folder'])
      .where('tag_number', '=', tagNumber)
      .where('video_number', '>', afterNumber)
      .orderBy('video_number')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ videoNumber: row.video_number, isByFolder: row.by_folder === 1 }));
  },

  /**
   * Makes links of the second tag people's where the first was assigned by people, even if the
   * folder gave the second.
   */
  async takeOverFolderLinks(
    executor: Executor,
    { from, into }: TagPair,
    videoNumbers: readonly number[],
  ): Promise<void> {
    if (videoNumbers.length === 0) return;
    const people = executor
      .selectFrom('video_tags as link')
      .select('link.video_number')
      .where('link.tag_number', '=', from)
      .where('link.by_folder', '=', 0)
      .where('link.video_number', 'in', videoNumbers);
    await executor
      .updateTable('video_tags')
      .set({ by_folder: 0 })
      .where('tag_number', '=', into)
      .where('video_number', 'in', people)
      .execute();
  },

  /**
   * Assigns a tag to at most `inListLength` existing videos on behalf of people.
   * @returns the videos that did not have it
   */
  async putTagOnVideos(executor: Executor, tagNumber: number, videoNumbers: readonly number[]): Promise<number[]> {
    if (videoNumbers.length === 0) return [];
    const links = executor
      .selectFrom('videos')
      .select(['number', sql.lit(tagNumber).as('tag_number'), sql.lit(0).as('by_folder')])
      .where('number', 'in', videoNumbers);
    const added = await executor
      .insertInto('video_tags')
      .columns(['video_number', 'tag_number', 'by_folder'])
      .expression(links)
      .onConflict((conflict) => conflict.doNothing())
      .returning('video_number')
      .execute();
    await executor
      .updateTable('video_tags')
      .set({ by_folder: 0 })
      .where('tag_number', '=', tagNumber)
      .where('video_number', 'in', videoNumbers)
      .where('by_folder', '=', 1)
      .execute();
    return added.map((link) => link.video_number);
  },

  /** @returns the videos that had the tag */
  async takeTagFromVideos(executor: Executor, tagNumber: number, videoNumbers: readonly number[]): Promise<number[]> {
    if (videoNumbers.length === 0) return [];
    const links = await executor
      .deleteFrom('video_tags')
      .where('tag_number', '=', tagNumber)
      .where('video_number', 'in', videoNumbers)
      .returning('video_number')
      .execute();
    return links.map((link) => link.video_number);
  },

  /** Whether a tag has links, or other tags were merged into it. */
  async isTagUsed(executor: Executor, tagNumber: number): Promise<boolean> {
    const link = await executor
      .selectFrom('video_tags')
      .select('tag_number')
      .where('tag_number', '=', tagNumber)
      .limit(1)
      .executeTakeFirst();
    const merged = await executor
      .selectFrom('tags')
      .select('number')
      .where('merged_into', '=', tagNumber)
      .limit(1)
      .executeTakeFirst();
    return link !== undefined || merged !== undefined;
  },

  /** Stores the links that a change will make. */
  async plan(executor: Executor, changeNumber: number, links: readonly ChangeLink[]): Promise<void> {
    for (let from = 0; from < links.length; from += rowsPerInsert) {
      const rows = links.slice(from, from + rowsPerInsert).map(({ tagNumber, videoNumber }) => ({
        change_number: changeNumber,
        tag_number: tagNumber,
        video_number: videoNumber,
        state: 'planned' as const,
      }));
      await executor
        .insertInto('tag_change_links')
        .values(rows)
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  },

  /** The next tag that a change has links to, or null. */
  async findNextTag(executor: Executor, changeNumber: number, afterTag: number): Promise<number | null> {
    const row = await executor
      .selectFrom('tag_change_links')
      .select('tag_number')
      .where('change_number', '=', changeNumber)
      .where('tag_number', '>', afterTag)
      .orderBy('tag_number')
      .limit(1)
      .executeTakeFirst();
    return row?.tag_number ?? null;
  },

  /** The next videos of a change and a tag. */
  async listOfChange(
    executor: Executor,
    { changeNumber, tagNumber }: Pick<LinkSlice, 'changeNumber' | 'tagNumber'>,
    afterVideo: number,
    limit: number,
  ): Promise<{ videoNumber: number; state: 'planned' | 'added' }[]> {
    const rows = await executor
      .selectFrom('tag_change_links')
      .select(['video_number', 'state'])
      .where('change_number', '=', changeNumber)
      .where('tag_number', '=', tagNumber)
      .where('video_number', '>', afterVideo)
      .orderBy('video_number')
      .limit(limit)
      .execute();
    return rows.map((row) => ({ videoNumber: row.video_number, state: row.state }));
  },

  async deleteOfChange(executor: Executor, { changeNumber, tagNumber, videoNumbers }: LinkSlice): Promise<void> {
    if (videoNumbers.length === 0) return;
    await executor
      .deleteFrom('tag_change_links')
      .where('change_number', '=', changeNumber)
      .where('tag_number', '=', tagNumber)
      .where('video_number', 'in', videoNumbers)
      .execute();
  },

  /** Records links that a change added, so that undoing it removes them. */
  async recordAdded(executor: Executor, { changeNumber, tagNumber, videoNumbers }: LinkSlice) {
    if (videoNumbers.length === 0) return;
    const links = executor
      .selectFrom('video_tags')
      .select([sql.lit(changeNumber).as('change_number'), 'tag_number', 'video_number', sql.lit('added').as('state')])
      .where('tag_number', '=', tagNumber)
      .where('video_number', 'in', videoNumbers);
    await executor
      .insertInto('tag_change_links')
      .columns(['change_number', 'tag_number', 'video_number', 'state'])
      .expression(links)
      .onConflict((conflict) =>
        conflict.columns(['change_number', 'tag_number', 'video_number']).doUpdateSet({ state: 'added' }),
      )
      .execute();
    await executor
      .updateTable('tag_changes')
      .set((row) => ({ links: row('links', '+', videoNumbers.length) }))
      .where('number', '=', changeNumber)
      .execute();
  },

  /**
   * Detaches links from earlier changes, so that they stay when those are undone, because they were
   * assigned again.
   * @param byChange number of the change that assigns them; null: by hand
   */
  async claim(
    executor: Executor,
    tagNumbers: readonly number[],
    videoNumbers: readonly number[],
    byChange: number | null = null,
  ): Promise<void> {
    const changes = executor
      .selectFrom('tag_changes')
      .select('number')
      .where('kind', '!=', 'removal')
      .$if(byChange !== null, (query) => query.where('number', '!=', byChange ?? 0));
    await executor
      .deleteFrom('tag_change_links')
      .where('change_number', 'in', changes)
      .where('tag_number', 'in', tagNumbers)
      .where('video_number', 'in', videoNumbers)
      .where('state', '=', 'added')
      .execute();
  },

  /**
   * Finds the links of a slice that another merge, which was not undone, has added as well.
   * @returns number of that change by video
   */
  async findOtherMerges(
    executor: Executor,
    { changeNumber, tagNumber, videoNumbers }: LinkSlice,
  ): Promise<ReadonlyMap<number, number>> {
    const rows = await executor
      .selectFrom('video_tags')
      .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
      .innerJoin('tag_change_tags', 'tag_change_tags.tag_number', 'tags.number')
      .innerJoin('tag_changes', 'tag_changes.number', 'tag_change_tags.change_number')
      .select(['video_tags.video_number', 'tag_changes.number'])
      .where('video_tags.video_number', 'in', videoNumbers)
      .where('tags.active', '=', 0)
      .where('tags.merged_into', '=', tagNumber)
      .where('tag_changes.kind', '=', 'merge')
      .where('tag_changes.state', '=', 'done')
      .where('tag_changes.number', '!=', changeNumber)
      .execute();
    return new Map(rows.map((row) => [row.video_number, row.number]));
  },
};

/** A link of a change. */
interface ChangeLink {
  tagNumber: number;
  videoNumber: number;
}
