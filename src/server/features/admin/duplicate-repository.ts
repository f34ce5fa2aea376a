import { sql } from 'kysely';
import { countAll } from '../../database/dialect.ts';
import type { Executor } from '../../database/tables.ts';
import type { LibraryVideo } from '../videos/video.ts';
import { toVideo } from '../videos/video.ts';

/** A video of a listed group. */
export interface DuplicateRow {
  groupNumber: number;
  video: LibraryVideo;
  videoCodec: string | null;
  /** Epoch milliseconds. */
  createdAt: number;
  isUpload: boolean;
  content: string | null;
  still: string | null;
}

export interface UploadEntry {
  /** The number of its video. */
  of: number;
  id: string;
  userId: string | null;
}

/** Videos that equal others or look like them. */
export const duplicateRepository = {
  /** The groups that a search has put these videos into, by number. */
  async findGroups(executor: Executor, numbers: readonly number[], search: string) {
    if (numbers.length === 0) return new Map<number, number>();
    const rows = await executor
      .selectFrom('duplicates')
      .select(['video_number', 'group_number'])
      .where('video_number', 'in', numbers)
      .where('search', '=', search)
      .execute();
    return new Map(rows.map((row) => [row.video_number, row.group_number]));
  },

  /** Puts videos into a group, together with those that were in a group of theirs. */
  async putGroup(transaction: Executor, group: number, numbers: readonly number[], search: string) {
    await transaction
      .updateTable('duplicates')
      .set({ group_number: group })
      .where('group_number', 'in', numbers)
      .where('search', '=', search)
      .execute();
    const videos = transaction.selectFrom('videos').select('number');
    const there = await videos.where('number', 'in', numbers).execute();
    if (there.length === 0) return;
    const facts = { group_number: group, search };
    await transaction
      .insertInto('duplicates')
      .values(there.map(({ number }) => ({ video_number: number, ...facts })))
      .onConflict((conflict) => conflict.column('video_number').doUpdateSet(facts))
      .execute();
  },

  /**
   * Marks the videos of a group as kept, or as not kept.
   * @returns false for a video that has no duplicate
   */
  async markKept(transaction: Executor, videoId: string, isKept: boolean): Promise<boolean> {
    const group = transaction
      .selectFrom('duplicates')
      .innerJoin('videos', 'videos.number', 'duplicates.video_number')
      .select('group_number')
      .where('videos.id', '=', videoId);
    const rows = await transaction
      .updateTable('duplicates')
      .set({ kept: isKept ? 1 : 0 })
      .where('group_number', 'in', group)
      .returning('video_number')
      .execute();
    return rows.length > 0;
  },

  /**
   * Deletes at most `most` videos that a search did not find.
   * @param sparesKept leave those of kept groups, because the search could not see everything
   * @returns their number
   */
  async deleteOthers(transaction: Executor, search: string, most: number, sparesKept: boolean): Promise<number> {
    const found = transaction.selectFrom('duplicates').select('video_number');
    const gone = found.where('search', '!=', search);
    const old = (sparesKept ? gone.where('kept', '=', 0) : gone).limit(most);
    const rows = await transaction
      .deleteFrom('duplicates')
      .where('video_number', 'in', old)
      .returning('video_number')
      .execute();
    return rows.length;
  },

  async countGroups(executor: Executor): Promise<number> {
    const { count } = await executor
      .selectFrom(selectGroups(executor).as('groups'))
      .select(countAll().as('count'))
      .executeTakeFirstOrThrow();
    return Number(count);
  },

  /** The groups whose videos take most room first. */
  async listGroups(
    executor: Executor,
    { limit, offset }: { limit: number; offset: number },
  ): Promise<{ number: number; count: number }[]> {
    const rows = await selectGroups(executor)
      .orderBy((row) => row.fn.sum('videos.size'), 'desc')
      .orderBy('duplicates.group_number')
      .limit(limit)
      .offset(offset)
      .execute();
    return rows.map(({ group_number, count }) => ({ number: group_number, count: Number(count) }));
  },

  /** At most `most` videos of each of these groups, the oldest first. */
  async listMembers(executor: Executor, groups: readonly number[], most: number) {
    if (groups.length === 0) return [];
    const place = sql<number>`row_number() over (partition by group_number order by videos.number)`;
    const members = selectShown(executor)
      .leftJoin('video_prints as print', (join) =>
        join
          .onRef('print.video_number', '=', 'videos.number')
          .onRef('print.size', '=', 'videos.size')
          .onRef('print.modified_us', '=', 'videos.modified_us'),
      )
      .selectAll('videos')
      .select(['duplicates.group_number', 'library_roots.kind', 'print.content', 'print.still'])
      .select(place.as('place'))
      .where('duplicates.group_number', 'in', groups);
    const rows = await executor
      .selectFrom(members.as('members'))
      .selectAll()
      .where('place', '<=', most)
      .orderBy('number')
      .execute();
    return rows.map(
      (row): DuplicateRow => ({
        groupNumber: row.group_number,
        video: toVideo(row),
        videoCodec: row.video_codec,
        createdAt: row.created_at,
        isUpload: row.kind === 'uploads',
        content: row.content,
        still: row.still,
      }),
    );
  },

  /** The active tags of these videos, by name. */
  async listTags(executor: Executor, numbers: readonly number[]) {
    if (numbers.length === 0) return [];
    return executor
      .selectFrom('video_tags')
      .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
      .select(['video_tags.video_number as of', 'tags.id', 'tags.name'])
      .where('video_tags.video_number', 'in', numbers)
      .where('tags.active', '=', 1)
      .orderBy('tags.name_key')
      .execute();
  },

  /** The entries of upload histories that lead to these videos, the oldest first. */
  async listEntries(executor: Executor, numbers: readonly number[]): Promise<UploadEntry[]> {
    if (numbers.length === 0) return [];
    const rows = await executor
      .selectFrom('upload_files')
      .select(['id', 'user_id', 'video_number'])
      .where('video_number', 'in', numbers)
      .where('removed_at', 'is', null)
      .orderBy('id')
      .execute();
    return rows.map((row) => ({ of: row.video_number ?? 0, id: row.id, userId: row.user_id }));
  },
};

/** Duplicates that viewers can come upon: neither hidden nor missing. */
function selectShown(executor: Executor) {
  return executor
    .selectFrom('duplicates')
    .innerJoin('videos', 'videos.number', 'duplicates.video_number')
    .innerJoin('library_roots', 'library_roots.number', 'videos.root_number')
    .where('videos.hidden_at', 'is', null)
    .where('videos.missing_since', 'is', null)
    .where('library_roots.active', '=', 1);
}

/** Groups of which at least two videos are shown, and not all are kept. */
function selectGroups(executor: Executor) {
  return selectShown(executor)
    .select(['duplicates.group_number', countAll().as('count')])
    .groupBy('duplicates.group_number')
    .having(sql<boolean>`count(*) > 1 and min(duplicates.kept) = 0`);
}
