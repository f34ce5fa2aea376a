import type { Encoding } from '#contract/rules/media/rendition.ts';
import { contentTypes } from '../../media/containers/container-sniff.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import type { StoredEncoding } from '../videos/encodings/encoding-repository.ts';
import type { PathResolver, VideoFile } from '../videos/path-resolver.ts';
import type { Video } from '../videos/video.ts';
import { versionOf } from '../videos/video.ts';
import type { Validators } from './preconditions.ts';

/** One file of a video, and what is said of it. */
export interface MediaFile extends Encoding, Validators {
  /** Names its bytes, in its ETag and in addresses. */
  version: string;
  /** Names a derived file by its content; null: the file as it came. */
  content: string | null;
  size: number;
  /** Epoch microseconds, by the file system; null: a derived file, whose name stands for its bytes. */
  modifiedUs: number | null;
  contentType: string;
  /** Null when the root of the video is not served. */
  place: VideoFile | null;
}

export interface MediaPlaces {
  places: Pick<PathResolver, 'fileOf'>;
  derivedFiles: Pick<DerivedFiles, 'localFile'>;
  folders: { derived: string };
}

/** All files of a video that some device plays; the file as it came is the first. */
export function listMediaFiles(
  { places, derivedFiles, folders }: MediaPlaces,
  video: Video,
  encodings: readonly StoredEncoding[],
): MediaFile[] {
  const placeOf = (content: string) => ({
    folder: folders.derived,
    file: Buffer.from(derivedFiles.localFile(content, '.mp4')),
  });
  const derived = encodings.map((encoding) => toDerivedFile(encoding, placeOf(encoding.content)));
  return video.isSourcePlayable ? [toOriginalFile(video, places.fileOf(video)), ...derived] : derived;
}

function toOriginalFile(video: Video, place: VideoFile | null): MediaFile {
  const { size, modifiedUs, height, container } = video;
  return {
    name: 'source',
    height,
    content: null,
    size,
    modifiedUs,
    contentType: container === null ? 'application/octet-stream' : contentTypes[container],
    place,
    ...validatorsOf(versionOf(video), modifiedUs / 1000),
  };
}

function toDerivedFile({ rendition, height, content, bytes, madeAt }: StoredEncoding, place: VideoFile): MediaFile {
  return {
    name: rendition,
    height,
    content,
    size: bytes,
    modifiedUs: null,
    contentType: contentTypes.mp4,
    place,
    ...validatorsOf(content, madeAt),
  };
}

/** @param changedAt epoch milliseconds */
function validatorsOf(version: string, changedAt: number): Validators & { version: string } {
  return { version, etag: `"${version}"`, lastModified: new Date(changedAt).toUTCString() };
}
