import type { Executor } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import type { FirstFolder } from './first-folder.ts';

/** A video with the links that say something about its folder. */
export interface LinkedVideo {
  number: number;
  rootNumber: number;
  path: string;
  isMissing: boolean;
  /** True for those by a folder, by the number of the tag. */
  links: ReadonlyMap<number, boolean>;
  /** The folder channels whose link somebody took off. */
  removedChannels: readonly number[];
}

/** A link by its two ends. */
export interface Link {
  videoNumber: number;
  tagNumber: number;
}

/** The numbers of all videos, in ascending pages. */
export async function listVideoNumbers(executor: Executor, afterNumber: number, limit: number): Promise<number[]> {
  const rows = await executor
    .selectFrom('videos')
    .select('number')
    .where('number', '>', afterNumber)
    .orderBy('number')
    .limit(limit)
    .execute();
  return rows.map((row) => row.number);
}

/** @param numbers at most `inListLength` */
export async function readLinkedVideos(executor: Executor, numbers: readonly number[]): Promise<LinkedVideo[]> {
  const videos = await executor
    .selectFrom('videos')
    .select(['number', 'root_number', 'path', 'missing_since'])
    .where('number', 'in', numbers)
    .execute();
  const links = await executor
    .selectFrom('video_tags')
    .select(['video_number', 'tag_number', 'by_folder'])
    .where('video_number', 'in', numbers)
    .execute();
  const removed = await executor
    .selectFrom('removed_folder_links')
    .selectAll()
    .where('video_number', 'in', numbers)
    .execute();
  const linksByVideo = Map.groupBy(links, (link) => link.video_number);
  const removedByVideo = Map.groupBy(removed, (link) => link.video_number);
  return videos.map((video) => ({
    number: video.number,
    rootNumber: video.root_number,
    path: video.path,
    isMissing: video.missing_since !== null,
    links: new Map((linksByVideo.get(video.number) ?? []).map((link) => [link.tag_number, link.by_folder === 1])),
    removedChannels: (removedByVideo.get(video.number) ?? []).map((link) => link.folder_channel_number),
  }));
}

export async function addFolderLinks(executor: Executor, changes: SetChanges, links: readonly Link[]): Promise<void> {
  if (links.length === 0) return;
  const added = await executor
    .insertInto('video_tags')
    .values(
      links.map(({ videoNumber, tagNumber }) => ({ video_number: videoNumber, tag_number: tagNumber, by_folder: 1 })),
    )
    .onConflict((conflict) => conflict.doNothing())
    .returning(['video_number', 'tag_number'])
    .execute();
  for (const link of added) changes.add(link.tag_number, link.video_number);
}

/** Those that people have put stay. */
export async function deleteFolderLinks(
  executor: Executor,
  changes: SetChanges,
  tagNumber: number,
  videoNumbers: readonly number[],
): Promise<void> {
  const deleted = await executor
    .deleteFrom('video_tags')
    .where('tag_number', '=', tagNumber)
    .where('by_folder', '=', 1)
    .where('video_number', 'in', videoNumbers)
    .returning('video_number')
    .execute();
  changes.remove(tagNumber, ...deleted.map((link) => link.video_number));
}

/** The videos that have a tag by their folder, in ascending pages. */
export async function listByFolder(
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
    .where('by_folder', '=', 1)
    .orderBy('video_number')
    .limit(limit)
    .execute();
  return rows.map((row) => row.video_number);
}

/** Paths of a root's videos that are there, after one, in their order. */
export async function listPresentPaths(
  executor: Executor,
  rootNumber: number,
  after: string,
  limit: number,
): Promise<string[]> {
  const rows = await executor
    .selectFrom('videos')
    .select('path')
    .where('root_number', '=', rootNumber)
    .where('path', '>', after)
    .where('missing_since', 'is', null)
    .orderBy('path')
    .limit(limit)
    .execute();
  return rows.map((row) => row.path);
}

/** Whether a folder has any video, there or missing. */
export async function hasVideos(executor: Executor, folder: FirstFolder): Promise<boolean> {
  return (await belowFolder(executor, folder).limit(1).executeTakeFirst()) !== undefined;
}

/** Whether more videos of a folder than some are there. */
export async function hasMorePresent(executor: Executor, folder: FirstFolder, count: number): Promise<boolean> {
  const rows = await belowFolder(executor, folder)
    .where('missing_since', 'is', null)
    .limit(count + 1)
    .execute();
  return rows.length > count;
}

/** `0` is the character after the slash. */
function belowFolder(executor: Executor, { rootNumber, folder }: FirstFolder) {
  return executor
    .selectFrom('videos')
    .select('number')
    .where('root_number', '=', rootNumber)
    .where('path', '>', `${folder}/`)
    .where('path', '<', `${folder}0`);
}
