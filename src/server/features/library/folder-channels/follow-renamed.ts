import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import { findNameHolder, releaseAlias } from './channel-names.ts';
import type { FirstFolder } from './first-folder.ts';
import { channelNameOf } from './first-folder.ts';
import type { FolderChannel } from './folder-channel-repository.ts';
import { renameTag, updateFolderChannel } from './folder-channel-repository.ts';
import { FolderChannels } from './folder-channels.ts';
import type { FolderMoves } from './folder-moves.ts';
import { hasMorePresent } from './folder-video-repository.ts';

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
