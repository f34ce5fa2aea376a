import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Env } from './env.ts';

/** Folders and files that ship with the product or are created while it runs; absolute paths. */
export interface Folders {
  /** The built app. */
  app: string;
  /** The shipped `whats-new.md`. */
  shippedNews: string;
  /** The shipped `eula.md`. */
  shippedEula: string;
  demoClips: string;
  demoChannels: string;
  /** The cache folder; its contents can be made again at any time. */
  cache: string;
  posters: string;
  /** Encodings, storyboards and subtitles of videos. */
  derived: string;
  /** Uploaded videos, and uploads in progress. */
  uploads: string;
  /** Private folders of running programs; empty when none runs. */
  work: string;
}

/** The SQLite file in the data folder. The names of its companion files begin with this one. */
export const databaseFileName = 'fourfold.sqlite';

export function productFolders(env: Env): Folders {
  return {
    app: product('.build/app'),
    shippedNews: product('public/whats-new.md'),
    shippedEula: product('public/eula.md'),
    demoClips: product('src/demo/clips'),
    demoChannels: product('src/demo/channels.json'),
    cache: join(env.dataFolder, 'cache'),
    posters: join(env.dataFolder, 'derived', 'posters'),
    derived: join(env.dataFolder, 'derived', 'encodings'),
    uploads: join(env.dataFolder, 'uploads'),
    work: join(env.dataFolder, 'work'),
  };
}

function product(path: string): string {
  return fileURLToPath(new URL(`../../${path}`, import.meta.url));
}

/**
 * The environment of a helper thread or process, which needs nothing else. Without the compile
 * cache each would load Node's TypeScript compiler: 50 MB instead of 22, and twice the start time.
 */
export function compileCacheEnv(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // Node appends a folder for its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
