import type { Insertable, Updateable } from 'kysely';
import type { Executor, Tables } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { tagNameKey } from '../../tags/tag-repository.ts';
import type { FirstFolder } from './first-folders.ts';

/** A first folder with the channel that it has or had. */
export interface FolderChannel extends FirstFolder {
  number: number;
  isRootActive: boolean;
  /**
   * The tag name that the folder has given; null once a person has changed it, or when the folder
   * joined a tag.
   */
  givenName: string | null;
  /** A person has removed the channel. */
  isRemoved: boolean;
  /** The present or former tag of the channel. */
  tag: ChannelTag | null;
}

export interface ChannelTag {
  number: number;
  name: string;
  isActive: boolean;
  mergedInto: number | null;
}

const switchName = 'folder_channels';

/** A video with the links that concern its folder. */
export interface LinkedVideo {
  number: number;
  rootNumber: number;
  path: string;
  isMissing: boolean;
  /** Whether each link is by a folder, by tag number. */
  links: ReadonlyMap<number, boolean>;
  /** The folder channels whose link a person has removed. */
  removedChannels: readonly number[];
}

/** A link between a video and a tag. */
export interface Link {
  videoNumber: number;
  tagNumber: number;
}

/** Channels of folders, and the links to the videos below them. */
export const folderChannelRepository = {
  async list(executor: Executor): Promise<FolderChannel[]> {
    const rows = await executor
      .selectFrom('folder_channels as channel')
      .innerJoin('library_roots as root', 'root.number', 'channel.root_number')
      .leftJoin('tags as tag', 'tag.number', 'channel.tag_number')
      .select(['channel.number', 'channel.root_number', 'channel.folder', 'channel.given_name', 'channel.removed'])
      .select(['root.active as root_active', 'tag.number as tag_number', 'tag.name', 'tag.active', 'tag.merged_into'])
      .orderBy('channel.number')
      .execute();
    return rows.map((row) => ({
      number: row.number,
      rootNumber: row.root_number,
      folder: row.folder,
      isRootActive: row.root_active === 1,
      givenName: row.given_name,
      isRemoved: row.removed === 1,
      tag:
        row.tag_number === null
          ? null
          : { number: row.tag_number, name: row.name ?? '', isActive: row.active === 1, mergedInto: row.merged_into },
    }));
  },

  async findTags(executor: Executor, numbers: readonly number[]): Promise<ChannelTag[]> {
    const rows = await executor
      .selectFrom('tags')
      .select(['number', 'name', 'active', 'merged_into'])
      .where('number', 'in', numbers)
      .execute();
    return rows.map((row) => ({
      number: row.number,
      name: row.name,
      isActive: row.active === 1,
      mergedInto: row.merged_into,
    }));
  },

  async insert(executor: Executor, channel: Omit<Insertable<Tables['folder_channels']>, 'removed'>): Promise<void> {
    await executor
      .insertInto('folder_channels')
      .values({ ...channel, removed: 0 })
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  },

  async update(executor: Executor, number: number, facts: Updateable<Tables['folder_channels']>): Promise<void> {
    await executor.updateTable('folder_channels').set(facts).where('number', '=', number).execute();
  },

  async renameTag(executor: Executor, number: number, name: string): Promise<void> {
    await executor
      .updateTable('tags')
      .set({ name, name_key: tagNameKey(name) })
      .where('number', '=', number)
      .execute();
  },

  /** Whether people have added a tag to a video, or given it another name. */
  async isUsedByPeople(executor: Executor, tagNumber: number): Promise<boolean> {
    const link = await executor
      .selectFrom('video_tags')
      .select('video_number')
      .where('tag_number', '=', tagNumber)
      .where('by_folder', '=', 0)
      .limit(1)
      .executeTakeFirst();
    if (link !== undefined) return true;
    const alias = await executor
      .selectFrom('tag_aliases')
      .select('name_key')
      .where('tag_number', '=', tagNumber)
      .limit(1)
      .executeTakeFirst();
    return alias !== undefined;
  },

  /** Whether first folders become channels; false until it is decided. */
  async readSwitch(executor: Executor): Promise<boolean> {
    const row = await executor.selectFrom('settings').select('value').where('name', '=', switchName).executeTakeFirst();
    return row?.value === 'true';
  },

  async writeSwitch(executor: Executor, isEnabled: boolean, now: number): Promise<void> {
    const facts = { value: JSON.stringify(isEnabled), updated_at: now };
    await executor
      .insertInto('settings')
      .values({ name: switchName, ...facts })
      .onConflict((conflict) => conflict.column('name').doUpdateSet(facts))
      .execute();
  },

  /**
   * Decides the switch of a site without a decision: on, unless people have created channels
   * themselves.
   */
  async decideSwitch(executor: Executor, now: number): Promise<void> {
    const tagOfPeople = await executor
      .selectFrom('tags')
      .select('number')
      .where('active', '=', 1)
      .where('root_number', 'is', null)
      .limit(1)
      .executeTakeFirst();
    await executor
      .insertInto('settings')
      .values({ name: switchName, value: JSON.stringify(tagOfPeople === undefined), updated_at: now })
      .onConflict((conflict) => conflict.column('name').doNothing())
      .execute();
  },

  /** Lists the numbers of all videos, in ascending pages. */
  async listVideoNumbers(executor: Executor, afterNumber: number, limit: number): Promise<number[]> {
    const rows = await executor
      .selectFrom('videos')
      .select('number')
      .where('number', '>', afterNumber)
      .orderBy('number')
      .limit(limit)
      .execute();
    return rows.map((row) => row.number);
  },

  /** @param numbers at most `inListLength` */
  async readLinkedVideos(executor: Executor, numbers: readonly number[]): Promise<LinkedVideo[]> {
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
  },

  async addLinks(executor: Executor, changes: SetChanges, links: readonly Link[]): Promise<void> {
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
  },

  /** Deletes links by a folder; links that people have made stay. */
  async deleteLinks(
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
  },

  /** Lists the videos that have a tag by their folder, in ascending pages. */
  async listByFolder(executor: Executor, tagNumber: number, afterNumber: number, limit: number): Promise<number[]> {
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
  },

  /** Lists the paths of a root's present videos after a path, in order. */
  async listPresentPaths(executor: Executor, rootNumber: number, after: string, limit: number): Promise<string[]> {
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
  },

  /** Whether a folder has any video, present or missing. */
  async hasVideos(executor: Executor, folder: FirstFolder): Promise<boolean> {
    return (await belowFolder(executor, folder).limit(1).executeTakeFirst()) !== undefined;
  },

  /** Whether a folder has more than `count` present videos. */
  async hasMorePresent(executor: Executor, folder: FirstFolder, count: number): Promise<boolean> {
    const rows = await belowFolder(executor, folder)
      .where('missing_since', 'is', null)
      .limit(count + 1)
      .execute();
    return rows.length > count;
  },
};

/** `0` is the character after the slash. */
function belowFolder(executor: Executor, { rootNumber, folder }: FirstFolder) {
  return executor
    .selectFrom('videos')
    .select('number')
    .where('root_number', '=', rootNumber)
    .where('path', '>', `${folder}/`)
    .where('path', '<', `${folder}0`);
}
