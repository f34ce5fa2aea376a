import { readFile } from 'node:fs/promises';
import { z } from 'zod';
import { limits } from '#contract/limits.ts';

const channelsSchema = z.object({
  channels: z.array(
    z.object({ name: z.string(), description: z.string().default(''), color: z.string().default(limits.tagColor) }),
  ),
  /** Channel names by filename. */
  videos: z.record(z.string(), z.array(z.string())),
});

export type DemoChannels = z.infer<typeof channelsSchema>;

/** @throws when the file has another format */
export async function readChannelFile(file: string): Promise<DemoChannels> {
  return channelsSchema.parse(JSON.parse(await readFile(file, 'utf8')));
}
