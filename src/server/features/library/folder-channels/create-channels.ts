import { colorOfName } from '#contract/rules/tags/tag.ts';
import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import { insertTag, setTagActive, tagNameKey } from '../../tags/tag-repository.ts';
import { findNameHolder, releaseAlias } from './channel-names.ts';
import type { FirstFolder } from './first-folder.ts';
import { channelNameOf } from './first-folder.ts';
import type { FolderChannel } from './folder-channel-repository.ts';
import { insertFolderChannel, updateFolderChannel } from './folder-channel-repository.ts';
import { FolderChannels } from './folder-channels.ts';

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
