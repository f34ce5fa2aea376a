import type { ExpressionBuilder } from 'kysely';
import { inListLength } from '../../database/dialect.ts';
import type { Flag } from '../../database/tables/column-types.ts';
import type { Executor, Tables } from '../../database/tables.ts';
import { maxMerges } from './merged-tag-repository.ts';

/** Links that a folder gives to its videos, when people change tags. */
export const folderLinks = {
  /*
   * This module records what people do to channels and links of folders, in the transaction of the
   * act, so that the next scan does not bring back what they removed.
   */

  /**
   * Remembers that people remove links of a tag, before they are deleted, so that scans do not
   * restore those given by folders.
   */
  async rememberRemoved(executor: Executor, tagNumber: number, videoNumbers: readonly number[]): Promise<void> {
    const tags = await findMergedInto(executor, tagNumber);
    for (let from = 0; from < videoNumbers.length; from += inListLength) {
      const numbers = videoNumbers.slice(from, from + inListLength);
      await executor
        .insertInto('removed_folder_links')
        .columns(['video_number', 'folder_channel_number'])
        .expression(
          executor
            .selectFrom('video_tags')
            .innerJoin('videos', 'videos.number', 'video_tags.video_number')
            .innerJoin('folder_channels', 'folder_channels.root_number', 'videos.root_number')
            .select(['video_tags.video_number', 'folder_channels.number'])
            .where('video_tags.tag_number', '=', tagNumber)
            .where('video_tags.video_number', 'in', numbers)
            .where('folder_channels.tag_number', 'in', tags)
            // A link that people made in place of the folder's is remembered too, or the folder
            // would restore it.
            .where((where) => where.or([where('video_tags.by_folder', '=', 1), isInFolder(where)])),
        )
        .onConflict((conflict) => conflict.doNothing())
        .execute();
    }
  },

  /**
   * Reverts a link to the folder's after people removed it or made it theirs.
   * @returns false when the video's folder does not give it this tag
   */
  async giveBack(executor: Executor, tagNumber: number, videoNumber: number): Promise<boolean> {
    const tags = await findMergedInto(executor, tagNumber);
    const channel = await executor
      .selectFrom('videos')
      .innerJoin('folder_channels', 'folder_channels.root_number', 'videos.root_number')
      .select('folder_channels.number')
      .where('videos.number', '=', videoNumber)
      .where('folder_channels.tag_number', 'in', tags)
      .where('folder_channels.removed', '=', 0)
      .where(isInFolder)
      .executeTakeFirst();
    if (channel === undefined) return false;
    const channels = executor.selectFrom('folder_channels').select('number').where('tag_number', 'in', tags);
    await executor
      .deleteFrom('removed_folder_links')
      .where('video_number', '=', videoNumber)
      .where('folder_channel_number', 'in', channels)
      .execute();
    await executor
      .insertInto('video_tags')
      .values({ video_number: videoNumber, tag_number: tagNumber, by_folder: 1 })
      .onConflict((conflict) => conflict.columns(['video_number', 'tag_number']).doUpdateSet({ by_folder: 1 }))
      .execute();
    return true;
  },

  /**
   * 1: people removed the tag, whether it can be restored or not, and no folder restores it. 0: the
   * removal was undone.
   */
  async markChannelRemoved(executor: Executor, tagNumber: number, removed: Flag): Promise<void> {
    const tags = await findMergedInto(executor, tagNumber);
    await executor.updateTable('folder_channels').set({ removed }).where('tag_number', 'in', tags).execute();
  },

  /**
   * Marks a channel as edited by people. It no longer follows the name of its folder, and stays
   * when folder channels are switched off.
   */
  async claimName(executor: Executor, tagNumber: number): Promise<void> {
    await executor
      .updateTable('folder_channels')
      .set({ given_name: null })
      .where('tag_number', '=', tagNumber)
      .execute();
  },
};

function isInFolder(where: ExpressionBuilder<Tables, 'videos' | 'folder_channels'>) {
  const length = where(where.fn<number>('length', ['folder_channels.folder']), '+', 1);
  const start = where.fn<string>('substr', ['videos.path', where.lit(1), length]);
  return where(start, '=', where('folder_channels.folder', '||', '/'));
}

/** A tag and those merged into it, because it has the videos of all their folders. */
async function findMergedInto(executor: Executor, tagNumber: number): Promise<number[]> {
  const found = new Set([tagNumber]);
  let latest = [tagNumber];
  for (let merge = 0; merge < maxMerges && latest.length > 0; merge += 1) {
    const rows = await executor.selectFrom('tags').select('number').where('merged_into', 'in', latest).execute();
    latest = rows.map((row) => row.number).filter((number) => !found.has(number));
    for (const number of latest) found.add(number);
  }
  return [...found];
}
