import type { FileHandle } from 'node:fs/promises';
import { openInside } from '../../storage/local-file.ts';
import type { Video } from '../videos/video.ts';
import type { VideoFile } from '../videos/video-places.ts';

/** An opened video, or why there is none: its file is gone, or is no longer the one that was scanned. */
export type OpenedVideo = { kind: 'opened'; handle: FileHandle } | { kind: 'gone' } | { kind: 'changed' };

/** Opens the file and makes sure that it is the one that was scanned. Whoever gets a handle closes it. */
export async function openVideo(video: Video, { folder, file }: VideoFile): Promise<OpenedVideo> {
  const handle = await openInside(folder, file);
  if (handle === null) return { kind: 'gone' };
  const state = await compare(handle, video);
  if (state === 'same') return { kind: 'opened', handle };
  await handle.close();
  return { kind: state };
}

async function compare(handle: FileHandle, video: Video): Promise<'same' | 'changed' | 'gone'> {
  const facts = await handle.stat({ bigint: true });
  if (!facts.isFile()) return 'gone';
  const isSame = Number(facts.size) === video.size && Number(facts.mtimeNs / 1000n) === video.modifiedUs;
  return isSame ? 'same' : 'changed';
}
