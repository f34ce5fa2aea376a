import { copyFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { smallVideo } from './videos.ts';

/**
 * A video that no socket buffer swallows whole: a real one, and empty room of so many bytes behind it that players
 * skip. @returns its size
 */
export function putHugeVideo(folder: string, name: string, emptyBytes = 200 * 1024 * 1024): number {
  const file = join(folder, name);
  copyFileSync(smallVideo(), file);
  const head = Buffer.alloc(16);
  head.writeUInt32BE(1);
  head.write('free', 4, 'latin1');
  head.writeBigUInt64BE(BigInt(emptyBytes), 8);
  writeFileSync(file, head, { flag: 'a' });
  truncateSync(file, statSync(smallVideo()).size + emptyBytes);
  return statSync(file).size;
}
