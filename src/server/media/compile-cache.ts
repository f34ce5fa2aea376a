import { getCompileCacheDir } from 'node:module';
import { dirname } from 'node:path';

/**
 * The environment of a thread or process of ours that needs nothing else. Without the cache of compiled code each would
 * load the engine's compiler of TypeScript: 50 MB instead of 22, and twice the time.
 */
export function compileCacheEnv(): NodeJS.ProcessEnv {
  const folder = getCompileCacheDir();
  // The engine adds a folder of its version.
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) };
}
