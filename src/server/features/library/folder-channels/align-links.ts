import { setImmediate as letOthersRun } from 'node:timers/promises';
import { inListLength } from '../../../database/dialect.ts';
import type { FolderChannelTools } from './create-channels.ts';
import { firstFolderOf } from './first-folder.ts';
import { FolderChannels } from './folder-channels.ts';
import { readFolderSwitch } from './folder-switch-repository.ts';
import type { Link, LinkedVideo } from './folder-video-repository.ts';
import {
  addFolderLinks,
  deleteFolderLinks,
  listByFolder,
  listVideoNumbers,
  readLinkedVideos,
} from './folder-video-repository.ts';

interface LinkDifferences {
  missing: Link[];
  wrong: Link[];
}

/** Brings the links by folder of some videos in line with where the videos are, in slices of some milliseconds. */
export async function alignLinks(
  { write }: FolderChannelTools,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < numbers.length; from += inListLength) {
    signal.throwIfAborted();
    await write(async (transaction, changes) => {
      // The log is held: no removal by somebody is committed between what is read here and what is written.
      const channels = await FolderChannels.read(transaction);
      const videos = await readLinkedVideos(transaction, numbers.slice(from, from + inListLength));
      const { missing, wrong } = compareLinks(channels, videos);
      for (const [tagNumber, links] of Map.groupBy(wrong, (link) => link.tagNumber))
        await deleteFolderLinks(transaction, changes, tagNumber, links.map(toVideoNumber));
      await addFolderLinks(transaction, changes, missing);
    });
  }
}

/** The same for every video. What is in line is only read. */
export async function alignAllLinks(tools: FolderChannelTools, signal: AbortSignal): Promise<void> {
  const channels = await FolderChannels.read(tools.reader);
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal.throwIfAborted();
    const numbers: number[] = await listVideoNumbers(tools.reader, after, inListLength);
    const { missing, wrong } =
      numbers.length === 0 ? noDifferences : compareLinks(channels, await readLinkedVideos(tools.reader, numbers));
    await alignLinks(tools, [...new Set([...missing, ...wrong].map(toVideoNumber))], signal);
    after = numbers.at(-1);
    await letOthersRun();
  }
}

/** For a switch that is off: takes all links by folder away, as long as it is. */
export async function removeAllLinks({ reader, write }: FolderChannelTools, signal: AbortSignal): Promise<void> {
  const channels = await FolderChannels.read(reader);
  const tags = channels.all.flatMap((channel) => [channel.tag?.number ?? 0, channels.tagOf(channel)?.number ?? 0]);
  for (const tagNumber of new Set(tags)) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      signal.throwIfAborted();
      const numbers: number[] = await listByFolder(reader, tagNumber, after, inListLength);
      if (numbers.length > 0)
        await write(async (transaction, changes) => {
          // Turned on meanwhile: whoever makes the links again may have done so.
          if (!(await readFolderSwitch(transaction))) await deleteFolderLinks(transaction, changes, tagNumber, numbers);
        });
      after = numbers.at(-1);
      await letOthersRun();
    }
  }
}

const noDifferences: LinkDifferences = { missing: [], wrong: [] };

/** Videos that are not there stay as they were: their folder may be back tomorrow. */
function compareLinks(channels: FolderChannels, videos: readonly LinkedVideo[]): LinkDifferences {
  const present = videos.filter(({ isMissing }) => !isMissing);
  return {
    missing: present.flatMap((video) => missingLink(channels, video) ?? []),
    wrong: present.flatMap((video) => wrongLinks(channels, video)),
  };
}

function missingLink(channels: FolderChannels, video: LinkedVideo): Link | null {
  const channel = channelOf(channels, video);
  const tag = channel === null || channel.isRemoved ? null : channels.tagOf(channel);
  if (!channels.isEnabled || tag?.isActive !== true || video.links.has(tag.number)) return null;
  if (wasRemoved(channels, video, tag.number)) return null;
  return { videoNumber: video.number, tagNumber: tag.number };
}

/** Somebody took this tag off this video, when it was in this folder or in another one of the same channel. */
function wasRemoved(channels: FolderChannels, { removedChannels }: LinkedVideo, tagNumber: number): boolean {
  if (removedChannels.length === 0) return false;
  return channels.ofTag(tagNumber).some(({ number }) => removedChannels.includes(number));
}

/** Those by a folder in which it is no longer. A channel that was removed has its links until they go with it. */
function wrongLinks(channels: FolderChannels, video: LinkedVideo): Link[] {
  const byFolder = [...video.links].filter(([, isByFolder]) => isByFolder);
  if (byFolder.length === 0) return [];
  const channel = channelOf(channels, video);
  const right = channel === null ? [] : [channel.tag?.number, channels.tagOf(channel)?.number];
  return byFolder
    .filter(([tagNumber]) => !right.includes(tagNumber))
    .map(([tagNumber]) => ({ videoNumber: video.number, tagNumber }));
}

function channelOf(channels: FolderChannels, { rootNumber, path }: LinkedVideo) {
  const folder = firstFolderOf(path);
  return folder === null ? null : channels.of({ rootNumber, folder });
}

function toVideoNumber({ videoNumber }: Link): number {
  return videoNumber;
}
