import { getCompileCacheDir } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Env } from './env.ts';

/** Where things lie that come with the product or are made while it runs; absolute. */
export interface Folders {
  /** The built app. */
  app: string;
  /** `whats-new.md` as it ships. */
  shippedNews: string;
  /** `eula.md` as it ships. */
  shippedEula: string;
  demoClips: string;
  demoChannels: string;
  /** What can be made again at any time. */
  cache: string;
  posters: string;
  /** Encodings of videos, sheets of stills, subtitles. */
  derived: string;
  /** What people have sent, and what is still on its way. */
  uploads: string;
  /** Private folders of programs at work; empty when none runs. */
  work: string;
}

/** In the data folder; the names of what SQLite keeps beside it begin like this, too. */
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
 * The environment of a thread or process of ours that needs nothing else. Without the cache of compiled code each would
 * load the engine's compiler of TypeScript: 50 MB instead of 22, and twice the time.
 */
export function compileCacheEnv(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // The engine adds a folder of its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
