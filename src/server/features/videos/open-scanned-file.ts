import type { FileHandle } from 'node:fs/promises';
import { openInside } from '../../storage/local-file.ts';
import type { Video } from './video.ts';
import type { VideoPlaces } from './video-places.ts';

/** Opens the file of a video as long as it is the one that was scanned; null otherwise. Whoever gets a handle closes it. */
export async function openScannedFile(places: VideoPlaces, video: Video): Promise<FileHandle | null> {
  const place = places.fileOf(video);
  const handle = place === null ? null : await openInside(place.folder, place.file);
  if (handle === null || (await isScanned(handle, video))) return handle;
  await handle.close();
  return null;
}

async function isScanned(handle: FileHandle, video: Video): Promise<boolean> {
  const facts = await handle.stat({ bigint: true });
  return facts.isFile() && Number(facts.size) === video.size && Number(facts.mtimeNs / 1000n) === video.modifiedUs;
}
