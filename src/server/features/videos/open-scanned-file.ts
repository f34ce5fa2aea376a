import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import { openInside } from '../../storage/local-file.ts';
import type { Video } from './video.ts';
import type { VideoPlaces } from './video-places.ts';

/** Opens the file of a video as long as it is the one that was scanned; null otherwise. Whoever gets a handle closes it. */
export async function openScannedFile(places: VideoPlaces, video: Video): Promise<FileHandle | null> {
  const place = places.fileOf(video);
  const handle = place === null ? null : await openInside(place.folder, place.file);
  if (handle === null || isScannedFile(await handle.stat({ bigint: true }), video)) return handle;
  await handle.close();
  return null;
}

/** Whether what lies there now is what was scanned: whoever changes a file changes its size or its time. */
export function isScannedFile(facts: BigIntStats, { size, modifiedUs }: Pick<Video, 'size' | 'modifiedUs'>): boolean {
  return facts.isFile() && Number(facts.size) === size && Number(facts.mtimeNs / 1000n) === modifiedUs;
}
