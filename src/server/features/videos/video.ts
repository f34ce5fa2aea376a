import type { Selectable } from 'kysely';
import type { NeedBits } from '#contract/rules/media-needs.ts';
import type { Tables } from '../../database/tables.ts';
import type { Container } from '../../media/containers/container-sniff.ts';
import { readableName } from '../../media/title.ts';
import type { DiskPlace } from '../../storage/storage.ts';

/** A file of the library as the server models it. */
export interface LibraryVideo {
  number: number;
  id: string;
  rootNumber: number;
  /** Relative to its root folder. */
  path: string;
  filename: string;
  /** The title that people or the file gave it; null if it has none of its own. */
  givenTitle: string | null;
  size: number;
  /** The modification time in the file system, in epoch microseconds. */
  modifiedUs: number;
  /** The entity tag by which a store knows the file; null on disks. */
  etag: string | null;
  /** Epoch milliseconds; null if nothing says it. */
  recordedAt: number | null;
  container: Container | null;
  durationMs: number | null;
  width: number | null;
  height: number | null;
  /** The needs that a device must meet to play the source file. */
  needs: NeedBits;
  /** Some device plays the source file. */
  isSourcePlayable: boolean;
  /** Some device plays the video, by its source file or an encoding. */
  isAvailable: boolean;
  /** An administrator has hidden the video: nobody else is served any part of it. */
  isHidden: boolean;
}

/** Identifies the present file of a video: derived rows of another version are outdated. */
export type FileOfVideo = Pick<LibraryVideo, 'number' | 'size' | 'modifiedUs'>;

export function toVideo(row: Selectable<Tables['videos']>): LibraryVideo {
  return {
    number: row.number,
    id: row.id,
    rootNumber: row.root_number,
    path: row.path,
    filename: row.filename,
    givenTitle: row.edited_title ?? row.found_title,
    size: row.size,
    modifiedUs: row.modified_us,
    etag: row.etag,
    recordedAt: row.recorded_at,
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

/** The title that people read. */
export function titleOf({ givenTitle, filename }: Pick<LibraryVideo, 'givenTitle' | 'filename'>): string {
  return givenTitle ?? readableName(filename);
}

/** The version of the file, part of ETags and signed URLs; it changes with the bytes. */
export function versionOf(video: FileOfVideo): string {
  return [video.number, video.size, video.modifiedUs].map((part) => part.toString(36)).join('-');
}

/** Translates between the paths that clients use and the videos of the database. */
export interface PathResolver {
  /** The path by which clients know a video. */
  pathOf(video: Pick<LibraryVideo, 'rootNumber' | 'path'>): string;
  /** @throws Invalid for text that cannot be a path */
  find(path: string): Promise<LibraryVideo | null>;
  /**
   * Video numbers by path, for at most `inListLength` paths; paths without a video are left out.
   */
  findNumbers(paths: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** Returns null when the root of the video is not served, or lies in a store. */
  fileOf(video: Pick<LibraryVideo, 'rootNumber' | 'path'>): DiskPlace | null;
  /** The place of the library in a store that the video belongs to; null for any other. */
  storeOf(video: Pick<LibraryVideo, 'rootNumber'>): string | null;
  isUpload(video: Pick<LibraryVideo, 'rootNumber'>): boolean;
}
