import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import type { SetChanges } from '../../../id-sets/set-changes.ts';
import { tagRepository } from '../../tags/tag-repository.ts';
import { firstFolderOf } from './first-folders.ts';
import type { Link, LinkedVideo } from './folder-channel-repository.ts';
import { folderChannelRepository } from './folder-channel-repository.ts';
import { FolderChannelSnapshot } from './folder-channels.ts';

/** The links by folders that videos lack, and those that their folders do not give. */
interface LinkDifferences {
  missing: Link[];
  wrong: Link[];
}

/**
 * Records that videos are new. Where a channel is only for some, the new videos get the links of
 * their folders in the transaction that adds them, so that nobody else is shown them meanwhile.
 */
export async function noteNewVideos(
  transaction: Executor,
  changes: SetChanges,
  added: readonly { number: number }[],
): Promise<void> {
  const numbers = added.map(({ number }) => number);
  changes.put('untagged', numbers, true);
  if (!(await tagRepository.isAnyRestricted(transaction))) return;
  const channels = await FolderChannelSnapshot.read(transaction);
  for (let from = 0; from < numbers.length; from += inListLength) {
    const some = numbers.slice(from, from + inListLength);
    const videos = await folderChannelRepository.readLinkedVideos(transaction, some);
    await folderChannelRepository.addLinks(transaction, changes, compareLinks(channels, videos).missing);
  }
}

export const noDifferences: LinkDifferences = { missing: [], wrong: [] };

/** Missing videos keep their links: their folder may be back tomorrow. */
export function compareLinks(channels: FolderChannelSnapshot, videos: readonly LinkedVideo[]): LinkDifferences {
  const present = videos.filter(({ isMissing }) => !isMissing);
  return {
    missing: present.flatMap((video) => missingLink(channels, video) ?? []),
    wrong: present.flatMap((video) => wrongLinks(channels, video)),
  };
}

function missingLink(channels: FolderChannelSnapshot, video: LinkedVideo): Link | null {
  const channel = channelOf(channels, video);
  const tag = channel === null || channel.isRemoved ? null : channels.tagOf(channel);
  if (!channels.isEnabled || tag?.isActive !== true || video.links.has(tag.number)) return null;
  if (wasRemoved(channels, video, tag.number)) return null;
  return { videoNumber: video.number, tagNumber: tag.number };
}

/**
 * A person has removed this tag from the video, in this folder or in another one of the same
 * channel.
 */
function wasRemoved(channels: FolderChannelSnapshot, { removedChannels }: LinkedVideo, tagNumber: number): boolean {
  if (removedChannels.length === 0) return false;
  return channels.ofTag(tagNumber).some(({ number }) => removedChannels.includes(number));
}

/**
 * Links by a folder that the video has left. A removed channel keeps its links until they are
 * removed with it.
 */
function wrongLinks(channels: FolderChannelSnapshot, video: LinkedVideo): Link[] {
  const byFolder = [...video.links].filter(([, isByFolder]) => isByFolder);
  if (byFolder.length === 0) return [];
  const channel = channelOf(channels, video);
  const right = channel === null ? [] : [channel.tag?.number, channels.tagOf(channel)?.number];
  return byFolder
    .filter(([tagNumber]) => !right.includes(tagNumber))
    .map(([tagNumber]) => ({ videoNumber: video.number, tagNumber }));
}

function channelOf(channels: FolderChannelSnapshot, { rootNumber, path }: LinkedVideo) {
  const folder = firstFolderOf(path);
  return folder === null ? null : channels.of({ rootNumber, folder });
}
