import type { Video } from './video.ts';

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
