import { setImmediate as letOthersRun } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import { readRevision } from '../../../http/pipeline/revision.ts';
import { readRoots } from '../root-repository.ts';
import type { FirstFolder, TouchedVideos } from './first-folders.ts';
import { firstFolderOf } from './first-folders.ts';
import type { Link, LinkedVideo } from './folder-channel-repository.ts';
import {
  addFolderLinks,
  deleteFolderLinks,
  listByFolder,
  listPresentPaths,
  listVideoNumbers,
  readFolderSwitch,
  readLinkedVideos,
} from './folder-channel-repository.ts';
import type { FolderChannelTools } from './folder-channels.ts';
import { createChannels, FolderChannels, isWithoutChannel, retireChannels } from './folder-channels.ts';

interface Scanned {
  touched: TouchedVideos;
}

/**
 * Makes folder channels after each scan. All videos are compared with their folders when a scan was cut off, in this
 * process or in one before it, and when a tag has changed meanwhile; otherwise those that the scan has touched.
 */
export class AlignmentAfterScan {
  private readonly tools: FolderChannelTools;
  /** The counter of the tags when everything was last in line; null when it may not be. */
  private alignedAt: number | null = null;

  constructor(tools: FolderChannelTools) {
    this.tools = tools;
  }

  /** Around a scan of all roots. */
  async aroundAll<Outcome extends Scanned>(scan: () => Promise<Outcome>, alignment: Alignment): Promise<Outcome> {
    const { alignedAt, tools } = this;
    this.alignedAt = null;
    const outcome = await scan();
    const revision = await readRevision(tools.reader, 'tags');
    if (outcome.touched.isAll || alignedAt === revision) await alignTouched(tools, outcome.touched, alignment);
    else await alignFolderChannels(tools, alignment);
    this.alignedAt = revision;
    return outcome;
  }

  /** Around a scan of some places. */
  async aroundSome<Outcome extends Scanned>(scan: () => Promise<Outcome>, alignment: Alignment): Promise<Outcome> {
    const { alignedAt, tools } = this;
    this.alignedAt = null;
    const outcome = await scan();
    await alignTouched(tools, outcome.touched, alignment);
    this.alignedAt = alignedAt;
    return outcome;
  }
}

interface Alignment {
  /** Epoch milliseconds. */
  now: number;
  signal: AbortSignal;
}

/**
 * Brings channels and links in line with all folders and with the switch, in slices of some milliseconds. Cut short at
 * any point, it goes on where it was when it is called again.
 */
export async function alignFolderChannels(tools: FolderChannelTools, { now, signal }: Alignment): Promise<void> {
  await retireChannels(tools);
  const channels = await FolderChannels.read(tools.reader);
  if (!channels.isEnabled) return removeAllLinks(tools, signal);
  const found = await findWithoutChannel(tools.reader, channels);
  await createChannels(tools, found, now);
  // Without a channel there is no link by a folder, and never was.
  if (channels.all.length + found.length > 0) await alignAllLinks(tools, signal);
}

/** The same for the videos that a scan has touched. */
export async function alignTouched(
  tools: FolderChannelTools,
  touched: TouchedVideos,
  { now, signal }: Alignment,
): Promise<void> {
  const { numbers, folders } = touched.take();
  if (numbers.length === 0) return;
  if (touched.moves.hasAny) await retireChannels(tools);
  const channels = await FolderChannels.read(tools.reader);
  if (!channels.isEnabled) return;
  const found = channels.isFull ? [] : folders.filter((folder) => isWithoutChannel(channels, folder));
  await createChannels(tools, found, now);
  if (channels.all.length + found.length > 0) await alignLinks(tools, numbers, signal);
}

async function findWithoutChannel(executor: Executor, channels: FolderChannels): Promise<FirstFolder[]> {
  const found: FirstFolder[] = [];
  if (channels.isFull) return found;
  for await (const folder of findFirstFolders(executor)) {
    if (!isWithoutChannel(channels, folder)) continue;
    found.push(folder);
    if (found.length >= limits.folderChannels) break;
  }
  return found;
}

interface LinkDifferences {
  missing: Link[];
  wrong: Link[];
}

/** Brings the links by folder of some videos in line with where the videos are, in slices of some milliseconds. */
async function alignLinks(
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
async function alignAllLinks(tools: FolderChannelTools, signal: AbortSignal): Promise<void> {
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
async function removeAllLinks({ reader, write }: FolderChannelTools, signal: AbortSignal): Promise<void> {
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

const pathsTogether = 200;

/** The first folders that have videos, root by root, in the order of their names. */
async function* findFirstFolders(executor: Executor): AsyncGenerator<FirstFolder> {
  for (const { number, kind, isActive } of await readRoots(executor))
    if (kind === 'folder' && isActive) yield* findInRoot(executor, number);
}

/** Passes over what is in a folder that was found: a page holds the next files of the root, or many small folders. */
async function* findInRoot(executor: Executor, rootNumber: number): AsyncGenerator<FirstFolder> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const paths: string[] = await listPresentPaths(executor, rootNumber, after, pathsTogether);
    after = paths.at(-1);
    let folder: string | null = null;
    for (const path of paths) {
      if (folder !== null && path.startsWith(`${folder}/`)) continue;
      folder = firstFolderOf(path);
      if (folder !== null) yield { rootNumber, folder };
    }
    // `0` is the character after the slash.
    if (folder !== null) after = `${folder}0`;
  }
}
