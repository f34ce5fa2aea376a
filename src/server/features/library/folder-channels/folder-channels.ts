import { limits } from '#contract/limits.ts';
import { colorOfName } from '#contract/rules/tag.ts';
import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import { deleteAlias, findAlias, findSurvivor, maxMerges } from '../../tags/merged-tag-repository.ts';
import { findActiveTag, insertTag, setTagActive, tagNameKey } from '../../tags/tag-repository.ts';
import type { FirstFolder, FolderMoves } from './first-folders.ts';
import { channelNameOf, keyOfFolder } from './first-folders.ts';
import type { ChannelTag, FolderChannel } from './folder-channel-repository.ts';
import {
  findTags,
  hasMorePresent,
  hasVideos,
  insertFolderChannel,
  isUsedByPeople,
  listFolderChannels,
  readFolderSwitch,
  renameTag,
  updateFolderChannel,
} from './folder-channel-repository.ts';

/** The switch and all folder channels, as they are at one moment. */
export class FolderChannels {
  readonly isEnabled: boolean;
  readonly all: readonly FolderChannel[];
  private readonly byFolder: ReadonlyMap<string, FolderChannel>;
  private readonly tags: ReadonlyMap<number, ChannelTag>;

  private constructor(isEnabled: boolean, all: readonly FolderChannel[], tags: ReadonlyMap<number, ChannelTag>) {
    this.isEnabled = isEnabled;
    this.all = all;
    this.byFolder = new Map(all.map((channel) => [keyOfFolder(channel), channel]));
    this.tags = tags;
  }

  static async read(executor: Executor): Promise<FolderChannels> {
    const all = await listFolderChannels(executor);
    return new FolderChannels(await readFolderSwitch(executor), all, await readTags(executor, all));
  }

  of(folder: FirstFolder): FolderChannel | null {
    return this.byFolder.get(keyOfFolder(folder)) ?? null;
  }

  /** The tag that the videos of a folder are on: where its own was merged into another, that one. */
  tagOf({ tag }: FolderChannel): ChannelTag | null {
    let current = tag;
    for (let merge = 0; current?.mergedInto != null && merge < maxMerges; merge += 1)
      current = this.tags.get(current.mergedInto) ?? null;
    return current;
  }

  /** The folders whose videos are on a tag. */
  ofTag(tagNumber: number): FolderChannel[] {
    return this.all.filter((channel) => this.tagOf(channel)?.number === tagNumber);
  }

  /** The tags that come from folders at the moment. */
  activeTags(): Set<number> {
    const channels = this.all.filter(({ isRemoved, isRootActive }) => this.isEnabled && isRootActive && !isRemoved);
    const tags = channels.map((channel) => this.tagOf(channel));
    return new Set(tags.flatMap((tag) => (tag?.isActive ? [tag.number] : [])));
  }

  get isFull(): boolean {
    return this.activeTags().size >= limits.folderChannels;
  }
}

/** By number, also those that tags were merged into. */
async function readTags(executor: Executor, all: readonly FolderChannel[]): Promise<Map<number, ChannelTag>> {
  const tags = new Map(all.flatMap(({ tag }) => (tag === null ? [] : [[tag.number, tag] as const])));
  for (let merge = 0; merge < maxMerges; merge += 1) {
    const unread = [...tags.values()].flatMap(({ mergedInto }) =>
      mergedInto === null || tags.has(mergedInto) ? [] : [mergedInto],
    );
    if (unread.length === 0) break;
    for (const tag of await findTags(executor, unread)) tags.set(tag.number, tag);
  }
  return tags;
}

/** What folder channels are written with. */
export interface FolderChannelTools {
  reader: Executor;
  write: WriteWithSets;
  ids: Pick<Ids, 'short'>;
}

/** What one transaction looks at. */
const foldersTogether = 5;

/** Whether a folder has no channel and may get one. */
export function isWithoutChannel(channels: FolderChannels, folder: FirstFolder): boolean {
  const channel = channels.of(folder);
  if (channel === null) return channelNameOf(folder.folder) !== null;
  // Where its tag was merged into another that is inactive, people have removed both.
  return !channel.isRemoved && (channel.tag === null || (!channel.tag.isActive && channel.tag.mergedInto === null));
}

/**
 * Gives folders their channels, as many as there is room for, in the order in which they come. A folder whose name a
 * tag has joins that tag.
 */
export async function createChannels(
  { write, ids }: FolderChannelTools,
  folders: readonly FirstFolder[],
  now: number,
): Promise<void> {
  for (let from = 0; from < folders.length; from += foldersTogether) {
    await write(async (transaction) => {
      // Whoever else creates channels waits for this transaction, and sees them.
      for (const folder of folders.slice(from, from + foldersTogether)) {
        const channels = await FolderChannels.read(transaction);
        if (!channels.isEnabled || channels.isFull) return;
        if (!isWithoutChannel(channels, folder)) continue;
        await createChannel(transaction, channels, folder, { id: ids.short(), now });
      }
    });
  }
}

async function createChannel(
  transaction: Executor,
  channels: FolderChannels,
  folder: FirstFolder,
  fresh: { id: string; now: number },
): Promise<void> {
  const channel = channels.of(folder);
  if (channel !== null && (await bringBack(transaction, channel))) return;
  const name = channelNameOf(folder.folder);
  if (name === null) return;
  const holder = await findNameHolder(transaction, name);
  const facts = {
    tag_number: holder ?? (await addTag(transaction, name, fresh)),
    given_name: holder === null ? name : null,
  };
  if (channel !== null) await updateFolderChannel(transaction, channel.number, facts);
  else
    await insertFolderChannel(transaction, {
      root_number: folder.rootNumber,
      folder: folder.folder,
      ...facts,
      created_at: fresh.now,
    });
}

/** A channel that had left with its root, its last video or the switch. @returns false when its name is taken */
async function bringBack(transaction: Executor, { tag, givenName }: FolderChannel): Promise<boolean> {
  if (tag === null || givenName === null || (await findNameHolder(transaction, tag.name)) !== null) return false;
  await releaseAlias(transaction, tag.name);
  await setTagActive(transaction, tag.number, 1);
  await bumpRevision(transaction, 'tags');
  return true;
}

async function addTag(transaction: Executor, name: string, { id, now }: { id: string; now: number }): Promise<number> {
  await releaseAlias(transaction, name);
  await bumpRevision(transaction, 'tags');
  return insertTag(transaction, {
    id,
    name,
    name_key: tagNameKey(name),
    description: '',
    color: colorOfName(name),
    active: 1,
    root_number: null,
    created_at: now,
  });
}

/**
 * A folder whose videos that are there have all gone to one other folder was renamed: what became of it goes along,
 * and its channel takes the new name as long as nobody has touched it. Done before the videos are moved, so that a scan
 * that dies in between is continued with the right folder.
 */
export async function followRenamed(write: WriteWithSets, moves: FolderMoves): Promise<void> {
  for (const { from, to, leaving } of moves.candidates()) {
    await write(async (transaction) => {
      const channels = await FolderChannels.read(transaction);
      const channel = channels.of(from);
      if (channel === null || channels.of(to) !== null) return;
      if (await hasMorePresent(transaction, from, leaving)) return;
      await updateFolderChannel(transaction, channel.number, { root_number: to.rootNumber, folder: to.folder });
      await renameChannel(transaction, channel, to);
    });
  }
}

async function renameChannel(transaction: Executor, channel: FolderChannel, { folder }: FirstFolder): Promise<void> {
  const { tag, givenName, isRemoved, number } = channel;
  const name = channelNameOf(folder);
  if (name === null || tag?.name !== givenName || tag.mergedInto !== null || isRemoved) return;
  const holder = await findNameHolder(transaction, name);
  if (holder !== null && holder !== tag.number) return;
  await releaseAlias(transaction, name);
  await renameTag(transaction, tag.number, name);
  await updateFolderChannel(transaction, number, { given_name: name });
  await bumpRevision(transaction, 'tags');
}

/**
 * Makes channels inactive whose folder has no video any more, or has left with its root or the switch, as long as
 * people have done nothing with them. They come back with it.
 */
export async function retireChannels({ reader, write }: FolderChannelTools): Promise<void> {
  const channels = await FolderChannels.read(reader);
  for (const { number } of await findUnneeded(reader, channels)) {
    await write(async (transaction) => {
      const latest = await FolderChannels.read(transaction);
      const channel = latest.all.find((one) => one.number === number);
      if (channel?.tag == null || !(await isUnneeded(transaction, latest, channel))) return;
      if (await isUsedByPeople(transaction, channel.tag.number)) return;
      await setTagActive(transaction, channel.tag.number, 0);
      await bumpRevision(transaction, 'tags');
    });
  }
}

async function findUnneeded(executor: Executor, channels: FolderChannels): Promise<FolderChannel[]> {
  const unneeded: FolderChannel[] = [];
  for (const channel of channels.all) if (await isUnneeded(executor, channels, channel)) unneeded.push(channel);
  return unneeded;
}

/** Whether no folder gives videos to a channel that is as its folder made it. */
async function isUnneeded(executor: Executor, channels: FolderChannels, channel: FolderChannel): Promise<boolean> {
  const { tag, givenName, isRemoved } = channel;
  if (tag?.name !== givenName || !tag.isActive || tag.mergedInto !== null || isRemoved) return false;
  for (const one of channels.ofTag(tag.number)) if (await givesVideos(executor, channels, one)) return false;
  return true;
}

async function givesVideos(
  executor: Executor,
  { isEnabled }: FolderChannels,
  channel: FolderChannel,
): Promise<boolean> {
  return isEnabled && channel.isRootActive && hasVideos(executor, channel);
}

/** The active tag that has a name, as its own or as an alias. */
async function findNameHolder(executor: Executor, name: string): Promise<number | null> {
  const tag = await findActiveTag(executor, name);
  if (tag !== null) return tag.number;
  const alias = await findAlias(executor, tagNameKey(name));
  return alias === null ? null : findSurvivor(executor, alias.tagNumber);
}

/** Before a tag takes a name that no other holds: an alias that says the same is none any more. */
async function releaseAlias(executor: Executor, name: string): Promise<void> {
  await deleteAlias(executor, tagNameKey(name));
}
