import type { Insertable, Updateable } from 'kysely';
import type { FolderChannelsTable } from '../../../database/tables/tag-tables.ts';
import type { Executor } from '../../../database/tables.ts';
import { tagNameKey } from '../../tags/tag-repository.ts';
import type { FirstFolder } from './first-folder.ts';

/** What became of a first folder. */
export interface FolderChannel extends FirstFolder {
  number: number;
  isRootActive: boolean;
  /** The name that the folder gave to its tag; null once somebody changed it, or when the folder joined a tag. */
  givenName: string | null;
  /** Somebody removed the channel. */
  isRemoved: boolean;
  /** The tag that it has or had. */
  tag: ChannelTag | null;
}

export interface ChannelTag {
  number: number;
  name: string;
  isActive: boolean;
  mergedInto: number | null;
}

export async function listFolderChannels(executor: Executor): Promise<FolderChannel[]> {
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
}

export async function findTags(executor: Executor, numbers: readonly number[]): Promise<ChannelTag[]> {
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
}

export async function insertFolderChannel(
  executor: Executor,
  channel: Omit<Insertable<FolderChannelsTable>, 'removed'>,
): Promise<void> {
  await executor
    .insertInto('folder_channels')
    .values({ ...channel, removed: 0 })
    .onConflict((conflict) => conflict.doNothing())
    .execute();
}

export async function updateFolderChannel(
  executor: Executor,
  number: number,
  facts: Updateable<FolderChannelsTable>,
): Promise<void> {
  await executor.updateTable('folder_channels').set(facts).where('number', '=', number).execute();
}

export async function renameTag(executor: Executor, number: number, name: string): Promise<void> {
  await executor
    .updateTable('tags')
    .set({ name, name_key: tagNameKey(name) })
    .where('number', '=', number)
    .execute();
}

/** Whether people have put a tag on a video, or given it another name. */
export async function isUsedByPeople(executor: Executor, tagNumber: number): Promise<boolean> {
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
}
