import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { Executor } from '../../../database/tables.ts';
import { bumpRevision } from '../../../http/pipeline/revision.ts';
import { putUntagged } from '../../../id-sets/tag-links.ts';
import type { WriteWithSets } from '../../../id-sets/write-slices.ts';
import type { Ids } from '../../../ids.ts';
import { assignTag, findActiveTag, insertTag, tagNameKey, wasRemoved } from '../../tags/tag-repository.ts';
import { findNumbers } from '../library-repository.ts';

const channelsSchema = z.object({
  channels: z.array(
    z.object({ name: z.string(), description: z.string().default(''), color: z.string().default(limits.tagColor) }),
  ),
  /** Names of channels by file name. */
  videos: z.record(z.string(), z.array(z.string())),
});

type Channels = z.infer<typeof channelsSchema>;

export interface ChannelTools {
  write: WriteWithSets;
  ids: Ids;
  /** Epoch milliseconds. */
  now: number;
}

/** Gives the demo's clips their channels, once they are scanned. Running it again changes nothing. */
export async function applyDemoChannels(tools: ChannelTools, rootNumber: number, file: string): Promise<void> {
  const channels = channelsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  await tools.write(async (transaction, changes) => {
    const known = await findNumbers(transaction, rootNumber, Object.keys(channels.videos));
    const numbers = await ensureTags(transaction, tools, rootNumber, channels);
    const linked = new Set<number>();
    for (const [path, number] of known) {
      for (const name of channels.videos[path] ?? []) {
        const tag = numbers.get(tagNameKey(name));
        if (tag === undefined || !(await assignTag(transaction, number, tag))) continue;
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
  { channels }: Channels,
): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const channel of channels) {
    const known = await findActiveTag(transaction, channel.name);
    // What people have removed or merged stays away.
    if (known === null && (await wasRemoved(transaction, rootNumber, channel.name))) continue;
    numbers.set(tagNameKey(channel.name), known?.number ?? (await addTag(transaction, tools, rootNumber, channel)));
    if (known === null) await bumpRevision(transaction, 'tags');
  }
  return numbers;
}

async function addTag(
  transaction: Executor,
  { ids, now }: ChannelTools,
  rootNumber: number,
  channel: Channels['channels'][number],
): Promise<number> {
  return insertTag(transaction, {
    id: ids.short(),
    ...channel,
    name_key: tagNameKey(channel.name),
    active: 1,
    root_number: rootNumber,
    created_at: now,
  });
}
