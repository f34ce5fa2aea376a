import { setImmediate as letOthersRun } from 'node:timers/promises';
import { limits } from '#contract/limits.ts';
import { inListLength } from '../../../database/dialect.ts';
import type { Executor } from '../../../database/tables.ts';
import { readRevision } from '../../../http/pipeline/revision.ts';
import { rootRepository } from '../root-repository.ts';
import type { FirstFolder, TouchedVideos } from './first-folders.ts';
import { firstFolderOf } from './first-folders.ts';
import type { Link } from './folder-channel-repository.ts';
import { folderChannelRepository } from './folder-channel-repository.ts';
import type { FolderChannelTools } from './folder-channels.ts';
import { createChannels, FolderChannelSnapshot, isWithoutChannel, retireChannels } from './folder-channels.ts';
import { compareLinks, noDifferences } from './link-differences.ts';

interface Scanned {
  touched: TouchedVideos;
}

/**
 * Updates folder channels after each scan. It compares all videos with their folders after an
 * interrupted scan, of this process or an earlier one, and after a change of tags; otherwise only
 * the videos that the scan has touched.
 */
export class AlignmentAfterScan {
  private readonly tools: FolderChannelTools;
  /** The revision of the tags at the last complete alignment; null when it may be incomplete. */
  private alignedAt: number | null = null;

  constructor(tools: FolderChannelTools) {
    this.tools = tools;
  }

  /** Wraps a scan of all roots. */
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

  /** Wraps a scan of some paths. */
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
 * Aligns channels and links with all folders and with the switch, in slices of some milliseconds.
 * After an interruption, the next call continues.
 */
export async function alignFolderChannels(tools: FolderChannelTools, { now, signal }: Alignment): Promise<void> {
  await retireChannels(tools);
  const channels = await FolderChannelSnapshot.read(tools.reader);
  if (!channels.isEnabled) return removeAllLinks(tools, signal);
  const found = await findWithoutChannel(tools.reader, channels);
  await createChannels(tools, found, now);
  // A site without channels has no folder links.
  if (channels.all.length + found.length > 0) await alignAllLinks(tools, signal);
}

/** Aligns channels and links of the videos that a scan has touched. */
export async function alignTouched(
  tools: FolderChannelTools,
  touched: TouchedVideos,
  { now, signal }: Alignment,
): Promise<void> {
  const { numbers, folders } = touched.take();
  if (numbers.length === 0) return;
  if (touched.moves.hasAny) await retireChannels(tools);
  const channels = await FolderChannelSnapshot.read(tools.reader);
  if (!channels.isEnabled) return;
  const found = channels.isFull ? [] : folders.filter((folder) => isWithoutChannel(channels, folder));
  await createChannels(tools, found, now);
  if (channels.all.length + found.length > 0) await alignLinks(tools, numbers, signal);
}

async function findWithoutChannel(executor: Executor, channels: FolderChannelSnapshot): Promise<FirstFolder[]> {
  const found: FirstFolder[] = [];
  if (channels.isFull) return found;
  for await (const folder of findFirstFolders(executor)) {
    if (!isWithoutChannel(channels, folder)) continue;
    found.push(folder);
    if (found.length >= limits.folderChannels) break;
  }
  return found;
}

/** Aligns the folder links of some videos with their paths, in slices of some milliseconds. */
async function alignLinks(
  { write }: FolderChannelTools,
  numbers: readonly number[],
  signal: AbortSignal,
): Promise<void> {
  for (let from = 0; from < numbers.length; from += inListLength) {
    signal.throwIfAborted();
    await write(async (transaction, changes) => {
      // The lock on the set log keeps a person's removal from being committed between these reads
      // and writes.
      const channels = await FolderChannelSnapshot.read(transaction);
      const videos = await folderChannelRepository.readLinkedVideos(
        transaction,
        numbers.slice(from, from + inListLength),
      );
      const { missing, wrong } = compareLinks(channels, videos);
      for (const [tagNumber, links] of Map.groupBy(wrong, (link) => link.tagNumber))
        await folderChannelRepository.deleteLinks(transaction, changes, tagNumber, links.map(toVideoNumber));
      await folderChannelRepository.addLinks(transaction, changes, missing);
    });
  }
}

/** Aligns the folder links of every video. Consistent videos are only read. */
async function alignAllLinks(tools: FolderChannelTools, signal: AbortSignal): Promise<void> {
  const channels = await FolderChannelSnapshot.read(tools.reader);
  for (let after: number | undefined = 0; after !== undefined; ) {
    signal.throwIfAborted();
    const numbers: number[] = await folderChannelRepository.listVideoNumbers(tools.reader, after, inListLength);
    const { missing, wrong } =
      numbers.length === 0
        ? noDifferences
        : compareLinks(channels, await folderChannelRepository.readLinkedVideos(tools.reader, numbers));
    await alignLinks(tools, [...new Set([...missing, ...wrong].map(toVideoNumber))], signal);
    after = numbers.at(-1);
    await letOthersRun();
  }
}

/** Removes all folder links, as long as the switch is off. */
async function removeAllLinks({ reader, write }: FolderChannelTools, signal: AbortSignal): Promise<void> {
  const channels = await FolderChannelSnapshot.read(reader);
  const tags = channels.all.flatMap((channel) => [channel.tag?.number ?? 0, channels.tagOf(channel)?.number ?? 0]);
  for (const tagNumber of new Set(tags)) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      signal.throwIfAborted();
      const numbers: number[] = await folderChannelRepository.listByFolder(reader, tagNumber, after, inListLength);
      if (numbers.length > 0)
        await write(async (transaction, changes) => {
          // The switch may have been turned on meanwhile, and the links made again.
          if (!(await folderChannelRepository.readSwitch(transaction)))
            await folderChannelRepository.deleteLinks(transaction, changes, tagNumber, numbers);
        });
      after = numbers.at(-1);
      await letOthersRun();
    }
  }
}

function toVideoNumber({ videoNumber }: Link): number {
  return videoNumber;
}

const pathsTogether = 200;

/** Yields the first folders that contain videos, root by root, sorted by name. */
async function* findFirstFolders(executor: Executor): AsyncGenerator<FirstFolder> {
  for (const { number, kind, isActive } of await rootRepository.list(executor))
    if (kind === 'folder' && isActive) yield* findInRoot(executor, number);
}

/**
 * Skips the rest of a folder once it is found: a page holds the next files of the root, or many
 * small folders.
 */
async function* findInRoot(executor: Executor, rootNumber: number): AsyncGenerator<FirstFolder> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const paths: string[] = await folderChannelRepository.listPresentPaths(executor, rootNumber, after, pathsTogether);
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
