import { createHash, randomBytes } from 'node:crypto';
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { smallVideo } from './videos.ts';

export const largeVideoBytes = 1024 ** 3;

/**
 * A real video with random bytes behind it that players skip; written a moment ago, it lies in the page cache.
 * @param bytes of the whole file
 * @returns its SHA-256, hexadecimal
 */
export async function writeLargeVideo(path: string, bytes = largeVideoBytes): Promise<string> {
  await mkdir(dirname(path), { recursive: true });
  const digest = createHash('sha256');
  const file = await open(path, 'w');
  const write = async (piece: Buffer) => {
    digest.update(piece);
    await file.write(piece);
  };
  const video = await readFile(smallVideo());
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(bytes - video.length), 8);
  await write(Buffer.concat([video, head]));
  const block = randomBytes(1024 * 1024);
  for (let left = bytes - video.length - head.length; left > 0; left -= block.length) {
    // No block is like another one: what ends up in the wrong place changes the hash.
    block.writeDoubleBE(left);
    await write(block.subarray(0, left));
  }
  await file.close();
  return digest.digest('hex');
}
