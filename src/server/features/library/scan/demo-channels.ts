import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import { putUntagged } from '../../../id-sets/tag-links.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import { tagNameKey, tagRepository } from '../../tags/tag-repository.ts';
import { libraryRepository } from '../library-repository.ts';
import type { DemoChannels } from './demo-channel-file.ts';

interface ChannelTools {
  write: WriteWithSets;
  ids: Ids;
  /** Epoch milliseconds. */
  now: number;
}

/** Gives the scanned demo clips their channels. Another run changes nothing. */
export async function applyDemoChannels(tools: ChannelTools, rootNumber: number, file: string): Promise<void> {
  // Only the demo loads the schemas, which would delay the start of the library's thread by a
  // sixth.
  const { readChannelFile } = await import('./demo-channel-file.ts');
  const channels = await readChannelFile(file);
  await tools.write(async (transaction, changes) => {
    const known = await libraryRepository.findNumbers(transaction, rootNumber, Object.keys(channels.videos));
    const numbers = await ensureTags(transaction, tools, rootNumber, channels);
    const linked = new Set<number>();
    for (const [path, number] of known) {
      for (const name of channels.videos[path] ?? []) {
        const tag = numbers.get(tagNameKey(name));
        if (tag === undefined || !(await tagRepository.assign(transaction, number, tag))) continue;
        changes.add(tag, number);
        linked.add(number);
      }
    }
    await putUntagged(transaction, changes, [...linked]);
  });
}

async function ensureTags(
  transaction: Executor,
  tools: ChannelTools,
  rootNumber: number,
  { channels }: DemoChannels,
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const channel of channels) {
    const known = await tagRepository.findActive(transaction, channel.name);
    // Tags that people have removed or merged are not created again.
    if (known === null && (await tagRepository.wasRemoved(transaction, rootNumber, channel.name))) continue;
    numbers.set(tagNameKey(channel.name), known?.number ?? (await addTag(transaction, tools, rootNumber, channel)));
    if (known === null) await bumpRevision(transaction, 'tags');
  }
  return numbers;
}

async function addTag(
  transaction: Executor,
  { ids, now }: ChannelTools,
  rootNumber: number,
  channel: DemoChannels['channels'][number],
): Promise<number> {
  return tagRepository.insert(transaction, {
    id: ids.short(),
    ...channel,
    name_key: tagNameKey(channel.name),
    active: 1,
    root_number: rootNumber,
    created_at: now,
  });
}
