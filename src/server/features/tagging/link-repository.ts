import type { VideoTag } from '#contract/entities/tag.ts';
import type { Executor } from '../../database/tables.ts';

/** The active tags of a video, by name. */
export async function listVideoTags(executor: Executor, videoNumber: number): Promise<VideoTag[]> {
  const rows = await executor
    .selectFrom('video_tags')
    .innerJoin('tags', 'tags.number', 'video_tags.tag_number')
    .select(['tags.id', 'tags.name', 'tags.color', 'video_tags.by_folder'])
    .where('video_tags.video_number', '=', videoNumber)
    .where('tags.active', '=', 1)
    .orderBy('tags.name_key')
    .execute();
  return rows.map(({ by_folder, ...label }) => ({ ...label, ...(by_folder === 1 && { by_folder: true }) }));
}

/**
 * Puts tags on a video, for people: what its folder put there becomes theirs.
 * @returns the tags that were not there, or by the folder
 */
export async function putLinks(
  executor: Executor,
  videoNumber: number,
  tagNumbers: readonly number[],
): Promise<number[]> {
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
}

export async function hasLink(executor: Executor, videoNumber: number, tagNumber: number): Promise<boolean> {
  const link = await executor
    .selectFrom('video_tags')
    .select('tag_number')
    .where('video_number', '=', videoNumber)
    .where('tag_number', '=', tagNumber)
    .executeTakeFirst();
  return link !== undefined;
}

export async function deleteLink(executor: Executor, videoNumber: number, tagNumber: number): Promise<void> {
  await executor
    .deleteFrom('video_tags')
    .where('video_number', '=', videoNumber)
    .where('tag_number', '=', tagNumber)
    .execute();
}
