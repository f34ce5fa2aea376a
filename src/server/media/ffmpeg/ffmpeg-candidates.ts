import { createRequire } from 'node:module';
import { delimiter, dirname, isAbsolute, join } from 'node:path';

/**
 * Where an ffmpeg may be: the one that was configured and no other, else one of the system, else the one that npm may
 * have brought along.
 * @param searchPath folders, as `PATH` has them
 */
export function ffmpegCandidates(configured: string | undefined, searchPath: string): string[] {
  return configured === undefined ? [...onPath(searchPath), ...shipped()] : [configured];
}

function onPath(searchPath: string): string[] {
  return searchPath
    .split(delimiter)
    .filter(isAbsolute)
    .map((folder) => join(folder, 'ffmpeg'));
}

/** The package is optional: it is there for one platform, and may be left out. */
function shipped(): string[] {
  try {
    const { resolve } = createRequire(import.meta.url);
    return [join(dirname(resolve(`@ffmpeg-binary/${process.platform}-${process.arch}`)), 'ffmpeg')];
  } catch {
    return [];
  }
}
