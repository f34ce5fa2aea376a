import type { Selectable } from 'kysely';
import { sql } from 'kysely';
import type { Executor, Tables } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { nameIndexRepository } from '../../search/name-index-repository.ts';

/** The texts that people gave a video; null where they gave none. */
export interface EditedTexts {
  title: string | null;
  description: string | null;
}

type VideoRow = Selectable<Tables['videos']>;

/** The texts of a video before and after a change. */
export interface DetailsOfChange {
  videoNumber: number;
  old: EditedTexts;
  texts: EditedTexts;
}

const textColumns = ['filename', 'found_title', 'found_description', 'edited_title', 'edited_description'] as const;

/** Titles and descriptions that people give videos, and their changes, which can be undone. */
export const videoDetailsRepository = {
  async find(executor: Executor, id: string): Promise<Selectable<Tables['videos']> | null> {
    return (await executor.selectFrom('videos').selectAll().where('id', '=', id).executeTakeFirst()) ?? null;
  },

  /** Stores the texts, and records them for the name index and the order of names. */
  async write(
    transaction: Executor,
    changes: SetChanges,
    videoNumber: number,
    { title, description }: EditedTexts,
  ): Promise<void> {
    const was = (await nameIndexRepository.readTexts(transaction, [videoNumber])).get(videoNumber);
    if (was === undefined) return;
    await transaction
      .updateTable('videos')
      .set({ edited_title: title, edited_description: description })
      .where('number', '=', videoNumber)
      .execute();
    await nameIndexRepository.recordNames(transaction, changes, [{ number: videoNumber, was }]);
  },

  /** Makes the texts of a video part of a change. A second time changes nothing. */
  async insertChange(
    transaction: Executor,
    changeNumber: number,
    { videoNumber, old, texts }: DetailsOfChange,
  ): Promise<void> {
    await transaction
      .insertInto('video_detail_changes')
      .values({
        change_number: changeNumber,
        video_number: videoNumber,
        old_title: old.title,
        old_description: old.description,
        new_title: texts.title,
        new_description: texts.description,
      })
      .onConflict((conflict) => conflict.columns(['change_number', 'video_number']).doNothing())
      .execute();
  },

  /** Reads the sources of these videos' texts, for at most `inListLength` numbers. */
  async findTexts(
    executor: Executor,
    numbers: readonly number[],
  ): Promise<Pick<VideoRow, 'number' | (typeof textColumns)[number]>[]> {
    if (numbers.length === 0) return [];
    return executor
      .selectFrom('videos')
      .select(['number', ...textColumns])
      .where('number', 'in', numbers)
      .execute();
  },

  /** The next videos that people gave texts, by number. */
  async listEdited(executor: Executor, after: number, limit: number) {
    return executor
      .selectFrom('videos')
      .select(['number', 'root_number as rootNumber', 'path', 'edited_title', 'edited_description'])
      .where('number', '>', after)
      .where(isEdited)
      .orderBy('number')
      .limit(limit)
      .execute();
  },

  /** Whether the video still has the texts that the change gave it. */
  async isLatest(executor: Executor, changeNumber: number): Promise<boolean> {
    const [details] = await videoDetailsRepository.listOfChange(executor, changeNumber, 0, 1);
    return details !== undefined && areEqual(details.texts, details.current);
  },

  /** The next videos of a change, by number, with their present texts, without removed ones. */
  async listOfChange(
    executor: Executor,
    changeNumber: number,
    afterVideo: number,
    limit: number,
  ): Promise<(DetailsOfChange & { current: EditedTexts })[]> {
    const rows = await executor
      .selectFrom('video_detail_changes as change')
      .innerJoin('videos', 'videos.number', 'change.video_number')
      .selectAll('change')
      .select(['edited_title', 'edited_description'])
      .where('change_number', '=', changeNumber)
      .where('video_number', '>', afterVideo)
      .orderBy('video_number')
      .limit(limit)
      .execute();
    return rows.map((row) => ({
      videoNumber: row.video_number,
      old: { title: row.old_title, description: row.old_description },
      texts: { title: row.new_title, description: row.new_description },
      current: { title: row.edited_title, description: row.edited_description },
    }));
  },

  /**
   * Deletes at most `most` videos of a change.
   * @returns their number
   */
  async deleteOfChange(transaction: Executor, changeNumber: number, most: number): Promise<number> {
    const rows = await transaction
      .deleteFrom('video_detail_changes')
      .where('change_number', '=', changeNumber)
      .where('video_number', 'in', (row) =>
        row
          .selectFrom('video_detail_changes')
          .select('video_number')
          .where('change_number', '=', changeNumber)
          .limit(most),
      )
      .returning('video_number')
      .execute();
    return rows.length;
  },
};

/** The condition of the index that lists such videos. */
const isEdited = sql<boolean>`(edited_title is not null or edited_description is not null)`;

/** Whether two pairs of texts are the same. */
export function areEqual(one: EditedTexts, other: EditedTexts): boolean {
  return one.title === other.title && one.description === other.description;
}
