import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { maxMerges } from '../../tags/merged-tag-repository.ts';
import type { FirstFolder } from './first-folder.ts';
import { keyOfFolder } from './first-folder.ts';
import type { ChannelTag, FolderChannel } from './folder-channel-repository.ts';
import { findTags, listFolderChannels } from './folder-channel-repository.ts';
import { readFolderSwitch } from './folder-switch-repository.ts';

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
