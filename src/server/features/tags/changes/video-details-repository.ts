import type { Selectable } from 'kysely';
import type { Executor, Tables } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { nameIndexRepository } from '../../search/name-index-repository.ts';

/** The texts that people gave a video; null where they gave none. */
export interface EditedTexts {
  title: string | null;
  description: string | null;
}

type DetailChange = Selectable<Tables['video_detail_changes']>;

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

  async insertChange(transaction: Executor, change: DetailChange): Promise<void> {
    await transaction.insertInto('video_detail_changes').values(change).execute();
  },

  /** Whether the video still has the texts that the change gave it. */
  async isLatest(executor: Executor, changeNumber: number): Promise<boolean> {
    return (await findCurrent(executor, changeNumber)) !== null;
  },

  /** Gives the video its previous texts, unless it was changed again or has been removed. */
  async restore(transaction: Executor, changes: SetChanges, changeNumber: number): Promise<void> {
    const change = await findCurrent(transaction, changeNumber);
    if (change === null) return;
    const { video_number, old_title: title, old_description: description } = change;
    await videoDetailsRepository.write(transaction, changes, video_number, { title, description });
  },
};

async function findCurrent(executor: Executor, changeNumber: number): Promise<DetailChange | null> {
  const row = await executor
    .selectFrom('video_detail_changes as change')
    .innerJoin('videos', 'videos.number', 'change.video_number')
    .selectAll('change')
    .select(['edited_title', 'edited_description'])
    .where('change_number', '=', changeNumber)
    .executeTakeFirst();
  if (row === undefined) return null;
  const { edited_title, edited_description, ...change } = row;
  const isCurrent = edited_title === change.new_title && edited_description === change.new_description;
  return isCurrent ? change : null;
}
