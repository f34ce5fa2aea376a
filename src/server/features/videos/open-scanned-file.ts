import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { fileVersionOf } from '../../storage/file-version.ts';
import { openInside } from '../../storage/local-file.ts';
import type { PathResolver } from './path-resolver.ts';
import type { Video } from './video.ts';

/**
 * Whether what is opened or looked at now is the file that was scanned. Only that may be sent or shown as the video:
 * neither what took its place nor what is still being written.
 */
export function isScannedFile(facts: BigIntStats, video: Pick<Video, 'size' | 'modifiedUs'>): boolean {
  const version = fileVersionOf(facts);
  return facts.isFile() && version.size === video.size && version.modifiedUs === video.modifiedUs;
}

/**
 * Opens the file of a video as long as it is the one that was scanned; null otherwise. Whoever gets a handle closes it.
 */
export async function openScannedFile(places: PathResolver, video: Video): Promise<FileHandle | null> {
  const place = places.fileOf(video);
  const handle = place === null ? null : await openInside(place.folder, place.file);
  if (handle === null || isScannedFile(await handle.stat({ bigint: true }), video)) return handle;
  await handle.close();
  return null;
}
