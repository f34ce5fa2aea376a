import type { IncomingHttpHeaders } from 'node:http';
import type { FileWindow } from '#contract/rules/file-windows.ts';
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
import type { OpenedFile } from '../../storage/storage.ts';
import type { StoredEncoding } from '../videos/encoding-repository.ts';
import { encodingRepository } from '../videos/encoding-repository.ts';
import { everyDevice, listPlayable } from '../videos/playback.ts';
import type { SourceFiles } from '../videos/source-files.ts';
import type { LibraryVideo, PathResolver } from '../videos/video.ts';
import { versionOf } from '../videos/video.ts';

/** A video that some device plays, with all its files. */
export interface StreamedVideo {
  video: LibraryVideo;
  encodings: readonly StoredEncoding[];
  /** The objects stay the same as long as the row is cached. */
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

/** A cache of rows that were just read: a player requests one range of a video after the other. */
export class VideoCache {
  private readonly deps: VideoCacheDeps;
  /** Entries in the order in which they were read. */
  private readonly known = new Map<string, { streamed: StreamedVideo; readAt: number }>();

  constructor(deps: VideoCacheDeps) {
    this.deps = deps;
  }

  /**
   * Finds a video by its path, from a row that is at most two seconds old; its availability is that
   * of this moment. Whether its files still exist is not checked. Returns null for a path without a
   * playable video.
   */
  async find(path: string): Promise<StreamedVideo | null> {
    const { clock, idSets } = this.deps;
    const entry = this.known.get(path);
    const isFresh = entry !== undefined && clock.elapsed() - entry.readAt < freshForMs;
    return isFresh && idSets.matches(everything, entry.streamed.video.number) ? entry.streamed : this.findAgain(path);
  }

  /** Reads the row again. */
  async findAgain(path: string): Promise<StreamedVideo | null> {
    const readAt = this.deps.clock.elapsed();
    const streamed = await this.read(path);
    this.known.delete(path);
    // Only playable videos are cached: the number of unknown paths has no limit, and an unplayable
    // video may become playable at any moment.
    if (streamed !== null) this.known.set(path, { streamed, readAt });
    const [oldest] = this.known.size > maxVideos ? this.known.keys() : [];
    if (oldest !== undefined) this.known.delete(oldest);
    return streamed;
  }

  private async read(path: string): Promise<StreamedVideo | null> {
    const video = await this.deps.places.find(path);
    if (video?.isAvailable !== true) return null;
    const encodings = await encodingRepository.find(this.deps.database.reader, video);
    return { video, encodings, files: listMediaFiles(this.deps, video, encodings) };
  }
}

/** The parameters of a URL, and its caller. */
interface FileQuestion {
  rendition: Rendition | undefined;
  version: string | undefined;
  device: DeviceClass;
  /** The most picture lines that the caller may have. */
  lines: number;
  /** Whether the server itself issued this URL. */
  isSigned(): boolean;
}

/**
 * Chooses the file that the URL names, or the best one for this device that the caller may have
 * (decision 0044).
 * @throws NotFound for a rendition that does not exist; Refusal 403 for one that the caller may not
 * have
 */
export function chooseFile(streamed: StreamedVideo, question: FileQuestion): MediaFile {
  const { files } = streamed;
  const chosen = findNamed(files, question) ?? findPreferred(streamed, question);
  const alike = files.filter(({ audioTrack }) => audioTrack === chosen.audioTrack);
  if (!mayHave(chosen, alike, question.lines) && !question.isSigned()) throw new Refusal('forbidden');
  return chosen;
}

const contentShape = /^[0-9a-f]{40}$/;

/** Returns null when the URL names no file, or a version of the source that has changed since. */
function findNamed(files: readonly MediaFile[], { rendition, version }: FileQuestion): MediaFile | null {
  if (version === undefined) return null;
  for (const file of files)
    if (file.version === version && (rendition === undefined || file.name === rendition)) return file;
  // A URL never serves other bytes than it names: the player requests a new URL.
  if (contentShape.test(version)) throw new NotFound('video');
  return null;
}

/**
 * A device that plays none of the files gets what other devices play: the client may be no player
 * at all.
 */
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

/** One file of a video with its response headers. */
export interface MediaFile extends Encoding, Validators {
  /** Identifies its bytes in the ETag and in URLs. */
  version: string;
  /** Identifies a derived file by its content; null for the source file. */
  content: string | null;
  size: number;
  contentType: string;
  /** The audio track that a viewer has chosen; null for the default one. */
  audioTrack: number | null;
  /** @param window the bytes that are going to be sent; null for none */
  open(window: FileWindow | null): Promise<OpenedFile>;
}

export interface MediaPlaces {
  sources: Pick<SourceFiles, 'open'>;
  derivedFiles: Pick<DerivedFiles, 'open'>;
}

/** Lists all files of a video that some device plays, the source file first. */
function listMediaFiles(
  { sources, derivedFiles }: MediaPlaces,
  video: LibraryVideo,
  encodings: readonly StoredEncoding[],
): MediaFile[] {
  const derived = encodings.map((encoding) => {
    const { content, bytes } = encoding;
    return toDerivedFile(encoding, (window) => derivedFiles.open({ content, extension: '.mp4' }, bytes, window));
  });
  if (!video.isSourcePlayable) return derived;
  return [toOriginalFile(video, (window) => sources.open(video, window)), ...derived];
}

function toOriginalFile(video: LibraryVideo, open: MediaFile['open']): MediaFile {
  const { size, modifiedUs, height, container } = video;
  return {
    name: 'source',
    height,
    content: null,
    size,
    contentType: container === null ? 'application/octet-stream' : contentTypes[container],
    audioTrack: null,
    open,
    ...validatorsOf(versionOf(video), modifiedUs / 1000),
  };
}

function toDerivedFile(
  { rendition, height, content, bytes, madeAt, audio }: StoredEncoding,
  open: MediaFile['open'],
): MediaFile {
  return {
    name: rendition,
    height,
    content,
    size: bytes,
    contentType: contentTypes.mp4,
    audioTrack: audio?.track ?? null,
    open,
    ...validatorsOf(content, madeAt),
  };
}

/** @param changedAt epoch milliseconds */
function validatorsOf(version: string, changedAt: number): Validators & { version: string } {
  return { version, etag: `"${version}"`, lastModified: new Date(changedAt).toUTCString() };
}

/** Validators by which a client checks its cached copy. */
interface Validators {
  etag: string;
  /** An HTTP date, to the second. */
  lastModified: string;
}

/** RFC 9110 section 13.2.2: an `If-None-Match` decides; without one, `If-Modified-Since` does. */
export function isNotModified(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const names = headers['if-none-match'];
  if (names !== undefined) return isNamed(names, etag);
  const since = headers['if-modified-since'];
  return since !== undefined && Date.parse(since) >= Date.parse(lastModified);
}

/**
 * RFC 9110 section 13.1.5: a range is valid only for the bytes that the client began with. A weak
 * ETag never matches.
 */
export function mayUseRange(headers: IncomingHttpHeaders, { etag, lastModified }: Validators): boolean {
  const condition = headers['if-range'];
  return condition === undefined || condition === etag || condition === lastModified;
}
