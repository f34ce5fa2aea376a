import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { smallVideo } from '#tests/support/media/videos.ts';

export const largeVideoBytes = 1024 ** 3;

/**
 * A real video with random bytes behind it that players skip, 1 GiB in all; written a moment ago, it lies in the page
 * cache.
 */
export async function writeLargeVideo(path: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  const video = await readFile(smallVideo());
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(largeVideoBytes - video.length), 8);
  const file = await open(path, 'w');
  const block = randomBytes(1024 * 1024);
  await file.write(Buffer.concat([video, head]));
  for (let left = largeVideoBytes - video.length - head.length; left > 0; left -= block.length)
    await file.write(block, 0, Math.min(left, block.length));
  await file.close();
}
