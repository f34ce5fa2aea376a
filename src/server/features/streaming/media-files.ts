import type { IncomingHttpHeaders } from 'node:http';
import type { DeviceClass } from '#contract/rules/media-needs.ts';
import type { Encoding, Rendition } from '#contract/rules/rendition.ts';
import { bestAllowed, mayHave } from '#contract/rules/rendition.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../database/connection.ts';
import { NotFound, Refusal } from '../../http/pipeline/errors.ts';
import { isNamed } from '../../http/pipeline/representation.ts';
import type { IdSets } from '../../id-sets/id-sets.ts';
import type { TagSelection } from '../../id-sets/tag-selection.ts';
import { contentTypes } from '../../media/containers/container-sniff.ts';
import type { DerivedFiles } from '../../storage/derived-files.ts';
import type { StoredEncoding } from '../videos/encoding-repository.ts';
import { findEncodings } from '../videos/encoding-repository.ts';
import { everyDevice, listPlayable } from '../videos/playback.ts';
import type { PathResolver, Video, VideoFile } from '../videos/video.ts';
import { versionOf } from '../videos/video.ts';

/** A video that some device plays, with all its files. */
export interface StreamedVideo {
  video: Video;
  encodings: readonly StoredEncoding[];
  /** The same objects for as long as the row is kept. */
  files: readonly MediaFile[];
}

interface VideoCacheDeps extends MediaPlaces {
  places: PathResolver;
  database: Pick<Database, 'reader'>;
  idSets: Pick<IdSets, 'matches'>;
  clock: Clock;
}

const freshForMs = 2_000;
const maxVideos = 1_000;

const everything: TagSelection = { tags: [], mode: 'OR', blocked: [] };

/** Rows that were just looked up: a player asks for one range of a video after the other. */
export class VideoCache {
  private readonly deps: VideoCacheDeps;
  /** The first that was looked up first. */
  private readonly known = new Map<string, { streamed: StreamedVideo; readAt: number }>();

  constructor(deps: VideoCacheDeps) {
    this.deps = deps;
  }

  /**
   * As of at most two seconds ago, and available by the sets of this moment; that its files are still there is not for
   * the row to say. Null for what is no video or cannot be played.
   */
  async find(path: string): Promise<StreamedVideo | null> {
    const { clock, idSets } = this.deps;
    const entry = this.known.get(path);
    const isFresh = entry !== undefined && clock.elapsed() - entry.readAt < freshForMs;
    return isFresh && idSets.matches(everything, entry.streamed.video.number) ? entry.streamed : this.findAgain(path);
  }

  /** As of now. */
  async findAgain(path: string): Promise<StreamedVideo | null> {
    const readAt = this.deps.clock.elapsed();
    const streamed = await this.read(path);
    this.known.delete(path);
    // What cannot be played is not worth remembering: there is no end to what does not exist, and the rest may be
    // playable in a moment.
    if (streamed !== null) this.known.set(path, { streamed, readAt });
    const [oldest] = this.known.size > maxVideos ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
    return streamed;
  }

  private async read(path: string): Promise<StreamedVideo | null> {
    const video = await this.deps.places.find(path);
    if (video?.isAvailable !== true) return null;
    const encodings = await findEncodings(this.deps.database.reader, video);
    return { video, encodings, files: listMediaFiles(this.deps, video, encodings) };
  }
}

/** What an address asks for, and who asks. */
interface FileQuestion {
  rendition: Rendition | undefined;
  version: string | undefined;
  device: DeviceClass;
  /** The most picture lines that the caller may have. */
  lines: number;
  /** Whether the server itself handed out this address. */
  isSigned(): boolean;
}

/**
 * The file that an address names, or the best for this device of those that the caller may have (decision 0044).
 * @throws NotFound for an encoding that is not there, or no more; Refusal 403 for one that is too good
 */
export function chooseFile(streamed: StreamedVideo, question: FileQuestion): MediaFile {
  const { files } = streamed;
  const chosen = findNamed(files, question) ?? findPreferred(streamed, question);
  if (!mayHave(chosen, files, question.lines) && !question.isSigned()) throw new Refusal('forbidden');
  return chosen;
}

const contentShape = /^[0-9a-f]{40}$/;

/** Null for an address that names no file, or the bytes of a source that has changed since. */
function findNamed(files: readonly MediaFile[], { rendition, version }: FileQuestion): MediaFile | null {
  if (version === undefined) return null;
  for (const file of files)
    if (file.version === version && (rendition === undefined || file.name === rendition)) return file;
  // Never other bytes under its address: the player asks for another one.
  if (contentShape.test(version)) throw new NotFound('video');
  return null;
}

/** A device that plays none of them gets what others play: it may be no player at all. */
function findPreferred(streamed: StreamedVideo, question: FileQuestion): MediaFile {
  const chosen = findPlayable(streamed, question, question.device) ?? findPlayable(streamed, question, everyDevice);
  if (chosen === null) throw new NotFound('rendition');
  return chosen;
}

function findPlayable(
  { video, encodings, files }: StreamedVideo,
  { rendition, lines }: FileQuestion,
  device: DeviceClass,
): MediaFile | null {
  const playable = listPlayable(video, encodings, device);
  const chosen =
    rendition === undefined ? bestAllowed(playable, lines) : playable.find(({ name }) => name === rendition);
  return files.find(({ version }) => version === chosen?.version) ?? null;
}

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
function listMediaFiles(
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

/** What a client may hold already. */
interface Validators {
  etag: string;
  /** An HTTP date, to the second. */
  lastModified: string;
}

/** RFC 9110 section 13.2.2: an `If-None-Match` decides; without one, `If-Modified-Since` does. */
export function isFresh(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const names = headers['if-none-match'];
  if (names !== undefined) return isNamed(names, etag);
  const since = headers['if-modified-since'];
  return since !== undefined && Date.parse(since) >= Date.parse(lastModified);
}

/**
 * RFC 9110 section 13.1.5: a range is good only for the very bytes the client began with. A weak ETag never matches.
 */
export function mayUseRange(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const condition = headers['if-range'];
  return condition === undefined || condition === etag || condition === lastModified;
}
