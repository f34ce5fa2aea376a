import { opendir } from 'node:fs/promises';
import type { Clock } from '../../clock.ts';

/** Enough for every folder that people make; of a larger one the rest is not seen. */
const entriesMax = 10_000;
const namesAtOnce = 1_024;
/** Four quadrants and their menus ask several times in a row, mostly about a few folders. */
const keptMs = 5_000;
const keptFolders = 64;

interface Listed {
  names: Promise<readonly Buffer[]>;
  until: number;
}

/** The names of subtitle files in folders of the library, as they were some seconds ago. */
export class SubtitleFolders {
  private readonly clock: Pick<Clock, 'elapsed'>;
  /** By the bytes of their path. */
  private readonly listed = new Map<string, Listed>();

  constructor(clock: Pick<Clock, 'elapsed'>) {
    this.clock = clock;
  }

  /** In the order of their bytes; none where the folder cannot be read. */
  list(folder: Buffer): Promise<readonly Buffer[]> {
    const key = folder.toString('latin1');
    const now = this.clock.elapsed();
    const known = this.listed.get(key);
    if (known !== undefined && known.until > now) return known.names;
    const names = listSubtitleNames(folder).catch(() => []);
    this.listed.delete(key);
    this.listed.set(key, { names, until: now + keptMs });
    const [oldest] = this.listed.size > keptFolders ? this.listed.keys() : [];
    if (oldest !== undefined) this.listed.delete(oldest);
    return names;
  }
}

const subtitleName = /\.(?:srt|vtt)$/i;

async function listSubtitleNames(folder: Buffer): Promise<Buffer[]> {
  // latin1: one byte a character, which keeps what is not UTF-8.
  const opened = await opendir(folder, { encoding: 'latin1', bufferSize: namesAtOnce });
  const names: string[] = [];
  let entries = 0;
  for await (const { name } of opened) {
    if (subtitleName.test(name)) names.push(name);
    entries += 1;
    if (entries === entriesMax) break;
  }
  return names.sort().map((name) => Buffer.from(name, 'latin1'));
}
