import type { BigIntStats } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Selectable } from 'kysely';
import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { VideosTable } from '../../database/tables/library-tables.ts';
import type { Container } from '../../media/containers/container-sniff.ts';
import { fileVersionOf, openInside } from '../../storage/open-for-reading.ts';

/** A file of the library, as the server thinks of it. */
export interface Video {
  number: number;
  id: string;
  rootNumber: number;
  /** Relative to its root. */
  path: string;
  filename: string;
  size: number;
  /** Epoch microseconds, by the file system. */
  modifiedUs: number;
  container: Container | null;
  durationMs: number | null;
  width: number | null;
  height: number | null;
  /** What a device must play to show the file as it came. */
  needs: NeedBits;
  /** Some device plays the file as it came. */
  isSourcePlayable: boolean;
  /** Some device plays it, as it came or by an encoding. */
  isAvailable: boolean;
  /** By an administrator: nobody else is served anything of it. */
  isHidden: boolean;
}

export function toVideo(row: Selectable<VideosTable>): Video {
  return {
    number: row.number,
    id: row.id,
    rootNumber: row.root_number,
    path: row.path,
    filename: row.filename,
    size: row.size,
    modifiedUs: row.modified_us,
    container: row.container as Container | null,
    durationMs: row.duration_ms,
    width: row.width,
    height: row.height,
    needs: row.needs,
    isSourcePlayable: row.reason === null,
    isAvailable: row.available === 1,
    isHidden: row.hidden_at !== null,
  };
}

/** Changes whenever the bytes do: part of ETags and signed addresses. */
export function versionOf(video: Pick<Video, 'number' | 'size' | 'modifiedUs'>): string {
  return [video.number, video.size, video.modifiedUs].map((part) => part.toString(36)).join('-');
}

/** The file behind a video. */
export interface VideoFile {
  /** The folder that it must not be outside of. */
  folder: string;
  /** Absolute, in the bytes of the file system. */
  file: Buffer;
}

/** Ids inside, paths at the edge: this is where one becomes the other. */
export interface PathResolver {
  /** The path that clients know a video by. */
  pathOf(video: Pick<Video, 'rootNumber' | 'path'>): string;
  /** @throws Invalid for what cannot be a path at all */
  find(path: string): Promise<Video | null>;
  /** The row numbers of videos by their paths, at most `inListLength`; paths that no video has are left out. */
  findNumbers(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Null when the video's root is not served. */
  fileOf(video: Pick<Video, 'rootNumber' | 'path'>): VideoFile | null;
}

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
