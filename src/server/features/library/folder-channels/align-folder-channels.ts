import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { alignAllLinks, alignLinks, removeAllLinks } from './align-links.ts';
import type { FolderChannelTools } from './create-channels.ts';
import { createChannels, isWithoutChannel } from './create-channels.ts';
import { findFirstFolders } from './find-folders.ts';
import type { FirstFolder } from './first-folder.ts';
import { FolderChannels } from './folder-channels.ts';
import { retireChannels } from './retire-channels.ts';
import type { TouchedVideos } from './touched-videos.ts';

export interface Alignment {
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
