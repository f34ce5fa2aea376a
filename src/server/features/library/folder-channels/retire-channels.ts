import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import { setTagActive } from '../../tags/tag-repository.ts';
import type { FolderChannelTools } from './create-channels.ts';
import type { FolderChannel } from './folder-channel-repository.ts';
import { isUsedByPeople } from './folder-channel-repository.ts';
import { FolderChannels } from './folder-channels.ts';
import { hasVideos } from './folder-video-repository.ts';

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
