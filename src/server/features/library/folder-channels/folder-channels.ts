import { limits } from '#contract/limits.ts';
import { colorOfName } from '#contract/rules/tag.ts';
import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import { maxMerges, mergedTagRepository } from '../../tags/merged-tag-repository.ts';
import { tagNameKey, tagRepository } from '../../tags/tag-repository.ts';
import type { FirstFolder, FolderMoves } from './first-folders.ts';
import { channelNameOf, keyOfFolder } from './first-folders.ts';
import type { ChannelTag, FolderChannel } from './folder-channel-repository.ts';
import { folderChannelRepository } from './folder-channel-repository.ts';

/** The switch and all folder channels at one moment. */
export class FolderChannelSnapshot {
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

  static async read(executor: Executor): Promise<FolderChannelSnapshot> {
    const all = await folderChannelRepository.list(executor);
    return new FolderChannelSnapshot(
      await folderChannelRepository.readSwitch(executor),
      all,
      await readTags(executor, all),
    );
  }

  of(folder: FirstFolder): FolderChannel | null {
    return this.byFolder.get(keyOfFolder(folder)) ?? null;
  }

  /** The tag of the videos of a folder: its own tag, or the one that it was merged into. */
  tagOf({ tag }: FolderChannel): ChannelTag | null {
    let current = tag;
    for (let merge = 0; current?.mergedInto != null && merge < maxMerges; merge += 1)
      current = this.tags.get(current.mergedInto) ?? null;
    return current;
  }

  /** The folders whose videos have a tag. */
  ofTag(tagNumber: number): FolderChannel[] {
    return this.all.filter((channel) => this.tagOf(channel)?.number === tagNumber);
  }

  /** The tags that come from folders at present. */
  activeTags(): Set<number> {
    const channels = this.all.filter(({ isRemoved, isRootActive }) => this.isEnabled && isRootActive && !isRemoved);
    const tags = channels.map((channel) => this.tagOf(channel));
    return new Set(tags.flatMap((tag) => (tag?.isActive ? [tag.number] : [])));
  }

  get isFull(): boolean {
    return this.activeTags().size >= limits.folderChannels;
  }
}

/** Reads tags by number, including the targets of merges. */
async function readTags(executor: Executor, all: readonly FolderChannel[]): Promise<Map<number, ChannelTag>> {
  const tags = new Map(all.flatMap(({ tag }) => (tag === null ? [] : [[tag.number, tag] as const])));
  for (let merge = 0; merge < maxMerges; merge += 1) {
    const unread = [...tags.values()].flatMap(({ mergedInto }) =>
      mergedInto === null || tags.has(mergedInto) ? [] : [mergedInto],
    );
    if (unread.length === 0) break;
    for (const tag of await folderChannelRepository.findTags(executor, unread)) tags.set(tag.number, tag);
  }
  return tags;
}

/** The dependencies of writing folder channels. */
export interface FolderChannelTools {
  reader: Executor;
  write: WriteWithSets;
  ids: Pick<Ids, 'short'>;
}

/** Folders that one transaction handles. */
const foldersTogether = 5;

/** Whether a folder has no channel and may get one. */
export function isWithoutChannel(channels: FolderChannelSnapshot, folder: FirstFolder): boolean {
  const channel = channels.of(folder);
  if (channel === null) return channelNameOf(folder.folder) !== null;
  // When the tag was merged into one that is inactive, people have removed both.
  return !channel.isRemoved && (channel.tag === null || (!channel.tag.isActive && channel.tag.mergedInto === null));
}

/**
 * Creates the channels of folders in the given order, up to the limit. A folder joins an existing
 * tag of its name.
 */
export async function createChannels(
  { write, ids }: FolderChannelTools,
  folders: readonly FirstFolder[],
  now: number,
): Promise<void> {
  for (let from = 0; from < folders.length; from += foldersTogether) {
    await write(async (transaction) => {
      // Other transactions that create channels wait for this one, and see its channels.
      for (const folder of folders.slice(from, from + foldersTogether)) {
        const channels = await FolderChannelSnapshot.read(transaction);
        if (!channels.isEnabled || channels.isFull) return;
        if (!isWithoutChannel(channels, folder)) continue;
        await createChannel(transaction, channels, folder, { id: ids.short(), now });
      }
    });
  }
}

async function createChannel(
  transaction: Executor,
  channels: FolderChannelSnapshot,
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
  if (channel !== null) await folderChannelRepository.update(transaction, channel.number, facts);
  else
    await folderChannelRepository.insert(transaction, {
      root_number: folder.rootNumber,
      folder: folder.folder,
      ...facts,
      created_at: fresh.now,
    });
}

/**
 * Restores a channel that was retired with its root, its last video or the switch.
 * @returns false when its name is taken
 */
async function bringBack(transaction: Executor, { tag, givenName }: FolderChannel): Promise<boolean> {
  if (tag === null || givenName === null || (await findNameHolder(transaction, tag.name)) !== null) return false;
  await releaseAlias(transaction, tag.name);
  await tagRepository.setActive(transaction, tag.number, 1);
  await bumpRevision(transaction, 'tags');
  return true;
}

async function addTag(transaction: Executor, name: string, { id, now }: { id: string; now: number }): Promise<number> {
  await releaseAlias(transaction, name);
  await bumpRevision(transaction, 'tags');
  return tagRepository.insert(transaction, {
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
 * Follows renamed folders: when all present videos of a folder have moved to one other folder, its
 * channel moves too, and takes the new name unless people have changed it. This precedes the moves
 * of the videos, so that after an interrupted scan the next one finds the right folder.
 */
export async function followRenamed(write: WriteWithSets, moves: FolderMoves): Promise<void> {
  for (const { from, to, leaving } of moves.candidates()) {
    await write(async (transaction) => {
      const channels = await FolderChannelSnapshot.read(transaction);
      const channel = channels.of(from);
      if (channel === null || channels.of(to) !== null) return;
      if (await folderChannelRepository.hasMorePresent(transaction, from, leaving)) return;
      await folderChannelRepository.update(transaction, channel.number, {
        root_number: to.rootNumber,
        folder: to.folder,
      });
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
  await folderChannelRepository.renameTag(transaction, tag.number, name);
  await folderChannelRepository.update(transaction, number, { given_name: name });
  await bumpRevision(transaction, 'tags');
}

/**
 * Makes channels inactive whose folder has no videos any more, or has gone with its root or the
 * switch, unless people have used them. They return with the folder.
 */
export async function retireChannels({ reader, write }: FolderChannelTools): Promise<void> {
  const channels = await FolderChannelSnapshot.read(reader);
  for (const { number } of await findUnneeded(reader, channels)) {
    await write(async (transaction) => {
      const latest = await FolderChannelSnapshot.read(transaction);
      const channel = latest.all.find((one) => one.number === number);
      if (channel?.tag == null || !(await isUnneeded(transaction, latest, channel))) return;
      if (await folderChannelRepository.isUsedByPeople(transaction, channel.tag.number)) return;
      await tagRepository.setActive(transaction, channel.tag.number, 0);
      await bumpRevision(transaction, 'tags');
    });
  }
}

async function findUnneeded(executor: Executor, channels: FolderChannelSnapshot): Promise<FolderChannel[]> {
  const unneeded: FolderChannel[] = [];
  for (const channel of channels.all) if (await isUnneeded(executor, channels, channel)) unneeded.push(channel);
  return unneeded;
}

/** Whether no folder gives videos to a channel that people have not changed. */
async function isUnneeded(
  executor: Executor,
  channels: FolderChannelSnapshot,
  channel: FolderChannel,
): Promise<boolean> {
  const { tag, givenName, isRemoved } = channel;
  if (tag?.name !== givenName || !tag.isActive || tag.mergedInto !== null || isRemoved) return false;
  for (const one of channels.ofTag(tag.number)) if (await givesVideos(executor, channels, one)) return false;
  return true;
}

async function givesVideos(
  executor: Executor,
  { isEnabled }: FolderChannelSnapshot,
  channel: FolderChannel,
): Promise<boolean> {
  return isEnabled && channel.isRootActive && folderChannelRepository.hasVideos(executor, channel);
}

/** The active tag with a name, as its own or as an alias. */
async function findNameHolder(executor: Executor, name: string): Promise<number | null> {
  const tag = await tagRepository.findActive(executor, name);
  if (tag !== null) return tag.number;
  const alias = await mergedTagRepository.findAlias(executor, tagNameKey(name));
  return alias === null ? null : mergedTagRepository.findSurvivor(executor, alias.tagNumber);
}

/** Deletes an alias whose name a tag is about to take. */
async function releaseAlias(executor: Executor, name: string): Promise<void> {
  await mergedTagRepository.deleteAlias(executor, tagNameKey(name));
}
