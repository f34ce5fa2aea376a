import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import type { Executor } from '../../database/tables.ts';
import { bumpRevision } from '../../http/revision.ts';
import type { Ids } from '../../ids.ts';
import { assignTag, findActiveTag, insertTag, tagNameKey } from '../tags/tag-repository.ts';
import { findScanned } from './library-repository.ts';

const channelsSchema = z.object({
  channels: z.array(z.object({ name: z.string(), description: z.string().default(''), color: z.string().default(limits.tagColor) })),
  /** Names of channels by file name. */
  videos: z.record(z.string(), z.array(z.string())),
});

type Channels = z.infer<typeof channelsSchema>;

/** Gives the demo's clips their channels, once they are scanned. Running it again changes nothing. */
export async function applyDemoChannels(database: Database, clock: Clock, ids: Ids, rootNumber: number, file: string): Promise<void> {
  const channels = channelsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  await database.write(async (transaction) => {
    const known = await findScanned(transaction, rootNumber, Object.keys(channels.videos));
    const numbers = await ensureTags(transaction, clock, ids, rootNumber, channels);
    for (const [path, { number }] of known) {
      for (const name of channels.videos[path] ?? []) {
        const tag = numbers.get(tagNameKey(name));
        if (tag !== undefined) await assignTag(transaction, number, tag);
      }
    }
  });
}

async function ensureTags(transaction: Executor, clock: Clock, ids: Ids, rootNumber: number, { channels }: Channels): Promise<Map<string, number>> {
  const numbers = new Map<string, number>();
  for (const channel of channels) {
    const known = await findActiveTag(transaction, channel.name);
    numbers.set(tagNameKey(channel.name), known?.number ?? (await addTag(transaction, clock, ids, rootNumber, channel)));
    if (known === null) await bumpRevision(transaction, 'tags');
  }
  return numbers;
}

async function addTag(transaction: Executor, clock: Clock, ids: Ids, rootNumber: number, channel: Channels['channels'][number]): Promise<number> {
  return insertTag(transaction, {
    id: ids.short(),
    ...channel,
    name_key: tagNameKey(channel.name),
    active: 1,
    root_number: rootNumber,
    created_at: clock.now(),
  });
}
